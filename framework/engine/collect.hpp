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
/// Attributes: the plan's and its provenance; experiment, name, config (the resolved YAML), data_hash, schema_version;
/// failed_cells, one key a line, when there are any. Where cells hold another value of the provenance (a part of the
/// sweep was computed by an earlier build), the attribute lists the distinct values, one a line. Other attributes of
/// the cells are kept when all cells agree.
///
/// `read` gives the stored dataset of a cell of the plan that is not absent; one is held at a time. Throws
/// std::invalid_argument, naming two cells, when they differ in their axes or variables.
store::Dataset collect(const Plan&, const std::vector<bool>& absent,
                       const std::function<store::Dataset(std::size_t)>& read);

}  // namespace rfbench::engine
