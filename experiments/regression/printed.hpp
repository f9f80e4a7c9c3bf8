#pragma once
#include <optional>
#include <string>

namespace rfbench::experiments {

/// Test accuracy in % as printed in Likhosherstov 2022: Table 6.2 for iid and orthogonal sampling of the mechanisms it
/// has, Table 6.3 for the others (sampling iid). Nothing where neither table has a value.
std::optional<double> printed_accuracy(const std::string& dataset, const std::string& mechanism,
                                       const std::string& sampling);

}  // namespace rfbench::experiments
