#include "study/undrawn.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rfbench::experiments {

std::vector<std::string> undrawn(const Study& study, const config::Value& configuration) {
    if (!study.methods.samplings) return {};
    std::vector<std::string> schemes, with_uniforms;
    for (const sampling::Scheme& scheme : sampling::catalogue())
        if (scheme.uniforms) with_uniforms.push_back(scheme.name);
    // Samplings that leave the same methods out share a sentence.
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> found;
    for (const std::string& name : configuration.at("samplings").texts()) {
        std::vector<std::string> left_out;
        for (const MethodChoice& choice : methods(configuration, study.methods))
            if (!is_measured_at(choice, nullptr) && !is_measured_at(choice, &sampling::find(name)))
                left_out.push_back(choice.label);
        if (left_out.empty()) continue;
        if (found.empty() || found.back().second != left_out) found.push_back({{}, left_out});
        found.back().first.push_back(name);
    }
    std::vector<std::string> sentences;
    for (const auto& [samplings, left_out] : found)
        sentences.push_back(
            fmt::format("{} cannot draw {}, whose omega is discrete and is made of uniforms ({} have these)",
                        fmt::join(samplings, ", "), fmt::join(left_out, ", "), fmt::join(with_uniforms, ", ")));
    return sentences;
}

std::vector<std::string> over_budget(const Study& study, const config::Value& configuration) {
    const std::vector<std::string> keys = configuration.keys();
    if (std::ranges::count(keys, "columns") == 0 || std::ranges::count(keys, "methods") == 0) return {};
    const config::Value& columns = configuration.at("columns");
    const Index budget =
        columns.kind() == config::Kind::integer ? columns.integer() : std::ranges::min(columns.integers());
    std::vector<std::string> sentences;
    for (const MethodChoice& choice : methods(configuration, study.methods)) {
        if (choice->mechanism() == nullptr) continue;
        const Index asked = choice.columns_within(budget), own = choice->mechanism()->columns_of_draw();
        if (own > asked)
            sentences.push_back(
                fmt::format("one draw of '{}' has {} real columns, more than the {} asked for: it is "
                            "drawn once where they do not suffice",
                            choice.label, own, asked));
    }
    return sentences;
}

}  // namespace rfbench::experiments
