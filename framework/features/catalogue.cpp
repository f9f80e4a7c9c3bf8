#include "rfbench/features/catalogue.hpp"

#include <algorithm>

#include "rfbench/errors.hpp"
#include "rfbench/features/established_names.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::features {

namespace {

std::vector<MechanismInfo>& mutable_catalogue() {
    static std::vector<MechanismInfo> mechanisms{
        trigonometric(),
        cosine_phase(),
        positive(),
        regularized(),
        hybrid(),
        generalized_exponential(),
        optimal_positive(),
        centred_optimal_positive(),
        poisson(),
        geometric(),
        poisson_shifted(),
        geometric_shifted(),
        optimal_discrete(),
        negative_binomial(),
        dense_asymmetric(),
        dense_symmetric(),
        dense_centred(),
        positive_fixed(),
        positive_weighted(),
        discrete_cosine(),
        learned_points(),
        luna(),
    };
    return mechanisms;
}

}  // namespace

const std::vector<MechanismInfo>& catalogue() { return mutable_catalogue(); }

void add_mechanism(MechanismInfo info) {
    for (const MechanismInfo& known : catalogue())
        if (known.name == info.name) throw InputError("there is a mechanism '" + info.name + "' already");
    mutable_catalogue().push_back(std::move(info));
}

bool MechanismInfo::has_variance_under(const sampling::Scheme& scheme) const {
    if (!has_moments() || !scheme.exact_marginals) return false;
    return scheme.coupling == sampling::Coupling::independent ||
           std::find(couplings.begin(), couplings.end(), scheme.coupling) != couplings.end();
}

bool is_named_by_a_paper(const MechanismInfo& info) { return info.paper_name != "ours" && info.paper_name != "yours"; }

const MechanismInfo& find(std::string_view name) {
    std::vector<std::string> names;
    for (const MechanismInfo& info : catalogue()) {
        if (info.name == name) return info;
        names.push_back(info.name);
    }
    for (const MechanismInfo& info : catalogue())
        if (info.paper_name == name && is_named_by_a_paper(info))
            throw InputError("mechanism '" + std::string(name) + "' of the papers is called '" + info.name + "' here.");
    if (const EstablishedName* known = established_name(name))
        throw InputError("'" + known->name + "' of the papers is called '" + known->mechanism +
                         "' here, under the sampling '" + known->sampling + "'.");
    throw InputError("there is no mechanism '" + std::string(name) + "'." + did_you_mean(name, names) +
                     " 'rfbench list mechanisms' shows them all.");
}

}  // namespace rfbench::features
