// Discrete features: moments by enumeration, laws, optima, zeros and signs.
#include <cmath>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/discrete_mechanism.hpp"
#include "rfbench/features/poisson.hpp"
#include "rfbench/theory/special.hpp"

using namespace rfbench;
using namespace rfbench::features;

namespace {

const char* const unshifted[] = {"poisson", "geometric", "optimal-discrete", "negative-binomial"};

std::unique_ptr<Mechanism> on_pair(const char* name, const Vector& x, const Vector& y, const Settings& settings = {}) {
    return fit(features::find(name), features::statistics(x.transpose(), y.transpose()), settings);
}

const DiscreteMechanism& law_of(const Mechanism& mechanism) { return dynamic_cast<const DiscreteMechanism&>(mechanism); }

}  // namespace

TEST_CASE("Laws sum to one and quantiles invert them", "[discrete]") {
    for (const char* name : unshifted)
        for (const double scale : {0.05, 0.5, 2.0}) {
            INFO(name << ", scale " << scale);
            const auto mechanism = on_pair(name, Vector{{scale}}, Vector{{1.2 * scale}});
            const auto quantile = mechanism->quantile();
            double sum = 0;
            for (double k = 0; k < 2000; ++k) {
                const double p = std::exp(law_of(*mechanism).log_probability(0, k));
                if (p > 1e-9) {
                    CHECK(quantile(0, sum + 1e-3 * p) == k);
                    CHECK(quantile(0, sum + 0.999 * p) == k);
                }
                sum += p;
            }
            CHECK(sum == Approx(1).epsilon(1e-12));
        }
}

TEST_CASE("Mean and second moment by enumeration of all powers", "[discrete]") {
    for (const char* name : unshifted)
        for (const auto& [a, b] : std::vector<std::pair<double, double>>{{0.7, 0.9}, {-0.6, 1.1}, {0.02, -0.03}, {1.8, 1.5}}) {
            // Fitted elsewhere, so that the variance is not at its least.
            const auto mechanism = on_pair(name, Vector{{0.8}}, Vector{{0.6}});
            const Vector x{{a}}, y{{b}};
            const Moments moments = mechanism->moments(Pair(x, y));
            double mean = 0, second = 0;
            for (double k = 0; k < 150; ++k) {
                const double log_p = law_of(*mechanism).log_probability(0, k);
                const double log_term = k * std::log(std::abs(a * b)) - theory::log_gamma(k + 1) - 0.5 * (a * a + b * b);
                const bool odd = std::fmod(k, 2) != 0;
                mean += (a * b < 0 && odd ? -1 : 1) * std::exp(log_term);
                second += std::exp(2 * log_term - log_p);
            }
            INFO(name << ", x = " << a << ", y = " << b);
            CHECK(mean == Approx(std::exp(moments.log_mean)).epsilon(1e-13));
            CHECK(std::log(second) == Approx(moments.log_second_moment).epsilon(1e-12).margin(1e-13));
        }
}

TEST_CASE("Fitted parameters are the minimisers", "[discrete]") {
    const Vector x{{0.9, -0.4, 1.3}}, y{{0.7, 0.8, 0.5}};
    const Pair pair(x, y);
    const std::pair<const char*, const char*> cases[] = {{"poisson", "lambda"}, {"geometric", "q"}, {"negative-binomial", "q"}};
    for (const auto& [name, parameter] : cases) {
        INFO(name);
        const auto best = on_pair(name, x, y);
        const double value = std::get<double>(best->parameters().at(parameter));
        for (const double factor : {0.97, 1.03}) {
            const auto other = on_pair(name, x, y, {{parameter, std::min(value * factor, 0.5 * (1 + value))}});
            CHECK(other->moments(pair).log_second_moment > best->moments(pair).log_second_moment);
        }
    }
}

TEST_CASE("The optimal law has the least second moment, for a pair and on average over sets", "[discrete]") {
    const Vector x{{0.9, -0.4, 1.3}}, y{{0.7, 0.8, 0.5}};
    const Pair pair(x, y);
    const double best = on_pair("optimal-discrete", x, y)->moments(pair).log_second_moment;
    CHECK(best == Approx(2 * x.cwiseProduct(y).cwiseAbs().sum() - pair.norms()).margin(1e-10));
    Projections a(3, 60), b(3, 60);
    fill_normal(Stream(1), a);
    fill_normal(Stream(2), b);
    const Points xs = 0.6 * a.transpose(), ys = (0.4 * b.transpose()).array() + 0.3;
    const Statistics sets = features::statistics(xs, ys);
    const auto mean_second = [&](const Mechanism& mechanism) {
        double sum = 0;
        for (Index i = 0; i < 60; ++i)
            for (Index j = 0; j < 60; ++j)
                sum += std::exp(mechanism.moments(Pair(xs.row(i).data(), ys.row(j).data(), 3)).log_second_moment);
        return sum;
    };
    const double least = mean_second(*fit(features::find("optimal-discrete"), sets));
    for (const char* name : {"poisson", "geometric", "negative-binomial"}) {
        INFO(name);
        CHECK(on_pair(name, x, y)->moments(pair).log_second_moment >= best - 1e-10);
        CHECK(mean_second(*fit(features::find(name), sets)) > least);
    }
}

TEST_CASE("For Gaussian coordinates the negative binomial law has the closed form", "[discrete]") {
    // E over x ~ N(0, sx^2), y ~ N(0, sy^2) of the coordinate's E Z^2, by the trapezoidal rule.
    const double sx = 0.5, sy = 0.4;
    const double root = std::sqrt((1 + 2 * sx * sx) * (1 + 2 * sy * sy));
    const double q = 2 * sx * sy / root;
    const auto mechanism = on_pair("negative-binomial", Vector{{1.0}}, Vector{{1.0}}, {{"q", q}});
    double sum = 0;
    const double step = 0.1;
    for (double u = -8; u <= 8; u += step)
        for (double v = -8; v <= 8; v += step) {
            const Vector x{{sx * u}}, y{{sy * v}};
            const double log_second = mechanism->moments(Pair(x, y)).log_second_moment;
            sum += step * step / (2 * M_PI) * std::exp(-0.5 * (u * u + v * v) + log_second);
        }
    CHECK(sum == Approx(1 / (root - 2 * sx * sy)).epsilon(1e-9));
}

TEST_CASE("Zeros, signs and vanished rows", "[discrete]") {
    const Points xs{{0.5, -0.25}, {0.0, 0.75}, {0.0, 0.0}};
    const auto mechanism = fit(features::find("poisson"), features::statistics(xs, xs), {{"lambda", 0.5}});
    Draw draw;
    draw.omega = Projections{{0, 1, 2, 3}, {0, 0, 1, 3}};
    const auto map = mechanism->map(draw);
    FeatureBlock<double> block;
    map->evaluate(Side::query, xs, block);
    const auto value = [&](Index i, Index m) {
        return block.values(i, m) * std::exp(block.log_scale[i]) * std::sqrt(4.0);  // without the 1/M
    };
    const auto expected = [&](Index i, Index m) {
        double f = std::exp(0.5 * (0.5 * 2 - xs.row(i).squaredNorm()));
        for (Index l = 0; l < 2; ++l) f *= std::pow(xs(i, l), draw.omega(l, m)) * std::pow(0.5, -0.5 * draw.omega(l, m));
        return f;
    };
    for (Index i = 0; i < 3; ++i)
        for (Index m = 0; m < 4; ++m) CHECK(value(i, m) == Approx(expected(i, m)).epsilon(1e-13).margin(1e-300));
    CHECK(block.values(1, 1) == 0);
    CHECK(block.vanished == 0);
    draw.omega = Projections{{1, 2}, {0, 1}};
    mechanism->map(draw)->evaluate(Side::query, xs, block);
    CHECK(block.vanished == 2);
    CHECK(block.log_scale.allFinite());
}

TEST_CASE("Parameters out of range are refused in words", "[discrete]") {
    for (const double q : {0.0, 1.0, -0.5, 2.0})
        CHECK_THROWS_AS(on_pair("geometric", Vector{{1.0}}, Vector{{1.0}}, {{"q", q}}), std::invalid_argument);
    CHECK_THROWS_AS(on_pair("poisson", Vector{{1.0}}, Vector{{1.0}}, {{"lambda", 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(on_pair("poisson-shifted", Vector{{1.0}}, Vector{{1.0}}, {{"epsilon", -1.0}}), std::invalid_argument);
}
