// The mechanism that docs/adding-a-method.md shows, from the page.
#include <cmath>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench_page_mechanism.hpp"

using namespace rfbench;
using namespace rfbench::features;

TEST_CASE("the mechanism of the page on methods has the moments of its features") {
    const auto fitted = fit_with_moments(hyperbolic(), {});
    const Vector x = Vector{{0.3, -0.8, 0.1}}, y = Vector{{0.5, 0.2, -0.4}};
    const Pair pair(x, y);
    // Z depends on omega by t = omega.u / |u| alone, u = x + y, t ~ N(0, 1). For such an integrand the trapezoidal rule
    // is exact to rounding once the ends are negligible.
    const Vector direction = (x + y).normalized();
    const double step = 1.0 / 16;
    double mean = 0, second = 0;
    for (double t = -16; t <= 16; t += step) {
        const auto map = fitted->map({Projections(t * direction), {}});
        REQUIRE(map->columns() == fitted->columns(1));
        REQUIRE((map->differentiable() != nullptr) == hyperbolic().differentiable);
        FeatureBlock<double> queries, keys;
        map->evaluate(Side::query, RowsView<double>(Rows<double>(x.transpose())), queries);
        map->evaluate(Side::key, RowsView<double>(Rows<double>(y.transpose())), keys);
        const double z = std::exp(estimate(queries, keys).log_abs(0, 0));
        const double weight = step * std::exp(-0.5 * t * t) / std::sqrt(2 * M_PI);
        mean += weight * z;
        second += weight * z * z;
    }
    const Moments moments = fitted->moments(pair);
    CHECK(mean == Approx(std::exp(moments.log_mean)).epsilon(1e-12));
    CHECK(moments.log_mean == Approx(pair.log_kernel()).epsilon(1e-14));
    CHECK(second == Approx(std::exp(moments.log_second_moment)).epsilon(1e-12));
    // Both are of order 1, so that their difference has as many digits.
    CHECK(second - mean * mean == Approx(std::exp(moments.log_variance)).margin(1e-12));
}
