#pragma once
#include <string>
#include <vector>

#include "study/study.hpp"

namespace rfbench::experiments {

/// One bound of the tail study: a variable of its result, and the counts it bounds.
struct TailBound {
    const char* variable;
    const char* title;
    /// The variable of the event: "exceed" of |K^ - K| >= eps, "above" of K^ > E K^ + eps, "below" of
    /// K^ <= E K^ - eps.
    std::string event;
};
const std::vector<TailBound>& tail_bounds();

/// Figures of the probability of an error against M and, with its bounds, against the error; tables of probabilities
/// and of the points where a bound lies below the measured probability.
Report tail_report(const store::Dataset&);

}  // namespace rfbench::experiments
