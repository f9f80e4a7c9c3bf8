#include "study/method.hpp"

#include <algorithm>
#include <stdexcept>

#include "methods.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

constexpr Ability every_ability[] = {Ability::kernel,     Ability::moments,      Ability::covariance, Ability::rows,
                                     Ability::row_kernel, Ability::features,     Ability::attention,  Ability::causal,
                                     Ability::layer,      Ability::causal_layer, Ability::found,      Ability::trained,
                                     Ability::prediction, Ability::decoding,     Ability::exact};

}  // namespace

std::string missing_ability_text(Ability what) {
    switch (what) {
        case Ability::kernel: return "estimates no kernel";
        case Ability::moments: return "states no mean and variance of one draw";
        case Ability::covariance: return "states no covariance of orthogonal draws";
        case Ability::rows: return "has no features of rows of any data";
        case Ability::row_kernel: return "estimates no kernel";
        case Ability::features: return "has no feature map that attention could go through";
        case Ability::attention: return "gives no output of attention";
        case Ability::causal: return "has no causal form";
        case Ability::layer: return "is no layer of a network that is trained and whose tokens all see each other";
        case Ability::causal_layer: return "is no layer of a causal network that is trained";
        case Ability::found: return "is not found from the sequences of a head";
        case Ability::trained: return "is not trained on the sequences of a head";
        case Ability::prediction: return "predicts no classes";
        case Ability::decoding: return "has no form that decodes token by token";
        case Ability::exact: return "is not what others estimate";
    }
    return {};
}

const Outputs* Method::outputs_seeing(Visible visible) const {
    const Outputs* const own = outputs();
    if (own && !(visible == Visible::all ? own->attends_to_all() : own->attends_causally())) return nullptr;
    return own;
}

const NetworkLayers* Method::layers_seeing(Visible visible) const {
    const NetworkLayers* const own = layers();
    if (own && !(visible == Visible::all ? own->trains_on_all() : own->trains_causally())) return nullptr;
    return own;
}

bool has(const Method& method, Ability what) {
    const bool kernel = method.estimates_kernel();
    switch (what) {
        case Ability::kernel: return kernel;
        case Ability::moments: return kernel && method.mechanism()->info.has_moments();
        case Ability::covariance:
            return kernel && method.mechanism()->info.has_variance_under(sampling::find("orthogonal"));
        case Ability::rows: return method.row_features();
        case Ability::row_kernel: return method.row_features() && method.row_features()->estimates_kernel();
        case Ability::features: return method.head_features();
        case Ability::attention: return method.outputs_seeing(Visible::all);
        case Ability::causal: return method.outputs_seeing(Visible::causal);
        case Ability::layer: return method.layers_seeing(Visible::all);
        case Ability::causal_layer: return method.layers_seeing(Visible::causal);
        case Ability::found: return method.finder();
        case Ability::trained: return method.finder() && method.finder()->trains();
        case Ability::prediction: return method.predictor();
        case Ability::decoding: return method.decoders();
        case Ability::exact: return method.exact();
    }
    return false;
}

std::set<Ability> abilities_of(const Method& method) {
    std::set<Ability> all;
    for (const Ability one : every_ability)
        if (has(method, one)) all.insert(one);
    return all;
}

std::unique_ptr<features::Mechanism> ChosenMechanism::fit(const features::Statistics& statistics) const {
    return features::fit(info, statistics, settings);
}
std::unique_ptr<features::MechanismWithMoments> ChosenMechanism::fit_with_moments(
    const features::Statistics& statistics) const {
    return features::fit_with_moments(info, statistics, settings);
}
Index ChosenMechanism::columns_of_draw() const {
    // A list among the settings is of the points' dimension.
    Index dimension = 1;
    for (const auto& [name, value] : settings)
        if (const auto* list = std::get_if<std::vector<double>>(&value)) dimension = static_cast<Index>(list->size());
    const Points probe = Points::Constant(1, dimension, 0.5);
    return fit(features::statistics(probe, probe, info.poisson_moments))->columns(1);
}

namespace {

std::vector<MethodInfo>& mutable_catalogue() {
    static std::vector<MethodInfo> all = all_methods();
    return all;
}

}  // namespace

const std::vector<MethodInfo>& method_catalogue() { return mutable_catalogue(); }

void add_method(MethodInfo info) {
    for (const MethodInfo& known : method_catalogue())
        if (known.name == info.name) throw std::invalid_argument("there is a method '" + info.name + "' already");
    if (info.code.empty()) info.code = "unknown";
    mutable_catalogue().push_back(std::move(info));
}

const MethodInfo& find_method(std::string_view name) {
    std::vector<std::string> names;
    for (const MethodInfo& info : method_catalogue()) {
        if (info.name == name) return info;
        names.push_back(info.name);
    }
    throw InputError("there is no method '" + std::string(name) + "'." + did_you_mean(name, names) +
                     " 'rfbench list methods' shows them all.");
}

}  // namespace rfbench::experiments
