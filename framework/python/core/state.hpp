#pragma once
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "rfbench/attention/feature_sums.hpp"

namespace rfbench::python {

/// State of causal linear attention after the tokens so far, one set of sums a head.
struct State {
    template <class Scalar>
    using Sums = std::vector<attention::FeatureSums<Scalar>>;

    Shape leading;  ///< leading axes of the heads
    std::variant<Sums<float>, Sums<double>> sums;
};

}  // namespace rfbench::python
