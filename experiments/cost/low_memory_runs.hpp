#pragma once
#include <functional>
#include <string>
#include <vector>

#include "rfbench/networks/sliced_gradient.hpp"

namespace rfbench::experiments {

/// One way to have a gradient.
struct GradientRun {
    std::string way;                 ///< its name in results
    networks::Slicing slicing = {};  ///< 0 tokens: not in slices
    bool alone = false;              ///< of the first slice as a whole sequence
    bool prefix_sums = false;        ///< attention stores all prefix sums (attention/prefix_sums.hpp)
};

/// Ways that are compared, of slices of `tokens` of a sequence of `length`.
std::vector<GradientRun> gradient_runs(Index tokens, Index length);

/// The tokens at a time whose prefix sums a way stores: a slice or the whole sequence; 0 where it stores none.
Index stored_tokens(const GradientRun&, Index length);

/// The same network whose heads store all prefix sums.
networks::Heads with_prefix_sums(const networks::Heads&);

/// Makes the gradient, and says what went through the network.
networks::SlicedWork gradient_of(const GradientRun&, const networks::Transformer&, const networks::Weights<float>&,
                                 const networks::Sequence<float>& text);

}  // namespace rfbench::experiments
