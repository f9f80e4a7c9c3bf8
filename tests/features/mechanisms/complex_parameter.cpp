// Open question 1(a) of the thesis: does a complex A ever have less variance than the real ones? Not at any pair of
// points tried here: the better of the two real optima, t = +1 and t = -1, is the least over the whole half plane.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_optimum.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_variance.hpp"

using namespace rfbench;
using namespace rfbench::features;
using Complex = std::complex<double>;

namespace {

/// The least log(Var / K^2) over complex A off the real axis: a grid over xi = log(1 - 8 Re A) and eta = 8 Im A / (1 -
/// 8 Re A), as wide as the variance is finite, and descents from its best places. The variance is the same at the
/// conjugate.
double least_off_the_axis(double t, double q, Index d) {
    struct Place {
        double value;
        Complex a;
    };
    std::vector<Place> places;
    for (double xi = -2; xi <= 8; xi += 0.25)
        for (double log_eta = -3; log_eta <= 3; log_eta += 0.25) {
            const double left = std::exp(xi);
            const Complex a((1 - left) / 8, left * std::exp(log_eta) / 8);
            places.push_back({GeneralizedExponentialVariance(a, t, d).log_relative(q), a});
        }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.value < b.value; });
    double least = places.front().value;
    for (std::size_t i = 0; i < 8; ++i) least = std::min(least, descend(places[i].a, t, q, d).log_relative);
    return least;
}

}  // namespace

TEST_CASE("No complex A beats the better of the two real optima at any of 60 pairs of points", "[features][gerf]") {
    int pairs = 0;
    for (const Index d : {1, 2, 8, 64})
        for (const double plus : {0.01, 0.5, 4.0, 30.0, 200.0})
            for (const double minus : {0.02, 1.0, 25.0}) {
                ++pairs;
                const double real =
                    std::min(real_optimum(1, plus, d).log_relative, real_optimum(-1, minus, d).log_relative);
                const double off = std::min(least_off_the_axis(1, plus, d), least_off_the_axis(-1, minus, d));
                INFO("d = " << d << ", |x + y|^2 = " << plus << ", |x - y|^2 = " << minus);
                // Descents end on the axis to within their own accuracy, and logarithms have an ulp or two each.
                CHECK(off >= real - 1e-7 * (1 + std::abs(real)));
            }
    CHECK(pairs == 60);
}
