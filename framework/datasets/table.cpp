#include "rfbench/datasets/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <unordered_map>

#include "rfbench/text/counted.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

/// A wrong layout is the program's mistake: those of manifests are refused where these are read.
void check(const Layout& layout) {
    std::size_t labels = 0;
    for (const Column& column : layout.columns) {
        labels += column.type == ColumnType::label;
        const bool has_codes = column.type == ColumnType::label || column.type == ColumnType::category;
        if (has_codes && column.categories.empty()) {
            throw std::invalid_argument("column '" + column.name + "' has no categories");
        }
    }
    if (labels != 1) {
        throw std::invalid_argument("a table has exactly one label column; this layout has " + std::to_string(labels));
    }
}

/// Codes of a column's categories.
using Codes = std::unordered_map<std::string_view, int>;

Codes codes_of(const Column& column) {
    Codes codes;
    for (const std::string& category : column.categories) codes.emplace(category, static_cast<int>(codes.size()));
    return codes;
}

int code_of(std::string_view field, const Column& column, const Codes& codes, const Place& place) {
    if (const auto found = codes.find(field); found != codes.end()) return found->second;
    const std::string kind =
        column.type == ColumnType::label ? "class" : fmt::format("category of column '{}'", column.name);
    refuse(place, fmt::format("{} is no {}; allowed: {}.{}", in_quotes(field), kind, fmt::join(column.categories, ", "),
                              did_you_mean(field, column.categories)));
}

bool is_incomplete(const std::vector<std::string_view>& fields, const Layout& layout) {
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (layout.columns[i].type != ColumnType::ignored && is_missing(fields[i], layout.form)) return true;
    return false;
}

}  // namespace

bool is_missing(std::string_view field) {
    std::string lower;
    // Five characters tell the words below, of four at most, from longer ones that begin like them.
    for (const char c : field.substr(0, 5)) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return field.empty() || field == "?" || lower == "na" || lower == "nan" || lower == "null" || lower == "n/a";
}

Table read_table(std::string_view text, const Layout& layout, std::string_view file) {
    check(layout);
    const TextRows source = rows_of(text, layout.form, layout.separator, layout.header_lines, file);
    const std::size_t rows = source.lines.size();
    if (rows == 0) refuse({file}, "holds no rows");

    Table table;
    for (const Column& column : layout.columns) {
        if (column.type == ColumnType::label) table.class_names = column.categories;
        if (column.type == ColumnType::number || column.type == ColumnType::category) table.columns.push_back(column);
    }
    table.values.resize(static_cast<Index>(rows), static_cast<Index>(table.columns.size()));
    table.classes.reserve(rows);

    table.real_label = layout.real_label;
    std::vector<Codes> codes;
    for (const Column& column : layout.columns) codes.push_back(codes_of(column));

    std::vector<std::string_view> fields;
    for (std::size_t row = 0; row < rows; ++row) {
        const Line& line = source.lines[row];
        if (is_blank(line.text)) refuse({file, line.number}, "the line is blank; blank lines may only end the file");
        source.split(line, fields);
        if (fields.size() != layout.columns.size()) {
            refuse({file, line.number}, "has " + counted(fields.size(), "column") + " separated by " +
                                            name_of(layout.separator) + "; " + std::to_string(layout.columns.size()) +
                                            (layout.columns.size() == 1 ? " is declared" : " are declared"));
        }
        if (layout.drop_missing && is_incomplete(fields, layout)) {
            ++table.dropped;
            continue;
        }
        // Counts the columns of `values`, where the class and what is ignored have none.
        Index out = 0;
        const auto to = static_cast<Index>(row - table.dropped);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const Column& column = layout.columns[i];
            const Place place{file, line.number, i + 1};
            switch (column.type) {
                case ColumnType::ignored: break;
                case ColumnType::label: table.classes.push_back(code_of(fields[i], column, codes[i], place)); break;
                case ColumnType::number: table.values(to, out++) = number(fields[i], place); break;
                case ColumnType::category: table.values(to, out++) = code_of(fields[i], column, codes[i], place); break;
            }
        }
    }
    if (table.dropped == rows) refuse({file}, "has a missing value in every row");
    table.values.conservativeResize(static_cast<Index>(rows - table.dropped), Eigen::NoChange);
    return table;
}

std::vector<std::size_t> class_counts(const Table& table) {
    std::vector<std::size_t> counts(table.class_names.size(), 0);
    for (const int code : table.classes) ++counts[static_cast<std::size_t>(code)];
    return counts;
}

}  // namespace rfbench::datasets
