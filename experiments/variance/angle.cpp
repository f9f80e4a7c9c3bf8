// Figures 4.1 and 6.1: variance over the common norm of x and y and the angle between them.
#include <cmath>

#include "choices.hpp"
#include "variance/studies.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("mechanisms", mechanisms_schema(), "what is compared; count defaults to 4 draws"),
        required("norms", numbers(above(0).at_most(50)), "|x| = |y|"),
        required("angles", numbers(between(0, 180)), "angle between x and y, in degrees"),
    };
}

store::Dataset compute(const MechanismChoice& choice, const std::vector<double>& norms,
                       const std::vector<double>& angles) {
    store::Variable log_variance{"log_variance", {"norm", "angle"}, {}, "", "natural log of the estimator's variance"};
    const Index count = choice.count.value_or(4);
    for (const double norm : norms)
        for (const double angle : angles) {
            const double theta = angle * M_PI / 180;
            const Vector x{{norm, 0}};
            const Vector y{{norm * std::cos(theta), norm * std::sin(theta)}};
            const auto statistics = features::statistics(x.transpose(), y.transpose());
            const auto mechanism = features::fit(*choice.info, statistics, choice.settings);
            const auto value =
                features::estimator_log_variance(*mechanism, features::Pair(x, y), sampling::find("iid"), count);
            log_variance.values.push_back(value.value_or(NAN));
        }
    return {{{"norm", norms, "", "|x| = |y|"}, {"angle", angles, "degrees", "angle between x and y"}},
            {log_variance},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto choices = mechanisms(config.at("mechanisms"));
    Sweep sweep;
    sweep.axes = {mechanism_axis(choices)};
    sweep.cells = product_cells(sweep.axes);
    sweep.compute = [choices, norms = config.at("norms").numbers(),
                     angles = config.at("angles").numbers()](const engine::Cell& cell) {
        return compute(choices[cell.coordinates[0]], norms, angles);
    };
    return sweep;
}
