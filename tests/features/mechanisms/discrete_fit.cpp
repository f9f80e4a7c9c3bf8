// Choices of the discrete mechanisms: their parameters are minimisers, the optimal law beats the others, the closed
// form for Gaussian coordinates holds, and the printed forms of the thesis (6.20, the shift) fail where ours do not.
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/features/mechanisms/discrete_mechanism.hpp"
#include "rfbench/features/mechanisms/law_parameters.hpp"
#include "rfbench/features/mechanisms/tabulated_law.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

double real_parameter(const MechanismWithMoments& mechanism, const char* name) {
    return std::get<double>(mechanism.parameters().at(name));
}

Points row(const Vector& x) { return Points(x.transpose()); }

double log_second_moment(const MechanismInfo& info, const Vector& x, const Vector& y, const Settings& settings = {}) {
    return fit_with_moments(info, features::statistics(row(x), row(y)), settings)
        ->moments(Pair(x, y))
        .log_second_moment;
}

double mean_log_variance(const MechanismWithMoments& mechanism, const Points& x, const Points& y) {
    Points out(x.rows(), y.rows());
    mechanism.log_variances(x, y, out);
    return out.mean();
}

/// log of the mean of E Z^2 over all pairs.
double log_mean_second_moment(const MechanismWithMoments& mechanism, const Points& x, const Points& y) {
    Points logs(x.rows(), y.rows());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j)
            logs(i, j) = mechanism.moments(Pair(x.row(i).data(), y.row(j).data(), x.cols())).log_second_moment;
    return logs.maxCoeff() + std::log((logs.array() - logs.maxCoeff()).exp().mean());
}

/// The value at which the objective is least among t (1 - step), t, t (1 + step) is t.
bool is_minimiser(const std::function<double(double)>& objective, double t, double step) {
    const double least = objective(t);
    return objective(t * (1 - step)) > least && objective(t * (1 + step)) > least;
}

}  // namespace

TEST_CASE("Parameters of one pair minimise its second moment", "[features][discrete]") {
    for (const Index d : {1, 3, 16})
        for (const double scale : {1e-3, 0.1, 1.0, 3.0, 20.0}) {
            const Vector x = normal_points(d, 1, Stream(1), scale).col(0);
            const Vector y = normal_points(d, 1, Stream(2), scale).col(0);
            INFO("d = " << d << ", scale " << scale);
            const Statistics pair = features::statistics(row(x), row(y));
            // In one dimension Poisson's optimum is exact and all of its variance is gone; elsewhere the step's effect
            // on the log, step^2 / 2 times the curvature, is far above rounding.
            const double lambda = real_parameter(*fit_with_moments(poisson(), pair), "lambda");
            const auto at_lambda = [&](double t) { return log_second_moment(poisson(), x, y, {{"lambda", t}}); };
            CHECK(is_minimiser(at_lambda, lambda, 1e-3));
            const double q = real_parameter(*fit_with_moments(geometric(), pair), "q");
            const auto geometric_at = [&](double r) { return log_second_moment(geometric(), x, y, {{"q", 1 - r}}); };
            CHECK(is_minimiser(geometric_at, 1 - q, q < 0.5 ? 0.1 * q : 1e-2));
            const double p = real_parameter(*fit_with_moments(negative_binomial(), pair), "q");
            const auto binomial_at = [&](double t) { return log_second_moment(negative_binomial(), x, y, {{"q", t}}); };
            CHECK(is_minimiser(binomial_at, p, p > 0.5 ? 0.1 * (1 - p) : 1e-2));
        }
}

TEST_CASE("Parameters of sets minimise the statistic forms", "[features][discrete]") {
    const Points x = normal_points(40, 5, Stream(3), 0.9), y = normal_points(25, 5, Stream(4), 0.6);
    const Statistics both = features::statistics(x, y);
    double products = 0;
    Vector absolute(5);
    for (Index l = 0; l < 5; ++l) {
        products += x.col(l).squaredNorm() / 40 * y.col(l).squaredNorm() / 25;
        absolute[l] = x.col(l).cwiseAbs().mean() * y.col(l).cwiseAbs().mean();
    }
    CHECK(real_parameter(*fit_with_moments(poisson(), both), "lambda") ==
          Approx(std::sqrt(products / 5)).epsilon(1e-14));
    CHECK(is_minimiser(
        [&](double q) {
            double sum = 0;
            for (const double v : absolute)
                sum += -std::log(q) + std::log(boost::math::cyl_bessel_i(0, 2 * v / std::sqrt(1 - q)));
            return sum;
        },
        real_parameter(*fit_with_moments(geometric(), both), "q"), 1e-4));
}

TEST_CASE("Extreme data leave parameters in their ranges and moments finite", "[features][discrete]") {
    for (const double size : {0.0, 1e-200, 1e-12, 50.0}) {
        const Vector x = Vector::Constant(1, size), y = Vector::Constant(1, -size);
        INFO("size " << size);
        const Statistics pair = features::statistics(row(x), row(y));
        for (const MechanismInfo* info : {&poisson(), &geometric(), &optimal_discrete(), &negative_binomial(),
                                          &poisson_shifted(), &geometric_shifted()}) {
            INFO(info->name);
            const auto mechanism = fit_with_moments(*info, pair);
            for (const auto& [name, value] : mechanism->parameters()) {
                const double* number = std::get_if<double>(&value);
                if (number == nullptr) continue;
                INFO(name << " = " << *number);
                CHECK(*number > 0);
                if (name == "q") CHECK(*number < 1);
            }
            const auto quantile = mechanism->quantile();
            for (const double u : {1e-16, 0.5, 1 - 1e-16}) {
                CHECK(std::isfinite(quantile(0, u)));
                CHECK(quantile(0, u) >= 0);
            }
            CHECK(std::isfinite(mechanism->moments(Pair(x, y)).log_second_moment));
        }
    }
}

TEST_CASE("The optimal law of one pair is Poisson(|x_l y_l|)", "[features][discrete]") {
    for (const double scale : {0.05, 0.5, 2.0}) {
        const Vector x = normal_points(4, 1, Stream(5), scale).col(0), y = normal_points(4, 1, Stream(6), scale).col(0);
        INFO("scale " << scale);
        const Pair pair(x, y);
        const auto mechanism = fit_with_moments(optimal_discrete(), features::statistics(row(x), row(y)));
        const double expected = 2 * x.cwiseProduct(y).cwiseAbs().sum() - pair.norms();
        // The geometric tail costs at most 2^-43 a coordinate.
        const double tolerance = 4 * 1.2e-13 + 1e-14 * (1 + std::abs(expected));
        CHECK(std::abs(mechanism->moments(pair).log_second_moment - expected) <= tolerance);
        const auto means = std::get<std::vector<double>>(mechanism->parameters().at("mean"));
        // The smoothing mass, 1.1e-13, has mean K / 4 or so, K < 60.
        for (Index l = 0; l < 4; ++l)
            CHECK(means[static_cast<std::size_t>(l)] == Approx(std::abs(x[l] * y[l])).margin(1e-11));
    }
}

TEST_CASE("The optimal law of one pair is Poisson, however much larger one point is", "[features][discrete]") {
    for (const auto& [a, b] : std::vector<std::pair<double, double>>{
             {13, 1}, {13, 4}, {30, 20}, {15, 0.5}, {14, 0}, {0, 14}, {200, 1e-3}, {50, 50}}) {
        INFO("x = " << a << ", y = " << b);
        const Vector x = Vector::Constant(1, a), y = Vector::Constant(1, b);
        const Pair pair(x, y);
        const double expected = 2 * a * b - pair.norms();
        // The tail costs 2^-43; terms of the size of 4 (x^2 + y^2) are rounded.
        const double tolerance = 1.2e-13 + 1e-14 * (1 + pair.norms());
        const auto mechanism = fit_with_moments(optimal_discrete(), features::statistics(row(x), row(y)));
        CHECK(std::abs(mechanism->moments(pair).log_second_moment - expected) <= tolerance);
    }
}

TEST_CASE("The optimal law of sets that are far apart has the least mean of E Z^2", "[features][discrete]") {
    const Points x{{13}, {14.5}, {12}}, y{{0.3}, {2}, {-1}};
    const auto best = fit_with_moments(optimal_discrete(), features::statistics(x, y));
    // mean of E Z^2 = (sum_k sqrt(E Poisson(k; x^2) E Poisson(k; y^2)))^2, summed in logs over far more k than count.
    const auto log_moment = [](const Points& points, int k) {
        double sum = 0;
        for (Index i = 0; i < points.rows(); ++i) {
            const double q = points(i, 0) * points(i, 0);
            sum += std::exp(k * std::log(q) - q - std::lgamma(k + 1.0)) / static_cast<double>(points.rows());
        }
        return std::log(sum);
    };
    double root = 0;
    for (int k = 0; k < 120; ++k) root += std::exp(0.5 * (log_moment(x, k) + log_moment(y, k)));
    CHECK(log_mean_second_moment(*best, x, y) == Approx(2 * std::log(root)).epsilon(1e-11));
}

TEST_CASE("A pair of one sign is estimated by the optimal law all but exactly", "[features][discrete]") {
    const Vector x{{0.3, 1.2, 2.0}}, y{{0.5, 0.7, 1.5}};
    const Pair pair(x, y);
    const Moments moments = fit_with_moments(optimal_discrete(), features::statistics(row(x), row(y)))->moments(pair);
    // The rest is the tail's mass: Var / K^2 = sum_l sum_k p_k (r_k - 1)^2 <= 3 m (1 + O(m)).
    const double relative = moments.log_variance + pair.minus;
    CHECK(relative <= std::log(3 * TabulatedLaw::tail_mass) + 1e-3);
}

TEST_CASE("lambda replaces the optimal law by Poisson", "[features][discrete]") {
    const Vector x{{0.7, -0.4}}, y{{0.6, 0.5}};
    const Moments ours = fit_with_moments(optimal_discrete(), features::statistics(row(x), row(y)), {{"lambda", 0.3}})
                             ->moments(Pair(x, y));
    const Moments theirs =
        fit_with_moments(poisson(), features::statistics(row(x), row(y)), {{"lambda", 0.3}})->moments(Pair(x, y));
    CHECK(ours.log_second_moment == Approx(theirs.log_second_moment).margin(1e-11));
    CHECK(ours.log_variance == Approx(theirs.log_variance).margin(1e-11));
}

TEST_CASE("The optimal law beats the others on every pair", "[features][discrete]") {
    for (const Index d : {1, 2, 8})
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const double scale = 0.1 * static_cast<double>(1 + seed);
            const Vector x = normal_points(d, 1, Stream(100 + seed), scale).col(0);
            const Vector y = normal_points(d, 1, Stream(200 + seed)).col(0);
            INFO("d = " << d << ", seed " << seed);
            const double best = log_second_moment(optimal_discrete(), x, y);
            const double slack = 1.2e-13 * static_cast<double>(d) + 1e-14 * (1 + std::abs(best));
            for (const MechanismInfo* info : {&poisson(), &geometric(), &negative_binomial()}) {
                INFO(info->name);
                CHECK(best <= log_second_moment(*info, x, y) + slack);
            }
        }
}

TEST_CASE("The optimal law beats every other on sets with independent coordinates", "[features][discrete]") {
    // All combinations of the values of two coordinates: exactly independent, so that the optimum is exact too.
    const Points values = normal_points(6, 4, Stream(7), 0.8);
    Points x(36, 2), y(36, 2);
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 6; ++j) {
            x.row(6 * i + j) << values(i, 0), 0.3 * values(j, 1);
            y.row(6 * i + j) << 1.5 * values(i, 2), 0.5 + values(j, 3);
        }
    const Statistics both = features::statistics(x, y);
    const double best = log_mean_second_moment(*fit_with_moments(optimal_discrete(), both), x, y);
    for (double t = 0.05; t < 1; t += 0.05) {
        INFO("at " << t);
        CHECK(best < log_mean_second_moment(*fit_with_moments(poisson(), both, {{"lambda", 3 * t}}), x, y));
        CHECK(best < log_mean_second_moment(*fit_with_moments(geometric(), both, {{"q", t}}), x, y));
        CHECK(best < log_mean_second_moment(*fit_with_moments(negative_binomial(), both, {{"q", t}}), x, y));
    }
    // prod_l (sum_k sqrt(a_lk b_lk))^2
    double closed = 0;
    for (std::size_t l = 0; l < 2; ++l) {
        const Vector &a = both.x.log_poisson_moments[l], &b = both.y.log_poisson_moments[l];
        const Index terms = std::min(a.size(), b.size());
        closed += 2 * std::log((0.5 * (a.head(terms) + b.head(terms))).array().exp().sum());
    }
    CHECK(best == Approx(closed).epsilon(1e-12));
}

TEST_CASE("Negative binomial: the closed form for Gaussian coordinates", "[features][discrete]") {
    for (const auto& [sx, sy] : std::vector<std::pair<double, double>>{{0.3, 0.3}, {1.0, 0.5}, {0.2, 1.5}}) {
        INFO("deviations " << sx << ", " << sy);
        const double root = std::sqrt((1 + 2 * sx * sx) * (1 + 2 * sy * sy));
        // E E Z^2 by the trapezoidal rule over +-9 deviations, which is exact to rounding for these integrands.
        const auto mean_at = [&, sx = sx, sy = sy](double q) {
            const auto mechanism =
                fit_with_moments(negative_binomial(), features::statistics(Points{{sx}}, Points{{sy}}), {{"q", q}});
            double sum = 0;
            for (int i = -90; i <= 90; ++i)
                for (int j = -90; j <= 90; ++j) {
                    const Vector x = Vector::Constant(1, 0.1 * i * sx), y = Vector::Constant(1, 0.1 * j * sy);
                    sum += std::exp(mechanism->moments(Pair(x, y)).log_second_moment - 0.005 * (i * i + j * j));
                }
            return sum * 0.01 / (2 * M_PI);
        };
        const double q = 2 * sx * sy / root;
        CHECK(mean_at(q) == Approx(1 / (root - 2 * sx * sy)).epsilon(1e-12));
        CHECK(is_minimiser(mean_at, q, 1e-2));
    }
}

TEST_CASE("(6.20): the printed prefactor gives a worse q", "[features][discrete][errata]") {
    // 24 queries and 6 keys: as printed, (L/L') sum |x| sum |y|, the average is L^2 times too large; with the sums read
    // as means, L/L' = 4 times.
    const Points x = normal_points(24, 6, Stream(8), 0.7), y = normal_points(6, 6, Stream(9), 0.7);
    const Statistics both = features::statistics(x, y);
    const auto ours = fit_with_moments(geometric(), both);
    for (const double prefactor : {4.0, 24.0 * 24.0}) {
        INFO("prefactor " << prefactor);
        const Vector printed = prefactor * both.mean_absolute_product();
        const Probability q = best_probability([&](const Probability& at) {
            double sum = 0;
            for (const double v : printed) {
                const double u = 2 * v / std::sqrt(at.rest);
                sum += -std::log(at.value) +
                       (u < 600 ? std::log(boost::math::cyl_bessel_i(0, u)) : u - 0.5 * std::log(6.28 * u));
            }
            return sum;
        });
        CHECK(mean_log_variance(*fit_with_moments(geometric(), both, {{"q", q.value}}), x, y) >
              mean_log_variance(*ours, x, y) + 0.1);
    }
}

TEST_CASE("6.4.3: the shift is the least over all queries and all keys", "[features][discrete][errata]") {
    // More keys than queries, the least of them last: min_i min(x_i, y_i), as printed, stops at the last query.
    Points x = normal_points(4, 2, Stream(10), 0.5), y = normal_points(9, 2, Stream(11), 0.5);
    y.row(8) << -3, -2.5;
    const Vector printed =
        (x.colwise().minCoeff().cwiseMin(y.topRows(4).colwise().minCoeff()).array() - 1e-8).transpose();
    const auto evaluate = [](const MechanismWithMoments& mechanism, const Points& points) {
        FeatureBlock<double> block;
        mechanism.map(draw(mechanism, 2, 64, sampling::find("iid"), Stream(1)))->evaluate(Side::key, points, block);
        return block.values;
    };
    for (const auto& [plain, shifted] :
         {std::pair{&poisson(), &poisson_shifted()}, std::pair{&geometric(), &geometric_shifted()}}) {
        INFO(shifted->name);
        CHECK((evaluate(*fit_with_moments(*shifted, features::statistics(x, y)), y).array() > 0).all());
        const Points moved_x = x.rowwise() - printed.transpose(), moved_y = y.rowwise() - printed.transpose();
        CHECK((evaluate(*fit_with_moments(*plain, features::statistics(moved_x, moved_y)), moved_y).array() < 0).any());
    }
}

TEST_CASE("Shifted mechanisms are the plain ones on shifted points", "[features][discrete]") {
    const Points x = normal_points(30, 3, Stream(12), 0.5), y = normal_points(20, 3, Stream(13), 0.8);
    for (const auto& [plain, shifted] :
         {std::pair{&poisson(), &poisson_shifted()}, std::pair{&geometric(), &geometric_shifted()}}) {
        for (const double epsilon : {1e-8, 0.25}) {
            INFO(shifted->name << ", epsilon " << epsilon);
            const auto ours = fit_with_moments(*shifted, features::statistics(x, y), {{"epsilon", epsilon}});
            const auto shift = std::get<std::vector<double>>(ours->parameters().at("shift"));
            const Eigen::RowVectorXd c = Eigen::Map<const Eigen::RowVectorXd>(shift.data(), 3);
            const Eigen::RowVectorXd least = x.colwise().minCoeff().cwiseMin(y.colwise().minCoeff());
            CHECK((c - (least.array() - epsilon).matrix()).norm() == 0);
            const Points moved_x = x.rowwise() - c, moved_y = y.rowwise() - c;
            const auto theirs = fit_with_moments(*plain, features::statistics(moved_x, moved_y));
            const char* name = plain == &poisson() ? "lambda" : "q";
            // Brent's parameter is good to half the digits; the moments below are compared at one parameter.
            CHECK(real_parameter(*ours, name) == Approx(real_parameter(*theirs, name)).epsilon(1e-6));
            const auto same =
                fit_with_moments(*plain, features::statistics(moved_x, moved_y), {{name, real_parameter(*ours, name)}});
            for (Index i = 0; i < 20; ++i) {
                const Pair pair(x.row(i).data(), y.row(i).data(), 3);
                const Pair moved(moved_x.row(i).data(), moved_y.row(i).data(), 3);
                CHECK(ours->moments(pair).log_mean == Approx(pair.log_kernel()).epsilon(1e-13));
                CHECK(ours->moments(pair).log_second_moment ==
                      Approx(same->moments(moved).log_second_moment).epsilon(1e-11));
            }
        }
    }
}

TEST_CASE("A point below the shift is estimated as the point moved up to it", "[features][discrete]") {
    const Points x = normal_points(10, 2, Stream(14), 0.5), y = normal_points(10, 2, Stream(15), 0.5);
    const auto mechanism = fit_with_moments(geometric_shifted(), features::statistics(x, y));
    const auto shift = std::get<std::vector<double>>(mechanism->parameters().at("shift"));
    const double epsilon = real_parameter(*mechanism, "epsilon");
    Points low{{-9.0, 0.5}}, moved{{shift[0] + epsilon, 0.5}};
    const auto map = mechanism->map(draw(*mechanism, 2, 16, sampling::find("iid"), Stream(2)));
    FeatureBlock<double> a, b;
    map->evaluate(Side::query, low, a);
    map->evaluate(Side::query, moved, b);
    CHECK((a.values.array() > 0).all());
    // shift + epsilon rounds, by up to 1e-16 of an epsilon of 1e-8, and its power may be high.
    CHECK((a.values - b.values).cwiseAbs().maxCoeff() <= 1e-6);
    CHECK(std::abs(a.log_scale[0] - b.log_scale[0]) <= 1e-6);
}

TEST_CASE("Parameters outside their ranges are refused by name", "[features][discrete]") {
    const Statistics pair = features::statistics(Points{{0.5}}, Points{{0.4}});
    const auto message = [&](const MechanismInfo& info, const Settings& settings) -> std::string {
        return tests::refusal<std::invalid_argument>([&] { (void)fit_with_moments(info, pair, settings); });
    };
    CHECK(message(poisson(), {{"lambda", -0.5}}) == "poisson: lambda = -0.5; it must be finite and above 0");
    CHECK(message(poisson_shifted(), {{"lambda", 0.0}}) ==
          "poisson-shifted: lambda = 0; it must be finite and above 0");
    CHECK(message(geometric(), {{"q", 1.0}}) == "geometric: q = 1; it must be between 0 and 1, both excluded");
    CHECK(message(geometric_shifted(), {{"epsilon", -1.0}}) ==
          "geometric-shifted: epsilon = -1; it must be finite and above 0");
    CHECK(message(negative_binomial(), {{"q", std::nan("")}}) ==
          "negative-binomial: q = nan; it must be between 0 and 1, both excluded");
    CHECK(message(optimal_discrete(), {{"lambda", 1e9}}) ==
          "optimal-discrete: lambda = 1000000000; it must be between 0 and 100000, both excluded");
}
