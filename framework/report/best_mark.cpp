#include "rfbench/report/best_mark.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace rfbench::report {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double value_of(const Entry& entry) {
    if (const auto* number = std::get_if<double>(&entry)) return *number;
    if (const auto* estimate = std::get_if<Estimate>(&entry)) return estimate->value;
    return no_number;
}

/// The word by which a row is not compared.
std::optional<std::string> apart_word(const Row& row, const std::vector<std::string>& apart) {
    for (const Entry& entry : row.entries)
        if (const auto* word = std::get_if<std::string>(&entry);
            word != nullptr && std::find(apart.begin(), apart.end(), *word) != apart.end())
            return *word;
    return std::nullopt;
}

void add_mark(Entry& entry) {
    if (const auto* number = std::get_if<double>(&entry)) entry = Estimate{*number, no_number, best_mark};
    auto& estimate = std::get<Estimate>(entry);
    if (estimate.mark.find(best_mark) == std::string::npos)
        estimate.mark = estimate.mark.empty() ? best_mark : estimate.mark + " " + best_mark;
}

/// Marks the best of some rows in one column. Returns whether there was one.
bool mark_group(const std::vector<Row*>& rows, std::size_t column, Best best) {
    double found = no_number;
    std::size_t numbers = 0;
    for (const Row* row : rows) {
        // The best may lie anywhere below an upper limit.
        if (std::holds_alternative<Below>(row->entries[column])) return false;
        const double value = value_of(row->entries[column]);
        if (std::isnan(value)) continue;
        ++numbers;
        if (std::isnan(found) || (best == Best::least ? value < found : value > found)) found = value;
    }
    if (numbers < 2) return false;
    for (Row* row : rows)
        if (value_of(row->entries[column]) == found) add_mark(row->entries[column]);
    return true;
}

/// Columns by their titles; neighbours by the first and the last of them, since a long list of titles helps nobody.
std::string titles(const Table& table, const std::vector<std::size_t>& columns) {
    if (columns.size() == 1) return table.columns[columns.front()].title;
    if (columns.back() - columns.front() + 1 == columns.size() && columns.size() > 2)
        return fmt::format("each column from '{}' to '{}'", table.columns[columns.front()].title,
                           table.columns[columns.back()].title);
    std::vector<std::string> all;
    for (const std::size_t column : columns) all.push_back("'" + table.columns[column].title + "'");
    return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

std::vector<std::size_t> columns_from(const Table& table, std::size_t first) {
    std::vector<std::size_t> columns(table.columns.size() - std::min(first, table.columns.size()));
    std::iota(columns.begin(), columns.end(), first);
    return columns;
}

std::vector<std::size_t> columns_called(const Table& table, const std::vector<std::string>& titles) {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (std::find(titles.begin(), titles.end(), table.columns[c].title) != titles.end()) columns.push_back(c);
    return columns;
}

void mark_best(Table& table, Best best, const std::vector<std::size_t>& columns,
               const std::vector<std::string>& apart) {
    std::vector<std::vector<Row*>> groups(1);
    std::vector<std::string> left_out;
    for (Row& row : table.rows) {
        if (row.rule_above && !groups.back().empty()) groups.emplace_back();
        const auto word = apart_word(row, apart);
        if (!word)
            groups.back().push_back(&row);
        else if (const std::string quoted = "'" + *word + "'";
                 !word->empty() && std::find(left_out.begin(), left_out.end(), quoted) == left_out.end())
            left_out.push_back(quoted);
    }
    bool any = false;
    for (const std::size_t column : columns)
        for (const auto& group : groups) any = mark_group(group, column, best) || any;
    if (!any) return;
    const std::string end = table.caption.empty() || table.caption.back() == '.' ? "" : ".";
    table.caption += fmt::format("{} {}: {} of {}{}{}.", end, best_mark, best == Best::least ? "least" : "greatest",
                                 titles(table, columns), groups.size() > 1 ? ", in its group" : "",
                                 left_out.empty() ? "" : fmt::format("; left out: {}", fmt::join(left_out, ", ")));
}

}  // namespace rfbench::report
