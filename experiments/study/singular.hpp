#pragma once
// Columns of features that carry nothing, since landmarks coincide or nearly do (RowMap::singular): counted, and shown.
#include <optional>

#include "rfbench/report/table.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Their share in a draw's columns.
store::Variable singular_columns(double share);

/// Shares of each method that has such columns; nothing where none has, or in a file from before they were counted.
std::optional<report::Table> singular_table(const store::Dataset&);

}  // namespace rfbench::experiments
