// Figure 6.2: how much smaller the variance of optimal positive features is than that of positive ones, against
// |x + y|^2. The ratio depends on |x + y|^2 and d alone.
#include <cmath>

#include "choices.hpp"
#include "variance/studies.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("dimensions", integers(1, 4096), "d"),
        required("square_sums", numbers(above(0).at_most(10000)), "|x + y|^2"),
    };
}

double log_variance(const char* mechanism, const Vector& x) {
    const auto fitted = features::fit(features::find(mechanism), features::statistics(x.transpose(), x.transpose()));
    return fitted->moments(features::Pair(x, x)).log_variance;
}

store::Dataset compute(Index dimension, const std::vector<double>& square_sums) {
    store::Variable log_ratio{"log_ratio", {"square_sum"}, {}, "", "log Var(optimal-positive) / Var(positive)"};
    for (const double q : square_sums) {
        Vector x = Vector::Zero(dimension);
        x[0] = 0.5 * std::sqrt(q);
        log_ratio.values.push_back(log_variance("optimal-positive", x) - log_variance("positive", x));
    }
    return {{{"square_sum", square_sums, "", "|x + y|^2"}}, {log_ratio}, {}};
}

Sweep prepare(const config::Value& config) {
    const auto& dimensions = config.at("dimensions").integers();
    Sweep sweep;
    sweep.axes = {{"dimension", std::vector<double>(dimensions.begin(), dimensions.end()), "", "d"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.compute = [dimensions, square_sums = config.at("square_sums").numbers()](const engine::Cell& cell) {
        return compute(static_cast<Index>(dimensions[cell.coordinates[0]]), square_sums);
    };
    return sweep;
}
