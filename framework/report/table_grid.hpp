#pragma once
// A table as plain texts, before a form escapes and aligns them.
#include <string>
#include <vector>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

struct Grid {
    std::vector<std::string> head;               ///< "time [s]"
    std::vector<std::vector<std::string>> rows;  ///< without line breaks
};

/// Throws what check(Table) throws.
Grid grid(const Table&);

/// Filled with spaces to `width` columns of a terminal.
std::string aligned(const std::string& text, std::size_t width, Alignment);

/// Width of each column: that of its widest text, in columns of a terminal.
std::vector<std::size_t> widths(const Grid&);

/// Line breaks and tabs as single spaces.
std::string in_one_line(std::string text);

}  // namespace rfbench::report
