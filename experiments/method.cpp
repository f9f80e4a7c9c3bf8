#include "method.hpp"

#include <algorithm>
#include <stdexcept>

#include "methods.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::experiments {
namespace {

/// Studies ask can() before: to come here is a mistake of the program, and none of the user's.
[[noreturn]] void lacks(Ability what) { throw std::logic_error("a method that " + lack_of(what) + " was asked to"); }

constexpr Ability every_ability[] = {
    Ability::kernel,    Ability::moments,    Ability::covariance, Ability::rows,         Ability::features,
    Ability::attention, Ability::causal,     Ability::layer,      Ability::causal_layer, Ability::found,
    Ability::trained,   Ability::prediction, Ability::exact};

}  // namespace

std::string lack_of(Ability what) {
    switch (what) {
        case Ability::kernel: return "estimates no kernel";
        case Ability::moments: return "states no mean and variance of one draw";
        case Ability::covariance: return "states no covariance of orthogonal draws";
        case Ability::rows: return "has no features of rows of any data";
        case Ability::features: return "has no feature map that attention could go through";
        case Ability::attention: return "gives no output of attention";
        case Ability::causal: return "has no causal form";
        case Ability::layer: return "is no layer of a network that is trained";
        case Ability::causal_layer: return "is no layer of a causal network that is trained";
        case Ability::found: return "is not found from the sequences of a head";
        case Ability::trained: return "is not trained on the sequences of a head";
        case Ability::prediction: return "predicts no classes";
        case Ability::exact: return "is not what others estimate";
    }
    return {};
}

std::set<Ability> abilities_of(const Method& method) {
    std::set<Ability> all;
    for (const Ability one : every_ability)
        if (method.can(one)) all.insert(one);
    return all;
}

std::unique_ptr<features::Mechanism> Method::fit(const features::Statistics&) const { lacks(Ability::rows); }
std::unique_ptr<features::MechanismWithMoments> Method::fit_with_moments(const features::Statistics&) const {
    lacks(Ability::moments);
}
Drawing Method::features(const PointsView&, const PointsView&) const { lacks(Ability::features); }
std::unique_ptr<attention::Method> Method::attention(const AttentionSize&, const sampling::Scheme&,
                                                     const Stream&) const {
    lacks(Ability::attention);
}
std::shared_ptr<const training::HeadAttention> Method::layer(const AttentionSize&, const sampling::Scheme&,
                                                             const Stream&) const {
    lacks(Ability::layer);
}
training::TrainedPoints Method::find(const HeadProblem&, Index, const sampling::Scheme&, const Stream&) const {
    lacks(Ability::found);
}
std::vector<regression::Predictions> Method::predict(const regression::ClassifiedRows&, const Points&,
                                                     const std::vector<double>&) const {
    lacks(Ability::prediction);
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
