#include "rfbench/report/marks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "rfbench/report/best_mark.hpp"
#include "rfbench/report/column_text.hpp"
#include "rfbench/text/nearest.hpp"
#include "rfbench/text/trimmed.hpp"

namespace rfbench::report {

namespace {

constexpr std::string_view opening = "<!-- = ", closed = " -->", ending = "<!-- / -->";

/// Marks may be broken over lines.
std::string word_of(std::string_view text) { return std::string(trimmed(text, " \n")); }

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('|', begin), text.size());
        std::string_view part = text.substr(begin, end - begin);
        // In a table of Markdown a bar would end the cell, and is escaped.
        if (end < text.size() && part.ends_with('\\')) part.remove_suffix(1);
        parts.push_back(word_of(part));
        begin = end + 1;
    }
    return parts;
}

[[noreturn]] void refuse(std::size_t line, const std::string& sentence) {
    throw std::invalid_argument(fmt::format("line {}: {}", line, sentence));
}

int digits_of(const std::string& text, int min_digits, std::size_t line) {
    int digits = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, digits).ptr != end || text.empty() || digits < min_digits || digits > 17)
        refuse(line, fmt::format("digits are a number from {} to 17, not '{}'", min_digits, text));
    return digits;
}

Mark parsed(std::string_view inside, std::size_t line) {
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos) refuse(line, "a mark begins with results and a colon, 'training/text: ...'");
    const auto parts = parts_of(inside.substr(colon + 1));
    if (parts.size() > 4 || parts.front().empty())
        refuse(
            line,
            "a mark has 'results: table | row | column', or 'results: expression', and the digits if they are other");
    Mark mark{.results = word_of(inside.substr(0, colon)), .line = line};
    const bool is_entry = parts.size() > 2;
    if (is_entry) {
        mark.table = parts[0];
        mark.row = parts[1];
        mark.column = parts[2];
    } else {
        mark.expression = parts[0];
        mark.digits = 3;
    }
    if (parts.size() % 2 == 0) mark.digits = digits_of(parts.back(), is_entry ? 0 : 1, line);
    return mark;
}

/// A mark, and where what it shows begins and ends.
struct Found {
    Mark mark;
    std::size_t begin, end;
};

std::vector<Found> found(std::string_view page) {
    std::vector<Found> all;
    for (std::size_t at = page.find(opening); at != std::string_view::npos; at = page.find(opening, at + 1)) {
        const auto line =
            static_cast<std::size_t>(std::count(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
            1;
        const std::size_t inside = at + opening.size(), begin = page.find(closed, inside);
        if (begin == std::string_view::npos) refuse(line, "a mark does not end with ' -->'");
        const std::size_t shown = begin + closed.size(), end = page.find(ending, shown);
        if (end == std::string_view::npos || page.find(opening, shown) < end)
            refuse(line, "what a mark shows does not end with '<!-- / -->'");
        Found one{parsed(page.substr(inside, begin - inside), line), shown, end};
        one.mark.shown = page.substr(shown, end - shown);
        all.push_back(one);
    }
    return all;
}

/// A page shows the number, and does not say what the mark of the best of a table means.
Entry without_best_mark(Entry entry) {
    if (auto* estimate = std::get_if<Estimate>(&entry); estimate != nullptr)
        if (const std::size_t at = estimate->mark.find(best_mark); at != std::string::npos)
            estimate->mark.erase(at == 0 ? at : at - 1);
    return entry;
}

std::string words_of(const Row& row, std::size_t count, const Table& table) {
    std::vector<std::string> words;
    for (std::size_t c = 0; c < count; ++c)
        words.push_back(entry_text(without_best_mark(row.entries[c]), format_of(table, c)));
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::vector<Mark> marks(std::string_view page) {
    std::vector<Mark> all;
    for (const Found& one : found(page)) all.push_back(one.mark);
    return all;
}

std::string filled(std::string_view page, const std::function<std::string(const Mark&)>& text_of) {
    std::string result;
    std::size_t done = 0;
    for (const Found& one : found(page)) {
        result += page.substr(done, one.begin - done);
        result += text_of(one.mark);
        done = one.end;
    }
    return result += page.substr(done);
}

std::string entry_of(const Table& table, const Mark& mark) {
    std::vector<std::string> titles, rows;
    for (const Column& column : table.columns) titles.push_back(column.title);
    const auto column = static_cast<std::size_t>(std::find(titles.begin(), titles.end(), mark.column) - titles.begin());
    if (column == titles.size())
        throw std::invalid_argument(fmt::format("table {} has no column '{}'; its columns are: {}.{}", table.name,
                                                mark.column, fmt::join(titles, ", "),
                                                did_you_mean(mark.column, titles)));
    const std::size_t words = 1 + static_cast<std::size_t>(std::count(mark.row.begin(), mark.row.end(), ','));
    const Row* found = nullptr;
    for (const Row& row : table.rows) {
        for (std::size_t count = 1; count <= std::min(words, row.entries.size()); ++count) {
            if (words_of(row, count, table) != mark.row) continue;
            if (found != nullptr)
                throw std::invalid_argument(
                    fmt::format("table {} has several rows '{}': name it by more of its words, with commas between",
                                table.name, mark.row));
            found = &row;
        }
        rows.push_back(words_of(row, 1, table));
    }
    if (found != nullptr) {
        const ColumnText text(table, column);
        const Entry entry = without_best_mark(found->entries[column]);
        if (mark.digits < 0) return text(entry);
        const bool percent = text.format().kind == Format::Kind::percent;
        return entry_text(entry, {percent ? Format::Kind::percent : Format::Kind::fixed, mark.digits});
    }
    throw std::invalid_argument(fmt::format("table {} has no row '{}'; its rows begin with: {}.{}", table.name,
                                            mark.row, fmt::join(rows, ", "), did_you_mean(mark.row, rows)));
}

}  // namespace rfbench::report
