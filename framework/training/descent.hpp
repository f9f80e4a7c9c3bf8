#pragma once
#include <functional>
#include <stdexcept>
#include <vector>

#include "rfbench/random/stream.hpp"

namespace rfbench::training {

/// Descent by Adam over mini-batches.
struct Descent {
    int steps = 500;      ///< mini-batches, at least 1
    int batch = 16;       ///< examples a mini-batch, at least 1
    double rate = 0.005;  ///< above 0; it falls to 0 along half a cosine
    double max_norm = 1;  ///< maximum gradient norm, above 0: larger gradients are scaled to it; infinity: no clipping
};

/// Throws std::invalid_argument naming the field, its value and its range.
void check(const Descent&);

/// The loss of one example; its gradient is added to `gradient`. Called by several threads at once.
using ExampleLoss = std::function<double(const Vector& parameters, Index example, Vector& gradient)>;

/// Result of a descent.
struct DescentResult {
    Vector parameters;           ///< after the last step
    std::vector<double> losses;  ///< mean of each step's mini-batch, before the step
};

/// A loss or a gradient is not finite.
struct NotFinite : std::domain_error {
    /// At this step.
    explicit NotFinite(int at);

    int step;  ///< from 0
};

/// Minimises the mean loss of examples 0 .. examples - 1 from `start`. A batch's examples share the threads of the
/// surrounding OpenMP settings, and their gradients are added in the batch's order: the bits depend on the stream and
/// the examples alone. Throws std::invalid_argument as check() does, NotFinite, and what `loss` throws for the first
/// example of a batch that fails.
DescentResult descend(const Vector& start, Index examples, const ExampleLoss& loss, const Descent&, const Stream&);

}  // namespace rfbench::training
