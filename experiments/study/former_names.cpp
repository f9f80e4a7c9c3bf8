#include "study/former_names.hpp"

#include <algorithm>
#include <utility>

namespace rfbench::experiments {
namespace {

using Renamed = std::pair<std::string_view, std::string_view>;  // former, present

constexpr Renamed renamed_studies[] = {
    {"attention/cost", "cost/attention"},
    {"attention/decoding", "cost/decoding"},
    {"conversion/decoding", "cost/network-decoding"},
    {"learned/pixels", "training/pixels"},
    {"training/low-memory", "cost/low-memory"},
    {"training/network-cost", "cost/network"},
};

constexpr Renamed renamed_keys[] = {
    {"beginning", "initial_scale"}, {"longest_gradient", "max_gradient_norm"},
    {"looks", "evaluations"},       {"trial", "trial_share"},
    {"warm", "warmup_steps"},
};

}  // namespace

std::string present_name(std::string_view name) {
    for (const auto& [former, present] : renamed_studies)
        if (name == former) return std::string(present);
    return std::string(name);
}

std::vector<config::KeyRule> former_keys(const std::vector<config::KeyRule>& keys) {
    std::vector<config::KeyRule> refused;
    for (const Renamed& one : renamed_keys)
        if (std::any_of(keys.begin(), keys.end(), [&](const config::KeyRule& key) { return key.name == one.second; }))
            refused.push_back(config::refused_key(std::string(one.first),
                                                  "this key is called '" + std::string(one.second) + "' now"));
    return refused;
}

std::string with_present_keys(std::string_view text) {
    std::string renamed;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n') + 1);
        if (line.empty()) line = text;
        text.remove_prefix(line.size());
        for (const auto& [former, present] : renamed_keys)
            if (line.starts_with(std::string(former) + ":")) {
                renamed += present;
                line.remove_prefix(former.size());
                break;
            }
        renamed += line;
    }
    return renamed;
}

}  // namespace rfbench::experiments
