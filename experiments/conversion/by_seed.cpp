#include "conversion/by_seed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

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

std::string divergence_note(const BySeed& diverged_at, const std::string& method, const std::string& source) {
    const auto diverged =
        std::count_if(diverged_at.begin(), diverged_at.end(), [](double one) { return !std::isnan(one); });
    if (diverged == 0) return {};
    return fmt::format("'{}' on {} diverged for {} of {} teachers, while it was distilled or tuned.", method, source,
                       diverged, diverged_at.size());
}

std::vector<std::string> one_network_notes(const store::Dataset& data) {
    std::vector<std::string> notes;
    const auto sources = data.attributes.find("one_network");
    if (sources == data.attributes.end()) return notes;
    std::istringstream lines(sources->second);
    for (std::string source; std::getline(lines, source);)
        notes.push_back(
            fmt::format("'{}' is one network: its intervals are over draws of features and mini-batches, "
                        "not over networks.",
                        source));
    return notes;
}

}  // namespace rfbench::experiments
