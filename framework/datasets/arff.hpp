#pragma once
// ARFF, Weka's text of declared attributes, as UCI and OpenML give it.
#include <string_view>

#include "rfbench/datasets/text_rows.hpp"

namespace rfbench::datasets {

/// Whether the first line that is neither blank nor a comment begins with @relation.
bool is_arff(std::string_view text);

/// Attributes become columns: numeric, real and integer ones numbers, {a, b} nominal, string and date words. Lines that
/// begin with '%' are comments; names and values may stand in single or double quotation marks, a backslash before a
/// mark within. Rows are separated by commas, by blanks where a line has no comma, or sparse, {0 1.5, 3 red}, where
/// what is left out is 0 or the first value declared. An unquoted ? is a missing value.
///
/// Throws DataError "file:row:column: ..." (the column counts fields of a row, words of a declaration) for statements
/// and types that are unknown or relational, names that are there twice, a text without attributes, @data or rows, a
/// value that is not declared, a number that is none, a row of another length, weights of rows, and an index that is no
/// attribute or does not grow.
TextRows arff_rows(std::string_view text, std::string_view file);

}  // namespace rfbench::datasets
