#pragma once
// Numbers of pages that come from result files. In Markdown they stand between marks, which no reader sees:
//
//     <!-- = training/text: text | softmax | after | 2 -->2.34 ± 0.02<!-- / -->
//
// is the entry of the row `softmax` and the column `after` of the table `text` of the results training/text, to two
// digits after the point; without the last part it is as the table has it. A row that has more words than its first
// entry is named by them: `softmax, 1`. In a table of Markdown, where a bar ends a cell, bars are written as \| in
// marks. A number that no table has is an expression over the file's variables (claims/file_expression.hpp), to three
// significant digits or as many as the last part says:
//
//     <!-- = cost/network: 1e3 * median(seconds[length = 8192; method = relu; batch = 1], repeat) | 2 -->16<!-- / -->
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

struct Mark {
    std::string results = {}, table = {}, row = {}, column = {};
    std::string expression = {};  ///< in the place of table, row and column, which are empty then
    int digits = -1;              ///< after the point, of an expression in all; -1: as in the table, or 3
    std::string shown = {};       ///< what the page has
    std::size_t line = 0;         ///< of the page, from 1
};

/// Marks of a page, in its order. Throws std::invalid_argument, "line 12: ...", for one that is not whole.
std::vector<Mark> marks(std::string_view page);

/// The page with `text_of` each mark in place of what it has.
std::string filled(std::string_view page, const std::function<std::string(const Mark&)>& text_of);

/// The entry that a mark asks for. Throws std::invalid_argument, with the rows or columns there are, where it is not
/// there, and where several rows have its words.
std::string entry_of(const Table&, const Mark&);

}  // namespace rfbench::report
