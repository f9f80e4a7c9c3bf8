// Bounds on learned kernels against probabilities and moments that are known exactly: as printed they fail, as
// corrected they hold.
#include "rfbench/theory/learned_bounds.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::theory;

namespace {

/// phi(w) = eta clip(w, -1, 1), x = y: both numbers are eta.
FeatureSize clipped(double eta) { return {eta, eta}; }
double product(double eta, double w) { return std::pow(eta * std::clamp(w, -1.0, 1.0), 2); }

const double within_one = std::erf(std::sqrt(0.5)), density_at_one = std::exp(-0.5) / std::sqrt(2 * M_PI);

/// Mean and variance of clip(w, -1, 1)^2, by parts.
const double clip_mean = 1 - 2 * density_at_one;
const double clip_variance = 3 * within_one - 8 * density_at_one + (1 - within_one) - clip_mean * clip_mean;

/// P(|(1/m) sum (a + w_i)^2 - a^2 - 1| >= eps).
double tail_of_squares(Index count, double a, double error) {
    const double m = static_cast<double>(count), centre = a * a + 1;
    const auto outside = [&](const auto& law) {
        return boost::math::cdf(boost::math::complement(law, m * (centre + error))) +
               (centre > error ? boost::math::cdf(law, m * (centre - error)) : 0.0);
    };
    return a == 0 ? outside(boost::math::chi_squared(m)) : outside(boost::math::non_central_chi_squared(m, m * a * a));
}

/// The greatest constant c for which 2 exp(-c exponent) is not below the probability.
double greatest_constant(double probability, double exponent) { return std::log(2 / probability) / exponent; }

}  // namespace

TEST_CASE("Lemma 9 and Proposition 9 as printed give no Lipschitz constant, as corrected they do (erratum 45)",
          "[theory][errata]") {
    CHECK(clip_variance == Approx(0.163).epsilon(5e-3));
    for (const double eta : {0.1, 1.0, 3.0}) {
        const FeatureSize size = clipped(eta);
        double steepest = 0;
        for (double w = -1.5; w < 1.5; w += 1e-3)
            steepest = std::max(steepest, std::abs(product(eta, w + 1e-3) - product(eta, w)) / 1e-3);
        CHECK(steepest > product_lipschitz_proposition_9(size, size));
        CHECK(steepest <= product_lipschitz(size, size) * (1 + 1e-12));
        // Nearly attained, so nothing smaller holds.
        CHECK(steepest > 0.999 * product_lipschitz(size, size));
    }
    CHECK(product_lipschitz_lemma_9(clipped(0.1), clipped(0.1)) < 0.1 * product_lipschitz(clipped(0.1), clipped(0.1)));
    // Sizes that differ: phi(w, x) = 2 clip(w), phi(w, y) = sin(3 w) / 3.
    CHECK(product_lipschitz({2, 2}, {1.0 / 3, 1}) == Approx(2 + 2.0 / 3));
}

TEST_CASE("Corollary 1 as printed is violated by small features, and (39) by large ones (erratum 45)",
          "[theory][errata]") {
    const boost::math::normal normal;
    for (const double eta : {0.1, 0.3, 1.0, 2.4, 2.5, 4.0}) {
        INFO("eta = " << eta);
        const FeatureSize size = clipped(eta);
        // Half of the range off: clip^2 is at most its mean less a half.
        const double error = 0.5 * eta * eta;
        const double probability = 2 * boost::math::cdf(normal, std::sqrt(clip_mean - 0.5)) - 1;
        CHECK(std::log(probability) <= log_gaussian_concentration(1, error, product_lipschitz(size, size)));
        if (eta < 0.25)
            CHECK(std::log(probability) > log_gaussian_concentration(1, error, product_lipschitz_lemma_9(size, size)));

        const double mean_square = std::pow(eta, 4) * clip_variance / 7;
        CHECK(mean_square <= mean_square_proposition_8(7, product_lipschitz(size, size)));
        CHECK((mean_square > mean_square_39_printed(7, product_lipschitz_proposition_9(size, size))) ==
              (eta * eta > 6.13));
    }
}

TEST_CASE("Proposition 10 and Corollary 2 need centred factors: f1 = f2 = a + w (erratum 46)", "[theory][errata]") {
    // As printed any constant is too large for some offset.
    double least = 1;
    for (const Index m : {16, 64, 256}) {
        const UnboundedFeature f{1, std::sqrt(static_cast<double>(m))};
        const double constant = greatest_constant(tail_of_squares(m, f.mean, 0.9),
                                                  sub_exponential_exponent(m, 0.9, product_scale_proposition_10(f, f)));
        CHECK(constant < least / 3);
        least = constant;
    }
    CHECK(least < 0.01);
    // As corrected 1/8 holds: log E exp(t ((a + w)^2 - a^2 - 1)) <= t^2 (1 + 2 a^2) / (1 - 2 t), so that the tail is
    // below 2 exp(-m eps^2 / (4 + 8 a^2 + 4 eps)), and 4 + 8 a^2 <= 4 S^2 for S = 1 + 2 a.
    for (const Index m : {1, 4, 16, 64})
        for (const double a : {0.0, 0.5, 2.0, 10.0})
            for (const double relative : {0.01, 0.1, 0.5, 1.0, 3.0}) {
                INFO("m = " << m << ", a = " << a << ", eps / S = " << relative);
                const UnboundedFeature f{1, a};
                const double scale = product_scale(f, f), error = relative * scale;
                const double bound = 2 * std::exp(-sub_exponential_exponent(m, error, scale) / 8);
                CHECK(tail_of_squares(m, a, error) <= bound * (1 + 1e-10));
            }
}

TEST_CASE("(42) as printed is linear where tails are Gaussian (erratum 45)", "[theory][errata]") {
    // phi = w = relu(w) - relu(-w), L = 1: errors of a few standard deviations, sqrt(2 / m).
    double last = 1;
    for (const Index m : {100, 400, 1600, 6400}) {
        const double error = 3 * std::sqrt(2 / static_cast<double>(m)), probability = tail_of_squares(m, 0, error);
        const double printed = greatest_constant(probability, exponent_42_printed(m, error, 1));
        CHECK(printed < 0.6 * last);
        last = printed;
        CHECK(greatest_constant(probability, sub_exponential_exponent(m, error, 1)) > 0.2);
    }
    // And in the features' size: with L all errors grow as L^2, which only the corrected exponent knows.
    CHECK(sub_exponential_exponent(9, 4 * 0.3, 2 * 2) == Approx(sub_exponential_exponent(9, 0.3, 1)));
    CHECK(exponent_42_printed(9, 0.25 * 0.3, 0.5) < 0.6 * exponent_42_printed(9, 0.3, 1));
}

TEST_CASE("Proposition 11 as printed has a norm that w itself exceeds, as corrected it is attained (erratum 53)",
          "[theory][errata]") {
    // f1 = f2 = a + w: E exp((a + w)^2 / K) = (1 - 2/K)^(-1/2) exp(a^2 / (K - 2)).
    for (const double a : {0.0, 0.5, 3.0}) {
        INFO("mean " << a);
        double low = 2, high = 1000;
        while (high - low > 1e-12 * high) {
            const double k = (low + high) / 2;
            (std::exp(a * a / (k - 2)) / std::sqrt(1 - 2 / k) <= 2 ? high : low) = k;
        }
        const UnboundedFeature feature{1, a};
        CHECK(high > product_norm_proposition_11(feature, feature));
        CHECK(high <= product_norm(feature, feature) * (1 + 1e-9));
        if (a == 0) CHECK(high == Approx(8.0 / 3).epsilon(1e-9));
    }
    CHECK(product_norm({1, 0}, {1, 0}) == Approx(8.0 / 3));
    // A constant c: exp(c^2 / K) = 2.
    CHECK(product_norm({0, 2}, {0, -2}) == Approx(4 / std::log(2.0)));
}

TEST_CASE("(26) to (29) as printed miss what is outside of A, as corrected they do not (erratum 52)",
          "[theory][errata]") {
    // psi = 1, and psi_NN = 1 in A, -1 outside of it: |psi - psi_NN|^2 = 4 there.
    const Parametrization outside{0, 1, 1, 1, 0.2};
    CHECK(4 * 0.2 > 1.9 * parametrization_square_printed(outside));
    CHECK(4 * 0.2 == Approx(parametrization_square(outside)));
    // psi = psi_NN = 1 and h = 1/10: clipped at sup |h psi| the network is 1/10 everywhere.
    CHECK(std::pow(0.1 * (1 - 0.1), 2) > parametrization_square_printed({0, 0.1, 1, 1, 0}));
    // (24) for phi = (1, 0), phi_NN = (1 + delta, 0): |1 - (1 + delta)^2| = 2 delta + delta^2.
    CHECK(parametrization_error(0.25, 1) == Approx(2 * 0.5 + 0.25));
}
