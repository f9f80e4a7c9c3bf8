#pragma once
// Choice of a network by a budget of time and memory.
#include <cstddef>
#include <optional>
#include <vector>

namespace rfbench::experiments {

/// A network that could be trained, and what one step of it was measured to take.
struct SizedNetwork {
    double parameters;
    double step_seconds;
    double bytes;  ///< held at once
};

struct NetworkBudget {
    double seconds;  ///< of the training
    double bytes;
    int min_steps;  ///< that must fit into the seconds
};

/// Reasons why a network is beyond a budget; results have their numbers.
enum class Beyond { none, time, memory, both };

/// Steps that fit: floor(seconds / step_seconds), at most 1,000,000.
int steps_within(const SizedNetwork&, double seconds);
Beyond beyond(const SizedNetwork&, const NetworkBudget&);
/// The place of the network with the most parameters that is within the budget; of several with as many, that with the
/// shortest step, and then the first. Nothing where all are beyond it.
std::optional<std::size_t> largest_within(const std::vector<SizedNetwork>&, const NetworkBudget&);

}  // namespace rfbench::experiments
