#pragma once
#include "rfbench/features/mechanism.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// The shape of the maps that experiments/learned trained under this label, read from the configuration that the result
/// file holds: settings of the mechanism `luna`, but for the parameters. Throws std::invalid_argument where the file is
/// of another study or nothing was trained under the label.
features::Settings stored_shape(const store::Dataset& file, const std::string& method);

}  // namespace rfbench::experiments
