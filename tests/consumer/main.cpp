// Fits and draws a mechanism through the installed headers, and exits with 0 when its estimate is near the kernel.
#include <cmath>
#include <cstdio>

#include <rfbench/features/catalogue.hpp>

int main() {
    using namespace rfbench;
    const Points x{{0.3, -0.2, 0.1}}, y{{0.1, 0.4, 0.2}};
    const auto mechanism = features::fit(features::find("optimal-positive"), features::statistics(x, y));
    const auto map = mechanism->map(features::draw(*mechanism, 3, 4096, sampling::find("orthogonal"), Stream(1)));
    features::FeatureBlock<double> queries, keys;
    map->evaluate(features::Side::query, x, queries);
    map->evaluate(features::Side::key, y, keys);
    const double estimate = std::exp(features::estimate(queries, keys).log_abs(0, 0));
    const double kernel = std::exp(-0.5 * (x - y).squaredNorm());
    std::printf("estimate %.6f, kernel %.6f\n", estimate, kernel);
    return std::abs(estimate - kernel) < 0.05 ? 0 : 1;
}
