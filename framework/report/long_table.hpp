#pragma once
// A dataset as a tidy table: a row a value.
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::report {

/// One column of a long table: the labels of an axis, words or numbers, or the values.
struct LongColumn {
    std::string name;
    std::variant<std::vector<double>, std::vector<std::string>> entries;  ///< NaN, or empty, where it has none
};

/// Columns `variable`, every axis of the variables, and `value`, rows in the order of the file. `variables`: only
/// these; all where it is empty. Values that were not measured (NaN) have rows as well. Throws std::out_of_range, with
/// the names there are, for a variable that is not there.
std::vector<LongColumn> long_table(const store::Dataset&, const std::vector<std::string>& variables);

/// The same as CSV (RFC 4180); numbers read back as the same doubles, NaN is an empty field, infinities are inf.
std::string long_csv(const std::vector<LongColumn>&);

}  // namespace rfbench::report
