#pragma once
// A configuration that takes no time.
#include <string>

namespace rfbench::tests {

inline const std::string small_gain =
    "experiment: variance\nstudy: gain\ndimensions: [2, 4, 8]\nsquare_sums: {linspace: [1, 100, 5]}\n";

}  // namespace rfbench::tests
