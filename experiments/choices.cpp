#include "choices.hpp"

#include <algorithm>
#include <stdexcept>

namespace rfbench::experiments {
std::vector<std::string> mechanism_names() {
    std::vector<std::string> names;
    for (const features::MechanismInfo& info : features::catalogue()) names.push_back(info.name);
    return names;
}

namespace {

MechanismChoice choice(const config::Value& entry) {
    if (entry.kind() == config::Kind::text) return {entry.text(), &features::find(entry.text()), {}, {}};
    MechanismChoice result;
    result.info = &features::find(entry.at("name").text());
    result.label = entry.has("label") ? entry.at("label").text() : result.info->name;
    if (entry.has("count")) result.count = static_cast<Index>(entry.at("count").integer());
    if (entry.has("set")) result.settings = mechanism_settings(*result.info, entry.at("set"));
    return result;
}

}  // namespace

features::Settings mechanism_settings(const features::MechanismInfo& info, const config::Value& set) {
    features::Settings settings;
    for (const std::string& key : set.keys()) {
        const config::Value& value = set.at(key);
        try {
            settings.insert(features::parse_setting(info, key + "=" + value.text()));
        } catch (const std::invalid_argument& error) {
            value.refuse(error.what());
        }
    }
    return settings;
}

config::Schema mechanisms_schema() {
    using namespace config;
    const Schema full = object({
        required("name", one_of(mechanism_names()), "the mechanism"),
        optional("label", text(), "its name in results and figures, when it is listed twice"),
        optional("count", integer(1, 1'000'000), "draws M of omega; by default what the study's cost allows"),
        optional("set", map_of(text()), "parameters that are not to be fitted, e.g. {A: -0.1}"),
    });
    return list_of(any_of({one_of(mechanism_names()), full}));
}

std::vector<MechanismChoice> mechanisms(const config::Value& list) {
    std::vector<MechanismChoice> result;
    for (const config::Value& entry : list.items()) {
        const MechanismChoice next = choice(entry);
        for (const MechanismChoice& earlier : result)
            if (earlier.label == next.label)
                entry.refuse("the label '" + next.label + "' is taken by an earlier mechanism; give this one another");
        result.push_back(next);
    }
    return result;
}

store::Axis mechanism_axis(const std::vector<MechanismChoice>& choices) {
    std::vector<std::string> labels;
    for (const MechanismChoice& choice : choices) labels.push_back(choice.label);
    return {"mechanism", labels, "", "random-feature mechanism"};
}

config::Schema samplings_schema() {
    std::vector<std::string> names;
    for (const sampling::Scheme& scheme : sampling::catalogue()) names.push_back(scheme.name);
    return config::one_or_more(config::one_of(names));
}

std::vector<const sampling::Scheme*> samplings(const config::Value& list) {
    std::vector<const sampling::Scheme*> result;
    for (const std::string& name : list.texts()) result.push_back(&sampling::find(name));
    return result;
}

store::Axis sampling_axis(const std::vector<const sampling::Scheme*>& schemes) {
    std::vector<std::string> labels;
    for (const sampling::Scheme* scheme : schemes) labels.push_back(scheme->name);
    return {"sampling", labels, "", "how the projections are drawn"};
}

Index count_for_cost(const features::Mechanism& mechanism, Index real_columns) {
    return std::max<Index>(1, real_columns / mechanism.columns(1));
}

}  // namespace rfbench::experiments
