#include "training/network_budget.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rfbench::experiments {

int steps_within(const SizedNetwork& network, double seconds) {
    return static_cast<int>(std::min(1e6, std::floor(seconds / network.step_seconds)));
}

Beyond beyond(const SizedNetwork& network, const NetworkBudget& budget) {
    const bool slow = steps_within(network, budget.seconds) < budget.min_steps;
    const bool large = network.bytes > budget.bytes;
    if (slow) return large ? Beyond::both : Beyond::time;
    return large ? Beyond::memory : Beyond::none;
}

std::optional<std::size_t> largest_within(const std::vector<SizedNetwork>& networks, const NetworkBudget& budget) {
    std::optional<std::size_t> best;
    const auto size = [&](std::size_t at) { return std::tuple(networks[at].parameters, -networks[at].step_seconds); };
    for (std::size_t i = 0; i < networks.size(); ++i)
        if (beyond(networks[i], budget) == Beyond::none && (!best || size(i) > size(*best))) best = i;
    return best;
}

}  // namespace rfbench::experiments
