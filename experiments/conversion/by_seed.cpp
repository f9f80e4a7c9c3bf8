#include "conversion/by_seed.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::experiments {

BySeed recovered_share(BySeed own, const BySeed& softmax, const BySeed& uniform) {
    for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = softmax[i] == uniform[i] ? std::nan("") : (own[i] - uniform[i]) / (softmax[i] - uniform[i]);
    return own;
}

report::Averages over_seeds(const store::Dataset& data, BySeed values) {
    const auto seed =
        std::find_if(data.axes.begin(), data.axes.end(), [](const store::Axis& axis) { return axis.name == "seed"; });
    return report::average({{*seed}, std::move(values), ""}, "seed");
}

}  // namespace rfbench::experiments
