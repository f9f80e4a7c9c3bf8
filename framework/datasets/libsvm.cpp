#include "rfbench/datasets/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace rfbench::datasets {

namespace {

constexpr std::size_t max_numbers = std::size_t{1} << 30;

using Fields = std::vector<std::string_view>;

/// The lines that hold something, comments taken off.
std::vector<Line> sparse_lines(std::string_view text) {
    std::vector<Line> lines = lines_of(text);
    for (Line& line : lines) line.text = line.text.substr(0, line.text.find('#'));
    std::erase_if(lines, [](const Line& line) { return is_blank(line.text); });
    return lines;
}

bool is_finite_number(std::string_view field) { return parse_number(field).state == NumberState::number; }

std::optional<std::size_t> index_of(std::string_view text) {
    std::size_t index = 0;
    const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (failure != std::errc{} || stopped != text.data() + text.size()) return std::nullopt;
    return index;
}

/// An entry 3:0.5.
struct SparseEntry {
    std::size_t index;
    std::string_view value;
};

SparseEntry sparse_entry(std::string_view field, const Place& place) {
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos)
        refuse(place, in_quotes(field) + " is no entry of a sparse row, which is index:value");
    if (field.substr(0, colon) == "qid")
        refuse(place, in_quotes(field) + " names a query of a ranking; rows of queries are not read, take it out");
    const std::optional<std::size_t> index = index_of(field.substr(0, colon));
    if (!index) refuse(place, in_quotes(field) + " has an index that is no whole number");
    number(field.substr(colon + 1), place);
    return {*index, field.substr(colon + 1)};
}

std::string_view target_of(std::string_view field, const Place& place) {
    if (field.find(',') != std::string_view::npos)
        refuse(place, in_quotes(field) + " has several targets; rows of one are read");
    number(field, place);
    return field.starts_with('+') ? field.substr(1) : field;
}

/// The least and the largest index of a file.
struct Indices {
    std::size_t least = 1, largest = 0;
};

/// Checks a row whole.
void look_at_row(const Line& line, const Fields& fields, std::string_view file, Indices& seen) {
    target_of(fields.front(), {file, line.number, 1});
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const Place place{file, line.number, i + 1};
        const std::size_t index = sparse_entry(fields[i], place).index;
        if (i > 1 && index <= sparse_entry(fields[i - 1], place).index)
            refuse(place, fmt::format("index {} stands after {}; the indices of a row must grow", index,
                                      sparse_entry(fields[i - 1], place).index));
        seen.least = std::min(seen.least, index);
        seen.largest = std::max(seen.largest, index);
    }
}

}  // namespace

bool is_libsvm(std::string_view text) {
    Fields fields;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::vector<Line> line = sparse_lines(text.substr(at, end - at));
        at = end + 1;
        if (line.empty()) continue;
        split(line.front().text, Separator::spaces, fields);
        if (!is_finite_number(fields.front().substr(0, fields.front().find(',')))) return false;
        if (fields.size() == 1 && fields.front().find(',') != std::string_view::npos) return false;
        if (fields.size() == 1) continue;
        return std::all_of(fields.begin() + 1, fields.end(), [](std::string_view field) {
            const std::size_t colon = field.find(':');
            return colon != std::string_view::npos && (field.starts_with("qid:") || index_of(field.substr(0, colon)));
        });
    }
    return false;
}

TextRows libsvm_rows(std::string_view text, std::string_view file) {
    TextRows rows{sparse_lines(text), {}, {}};
    Fields fields;
    Indices seen;
    for (const Line& line : rows.lines) {
        datasets::split(line.text, Separator::spaces, fields);
        look_at_row(line, fields, file, seen);
    }
    const bool none = seen.largest < seen.least;
    // The last column: one more would wrap to 0 if indices go up to the largest number.
    const std::size_t last = none ? 0 : seen.largest - seen.least;
    if (last >= max_numbers / std::max<std::size_t>(rows.lines.size(), 1)) {
        const double numbers = static_cast<double>(last) + 1, lines = static_cast<double>(rows.lines.size());
        refuse(
            {file},
            fmt::format("would be {} rows of {:.0f} numbers with all zeros, {:.0f} GiB; at most 8 GiB are read",
                        rows.lines.size(), numbers, 8 * numbers * lines / static_cast<double>(std::size_t{1} << 30)));
    }
    const std::size_t columns = none ? 0 : last + 1;

    rows.columns.push_back({"target"});
    for (std::size_t i = 0; i < columns; ++i) rows.columns.push_back({fmt::format("feature {}", seen.least + i)});
    rows.split = [columns, least = seen.least, name = std::string(file), row = Fields()](const Line& line,
                                                                                         Fields& all) mutable {
        datasets::split(line.text, Separator::spaces, row);
        all.assign(columns + 1, "0");
        all.front() = target_of(row.front(), {name, line.number, 1});
        for (std::size_t i = 1; i < row.size(); ++i) {
            const SparseEntry entry = sparse_entry(row[i], {name, line.number, i + 1});
            all[entry.index - least + 1] = entry.value;
        }
    };
    return rows;
}

}  // namespace rfbench::datasets
