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
    result.settings = mechanism_settings(*result.info, entry);
    if (!drawable(*result.info, *result.sampling))
        entry.refuse("sampling '" + sampling + "' needs directions, and omega of '" + mechanism + "' is discrete");
    return result;
}

}  // namespace

config::Schema estimators_schema() {
    using namespace config;
    std::vector<KeyRule> keys{
        required("mechanism", one_of(mechanism_names()), "radii and weights"),
        required("sampling", one_of(sampling_names()), "where the projections lie"),
        optional("label", text(), "its name in results and figures; by default 'MECHANISM, SAMPLING'"),
    };
    for (KeyRule& key : parameter_keys()) keys.push_back(std::move(key));
    return list_of(object(std::move(keys)));
}

std::vector<Estimator> estimators(const config::Value& list, Need need) {
    std::vector<Estimator> result;
    for (const config::Value& entry : list.items()) {
        const Estimator next = estimator(entry);
        require(need, entry, *next.info);
        for (const Estimator& earlier : result)
            if (earlier.label == next.label)
                entry.refuse("the label '" + next.label + "' is taken by an earlier estimator; give this one another");
        result.push_back(next);
    }
    return result;
}

void require_dimensions(const config::Value& list, const std::vector<Estimator>& all,
                        const std::vector<double>& dimensions) {
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const double d : dimensions)
            require_dimension(list.items()[i], *all[i].info, all[i].settings, static_cast<Index>(d));
}

store::Axis estimator_axis(const std::vector<Estimator>& all) {
    std::vector<std::string> labels;
    for (const Estimator& one : all) labels.push_back(one.label);
    return {"estimator", labels, "", "a mechanism and how its projections are drawn"};
}

}  // namespace rfbench::experiments
