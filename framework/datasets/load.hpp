#pragma once
// From checked bytes to a table.
#include <vector>

#include "rfbench/datasets/locate.hpp"
#include "rfbench/datasets/table.hpp"

namespace rfbench::datasets {

/// The data set's rows and classes, from the files that locate() found. A text data set has the columns its manifest
/// entry declares; an IDX one has one number column a pixel, in row-major order, with the grey values 0 .. 255. Throws
/// DataError when the contents do not fit the entry: malformed text (see read_table), another number of rows, other
/// class counts.
Table load(const Entry&, const std::vector<FoundFile>& files);

/// locate() and load() in one.
Table load(const Entry&, const Places&, const Warn& warn);

}  // namespace rfbench::datasets
