#include "quasi/estimators.hpp"

namespace rfbench::experiments {
namespace {

std::vector<std::string> sampling_names() {
    std::vector<std::string> names;
    for (const sampling::Scheme& scheme : sampling::catalogue()) names.push_back(scheme.name);
    return names;
}

Estimator estimator(const config::Value& entry) {
    const std::string mechanism = entry.at("mechanism").text(), sampling = entry.at("sampling").text();
    Estimator result{mechanism + ", " + sampling, &features::find(mechanism), &sampling::find(sampling), {}};
    if (entry.has("label")) result.label = entry.at("label").text();
    if (entry.has("set")) result.settings = mechanism_settings(*result.info, entry.at("set"));
    if (!drawable(*result.info, *result.sampling))
        entry.refuse("sampling '" + sampling + "' needs directions, and omega of '" + mechanism + "' is discrete");
    return result;
}

}  // namespace

config::Schema estimators_schema() {
    using namespace config;
    return list_of(object({
        required("mechanism", one_of(mechanism_names()), "radii and weights"),
        required("sampling", one_of(sampling_names()), "where the projections lie"),
        optional("label", text(), "its name in results and figures; by default 'MECHANISM, SAMPLING'"),
        optional("set", map_of(text()), "parameters that are not to be fitted, e.g. {steps: 100}"),
    }));
}

std::vector<Estimator> estimators(const config::Value& list) {
    std::vector<Estimator> result;
    for (const config::Value& entry : list.items()) {
        const Estimator next = estimator(entry);
        for (const Estimator& earlier : result)
            if (earlier.label == next.label)
                entry.refuse("the label '" + next.label + "' is taken by an earlier estimator; give this one another");
        result.push_back(next);
    }
    return result;
}

store::Axis estimator_axis(const std::vector<Estimator>& all) {
    std::vector<std::string> labels;
    for (const Estimator& one : all) labels.push_back(one.label);
    return {"estimator", labels, "", "a mechanism and how its projections are drawn"};
}

}  // namespace rfbench::experiments
