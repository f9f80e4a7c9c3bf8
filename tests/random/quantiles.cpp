#include "rfbench/random/quantiles.hpp"

#include <limits>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

// P(X <= k) and P(X > k) for X Poisson, each as a sum of its own positive terms, in long double.
struct Tails {
    long double below, above;
};
Tails poisson_tails(double mean, std::int64_t k) {
    const auto mass = [&](long double j) {
        return std::exp(j * std::log(static_cast<long double>(mean)) - static_cast<long double>(mean) -
                        std::lgamma(j + 1));
    };
    Tails tails{0, 0};
    long double term = k >= 0 ? mass(static_cast<long double>(k)) : 0;
    for (std::int64_t j = k; j >= 0 && term > 1e-25L * tails.below; --j) {
        tails.below += term;
        term *= static_cast<long double>(j) / static_cast<long double>(mean);
    }
    term = mass(static_cast<long double>(k + 1));
    for (std::int64_t j = k + 1; term > 1e-25L * tails.above; ++j) {
        tails.above += term;
        term *= static_cast<long double>(mean) / static_cast<long double>(j + 1);
    }
    return tails;
}

// Is k the quantile of u, up to a relative error of the tail probabilities?
bool is_poisson_quantile(double mean, double u, std::int64_t k, double error) {
    const long double rest = 1 - static_cast<long double>(u);
    if (u < 0.5) {
        const bool reached = poisson_tails(mean, k).below >= u * (1 - error);
        return reached && (k == 0 || poisson_tails(mean, k - 1).below < u * (1 + error));
    }
    const bool reached = poisson_tails(mean, k).above <= rest * (1 + error);
    return reached && (k == 0 || poisson_tails(mean, k - 1).above > rest * (1 - error));
}

constexpr double probabilities[] = {1e-280, 1e-30, 0x1p-53, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 0.9999};

}  // namespace

TEST_CASE("Poisson quantiles are right from 1e-12 to 1e10, into both tails") {
    // The reference loses mean * log(mean) long double ulp in its exponent; our sums lose about a term count of ulp.
    for (const double mean : {1e-12, 1e-6, 0.02, 0.7, 1.0, 5.0, 15.99, 16.01, 100.0, 12345.6, 1e6, 1e10}) {
        const double ours = (20 * std::sqrt(mean) + 60) * std::numeric_limits<double>::epsilon();
        const double theirs = (mean * std::abs(std::log(mean)) + 10) * 0x1p-62;
        const auto check = [&](double u) {
            const std::int64_t k = poisson_quantile(mean, u);
            INFO("mean " << mean << ", u " << u << ", quantile " << k);
            CHECK(is_poisson_quantile(mean, u, k, ours + theirs));
        };
        for (const double u : probabilities) check(u);
        for (const double rest : {1e-6, 1e-12, 0x1p-53}) check(1 - rest);
    }
    CHECK(poisson_quantile(1e-12, 0.5) == 0);
    CHECK(poisson_quantile(1e-12, 1 - 1e-13) == 1);
}

TEST_CASE("the table of Poisson quantiles agrees with single quantiles") {
    Stream stream(31);
    for (const double mean : {1e-9, 0.3, 2.0, 15.0, 40.0, 3000.0}) {
        const PoissonQuantile table(mean);
        for (int i = 0; i < 2000; ++i) {
            const double u = stream.uniform();
            CHECK(table(u) == poisson_quantile(mean, u));
        }
        CHECK(table(0x1p-53) == poisson_quantile(mean, 0x1p-53));
        CHECK(table(1 - 0x1p-53) == poisson_quantile(mean, 1 - 0x1p-53));
    }
}

TEST_CASE("geometric quantiles are right near q = 0 and 1, into both tails") {
    for (const double q : {1e-15, 1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12, 1 - 0x1p-53}) {
        const long double rate = std::log1p(-static_cast<long double>(q));
        for (const double u : probabilities) {
            const std::int64_t k = geometric_quantile(q, u);
            INFO("q " << q << ", u " << u << ", quantile " << k);

            // P(X > k) = exp((k + 1) rate) against 1 - u; both sides in relative terms of 1 - u, plus those of u.
            const long double above = (static_cast<long double>(k) + 1) * rate;
            const long double target = std::log1p(-static_cast<long double>(u));
            const long double slack = 8 * std::numeric_limits<double>::epsilon() * std::abs(target);
            CHECK(above <= target + slack);
            CHECK((k == 0 || above - rate > target - slack));
        }
    }
    CHECK(geometric_quantile(0.5, 0.5) == 0);
    CHECK(geometric_quantile(0.5, 0.75) == 1);
    CHECK(geometric_quantile(0.5, std::nextafter(0.75, 1)) == 2);
    CHECK(geometric_quantile(1e-300, 0.5) == std::int64_t{1} << 62);
}

TEST_CASE("quantiles refuse what is no probability or no parameter") {
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const double u : {0.0, 1.0, -0.1, 1.5, nan}) {
        CHECK_THROWS_AS(poisson_quantile(1, u), std::invalid_argument);
        CHECK_THROWS_AS(PoissonQuantile(1)(u), std::invalid_argument);
        CHECK_THROWS_AS(geometric_quantile(0.5, u), std::invalid_argument);
        CHECK_THROWS_AS(geometric_quantile(u, 0.5), std::invalid_argument);
        CHECK_THROWS_AS(normal_quantile(u), std::invalid_argument);
    }
    for (const double mean : {0.0, -1.0, std::nextafter(1e10, infinity), 1e17, infinity, nan}) {
        CHECK_THROWS_AS(poisson_quantile(mean, 0.5), std::invalid_argument);
        CHECK_THROWS_AS(PoissonQuantile(mean), std::invalid_argument);
    }
    try {
        poisson_quantile(-2.5, 0.5);
    } catch (const std::invalid_argument& error) {
        CHECK(std::string(error.what()) == "poisson_quantile: mean is -2.5, but must be positive and at most 1e10");
    }
}

TEST_CASE("the normal quantile inverts the distribution function") {
    // In relative terms of u: a relative error e of x moves log u by at most (x^2 + 1) e.
    for (double u = 0.5; u > 1e-300; u *= 0.83) {
        const double x = normal_quantile(u);
        const long double back = std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L)) / 2;
        const double error = static_cast<double>(std::abs(back / static_cast<long double>(u) - 1));
        INFO("u = " << u << ", x = " << x);
        CHECK(error <= 2e-15 * (x * x + 1));
        if (u > 1e-3) CHECK(normal_quantile(1 - u) == Approx(-x).epsilon(1e-13));
    }

    // Exactly odd where 1 - u is exact.
    Stream stream(32);
    for (int i = 0; i < 1000; ++i) {
        const double u = stream.uniform();
        CHECK(normal_quantile(1 - u) == -normal_quantile(u));
    }
    CHECK(normal_quantile(0.5) == 0);

    // Subnormal ones, by 40 digits.
    CHECK(normal_quantile(std::numeric_limits<double>::min()) == Approx(-37.5193793471445).epsilon(1e-13));
    CHECK(normal_quantile(1e-310) == Approx(-37.6630603319495).epsilon(1e-13));
    CHECK(normal_quantile(5e-324) == Approx(-38.4674056171443).epsilon(1e-13));
}
