// Declarations of mechanisms (MechanismInfo) agree with their fits.
#include <algorithm>

#include "mechanism_cases.hpp"
#include "rfbench/features/differentiable_map.hpp"

using namespace rfbench;
using namespace rfbench::features;

namespace {

constexpr Index dimension = 3;

/// Maps that are trained are fitted to nothing, and have no values by default.
bool is_untrained(const MechanismInfo& info) {
    return std::all_of(info.parameters.begin(), info.parameters.end(),
                       [](const ParameterInfo& one) { return one.axes.empty(); });
}

/// Sets without a symmetry, of more points than coordinates.
const Points near{{0.3, 0.1, 0.2}, {0.7, -0.2, 0.3}, {0.0, 0.4, -0.6}, {0.9, 0.2, 0.1}, {-0.3, -0.8, 0.5}};
const Points far{{-0.4, 0.9, -0.1}, {0.3, 0.5, 1.7}, {-1.9, 0.0, 0.2}, {0.1, -0.3, 0.3}, {0.6, 0.6, -1.1}};

std::unique_ptr<FeatureMap> map_fitted_to(const MechanismInfo& info, const Points& x, const Points& y,
                                          const Settings& settings) {
    const auto mechanism = fit(info, statistics(x, y, info.poisson_moments), settings);
    return mechanism->map(draw(*mechanism, dimension, 2, sampling::find("iid"), Stream(7)));
}

/// Features of one point, as query and as key.
std::vector<Rows<double>> features_of(const FeatureMap& map) {
    std::vector<Rows<double>> all;
    for (const Side side : {Side::query, Side::key}) {
        FeatureBlock<double> block;
        map.evaluate(side, Points::Constant(1, dimension, 0.3), block);
        all.push_back(block.values);
        all.push_back(block.log_scale);
    }
    return all;
}

/// Settings in which none, one, or all of the parameters that may be given are given.
std::vector<Settings> given(const MechanismInfo& info) {
    Settings all;
    const auto value = [](const ParameterInfo& one) -> std::optional<ParameterValue> {
        if (one.name == "A")
            return one.type == ParameterInfo::Type::complex ? ParameterValue(std::complex<double>(-0.1, 0.02))
                   : one.type == ParameterInfo::Type::list  ? ParameterValue(std::vector<double>{-0.1, -0.2, -0.3})
                                                            : ParameterValue(-0.1);
        if (one.name == "t") return ParameterValue(-1.0);
        if (one.name == "lambda") return ParameterValue(0.7);
        if (one.name == "q") return ParameterValue(0.4);
        if (one.name == "shift") return ParameterValue(std::vector<double>{0.1, -0.2, 0.3});
        if (one.name == "epsilon") return ParameterValue(0.01);
        return std::nullopt;
    };
    std::vector<Settings> result{{}};
    for (const ParameterInfo& one : info.parameters)
        if (const auto some = value(one)) {
            result.push_back({{one.name, *some}});
            all.emplace(one.name, *some);
        }
    result.push_back(all);
    return result;
}

}  // namespace

MECHANISM_TEST_CASE("Features depend on what they are fitted to where `fitted` says so", is_untrained) {
    for (const Settings& settings : given(info)) {
        std::string names;
        for (const auto& [name, value] : settings) names += " " + name;
        INFO("given" << names);
        const bool depends = features_of(*map_fitted_to(info, near, near, settings)) !=
                             features_of(*map_fitted_to(info, far, 0.5 * far, settings));
        const bool fitted_as_declared = info.fitted != nullptr && info.fitted(settings);
        CHECK(depends == fitted_as_declared);
    }
}

MECHANISM_TEST_CASE("Maps have gradients where `differentiable` says so", is_untrained) {
    const bool has_gradients = map_fitted_to(info, near, far, {})->differentiable() != nullptr;
    CHECK(has_gradients == info.differentiable);
}

MECHANISM_TEST_CASE("Exact variances are known under the samplings that `couplings` says", tests::any_mechanism) {
    for (const sampling::Scheme& scheme : sampling::catalogue()) {
        INFO(scheme.name);
        if (!info.has_moments()) {
            CHECK_FALSE(info.has_variance_under(scheme));
            continue;
        }
        // A hybrid has one omega of a kind in a unit by itself; here it has two, which are coupled.
        const Settings settings = info.name == "hybrid" ? Settings{{"M1", 2.0}, {"M2", 2.0}} : Settings{};
        const auto mechanism = fit_with_moments(info, statistics(near, far, info.poisson_moments), settings);
        // Thirteen blocks of three and a draw more.
        const auto variance =
            estimator_log_variance(*mechanism, Pair(near.row(0).data(), far.row(1).data(), dimension), scheme, 40);
        CHECK(variance.has_value() == info.has_variance_under(scheme));
    }
}
