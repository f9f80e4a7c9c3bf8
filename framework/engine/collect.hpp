#pragma once
// Stacks the cells of a sweep into one dataset.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/engine/plan.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::engine {

/// The plan's axes followed by the cells' own. Each variable of the cells becomes an array of shape
/// (plan's axes) x (its own axes), filled at the cells' coordinates; NaN where the plan has no cell or the cell failed.
///
/// Attributes: the plan's; experiment, name, config (the resolved YAML), data_hash, schema_version; failed_cells, one
/// key a line, when there are any. Where cells hold another value of one of the plan's attributes (a part of the sweep
/// was computed by an earlier build), the attribute lists the distinct values, one a line. Attributes of the cells that
/// the plan does not have are kept when all cells agree.
///
/// `read` gives the stored dataset of a cell that did not fail; one is held at a time. Throws std::invalid_argument,
/// naming two cells, when they differ in their axes or variables.
store::Dataset collect(const Plan&, const std::vector<bool>& failed,
                       const std::function<store::Dataset(const Cell&)>& read);

}  // namespace rfbench::engine
