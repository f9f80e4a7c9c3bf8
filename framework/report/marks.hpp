#pragma once
// Numbers of pages that come from result files. In Markdown they stand between marks, which no reader sees:
//
//     <!-- = training/text: text | softmax | behind | 2 -->2.34 ± 0.02<!-- / -->
//
// is the entry of the row `softmax` and the column `behind` of the table `text` of the results training/text, to two
// digits behind the point; without the last part it is as the table has it. A row that has more words than its first
// entry is named by them: `softmax, 1`. In a table of Markdown, where a bar ends a cell, bars are written as \| in
// marks.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

struct Mark {
    std::string results, table, row, column;
    int digits = -1;    ///< behind the point; -1: as in the table
    std::string shown;  ///< what the page has
    std::size_t line;   ///< of the page, from 1
};

/// Marks of a page, in its order. Throws std::invalid_argument, "line 12: ...", for one that is not whole.
std::vector<Mark> marks(std::string_view page);

/// The page with `text_of` each mark in place of what it has.
std::string filled(std::string_view page, const std::function<std::string(const Mark&)>& text_of);

/// The entry that a mark asks for. Throws std::invalid_argument, with the rows or columns there are, where it is not
/// there.
std::string entry_of(const Table&, const Mark&);

}  // namespace rfbench::report
