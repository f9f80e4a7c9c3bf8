#pragma once
// LIBSVM's text (svmlight): a row is a number to be predicted, then its entries that are not zero, as index:value.
#include <string_view>

#include "rfbench/datasets/text_rows.hpp"

namespace rfbench::datasets {

/// Whether the first row that has entries is LIBSVM's, and those before it are numbers alone. '#' begins a comment.
bool is_libsvm(std::string_view text);

/// Columns: `target`, then `feature 1` to `feature n`, n the largest index of the file; from `feature 0` where some row
/// has index 0. Numbers alone. A plus sign before the target is taken off, so that +1 and 1 are one class. Throws
/// DataError "file:row:column: ..." for a target, an index or a value that is no finite number, several targets, an
/// index that does not grow within its row, ranking queries (qid), and more than 2^30 numbers with all zeros.
TextRows libsvm_rows(std::string_view text, std::string_view file);

}  // namespace rfbench::datasets
