#pragma once
#include <string>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// One way of one network: what was measured, against the tokens of a slice. Seconds are medians over rounds.
struct SliceLine {
    std::vector<double> slices, seconds, low, high, bytes;
};
SliceLine slice_line(const store::Dataset&, const std::string& method, const std::string& network,
                     const std::string& way);

/// A size of a network, such as `length`: every cell of it has that.
double network_value(const store::Dataset&, const char* name, const std::string& method, const std::string& network);

}  // namespace rfbench::experiments
