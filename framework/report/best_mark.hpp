#pragma once
// The best value of a column, marked.
#include <string>
#include <vector>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

enum class Best { least, greatest };

inline constexpr const char* best_mark = "†";

/// Marks the best number of each of these columns, within each group of rows where rules divide them; all of those that
/// are equally good. Rows that have a word of `apart` are not compared: references, and numbers of others.
/// The caption says what the mark means. Groups with fewer than two numbers, and with upper limits, have no mark.
void mark_best(Table&, Best, const std::vector<std::size_t>& columns, const std::vector<std::string>& apart = {});

/// Columns `first` and all after it.
std::vector<std::size_t> columns_from(const Table&, std::size_t first);
/// Columns of these titles, as far as there are some.
std::vector<std::size_t> columns_called(const Table&, const std::vector<std::string>& titles);

}  // namespace rfbench::report
