// The positive family: optimal positive features, plain and centred, and the dense mechanisms. Moments by quadrature,
// limits of singular statistics, extremes, precision, refusals.
#include "rfbench/features/mechanisms/dense_exponential.hpp"

#include <cmath>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/theory/special.hpp"
#include "support/decompositions.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

const std::vector<const MechanismInfo*>& family() {
    static const std::vector<const MechanismInfo*> all{&optimal_positive(), &centred_optimal_positive(),
                                                       &dense_asymmetric(), &dense_symmetric(), &dense_centred()};
    return all;
}

/// Two unlike sets: correlated coordinates of different scales, means apart.
struct Sets {
    Points x, y;
};
Sets unlike_sets(Index n, Index d, double scale = 1) {
    const Points mix =
        Points::Identity(d, d) + 0.3 * normal_points(d, d, Stream(3)) / std::sqrt(static_cast<double>(d));
    Sets sets{0.4 * scale * normal_points(n, d, Stream(1)) * mix, 0.25 * scale * normal_points(n, d, Stream(2))};
    sets.x.col(0) *= 1.6;
    sets.y.col(d - 1) *= 1.8;
    sets.x.rowwise() += Vector::LinSpaced(d, 0.1 * scale, 0.3 * scale).transpose();
    sets.y.rowwise() += Vector::LinSpaced(d, 0.2 * scale, -0.1 * scale).transpose();
    return sets;
}

/// The squared norm of m in log E Z^2 = d L + rho |m|^2 - |x - y|^2, read back from the moments.
double squared_displacement(const Moments& moments, double rho, double d) {
    return (moments.log_second_moment - 2 * moments.log_mean - d * theory::gaussian_log_norm(rho)) / rho;
}

// The grid of every sum over omega. The integrands are exp(-c w^2 / 2 + b w), real, with 1 <= c <= 9 for A from 0 to
// -1, and b^2 / c, the log of the second moment of a coordinate, below 20: beyond 16 lies less than 1e-19 of them, and
// a step of h = 1/4 costs exp(-2 pi^2 / (h^2 c)) < 1e-15.
constexpr double reach = 16;
constexpr Index nodes = 129;

}  // namespace

TEST_CASE("Dense moments are those of the features, by quadrature over omega", "[features][dense]") {
    for (const Index d : {1, 2}) {
        const tests::NormalGrid grid = tests::normal_grid(d, reach, nodes);
        const Sets sets = unlike_sets(12, d);
        const Statistics both = features::statistics(sets.x, sets.y);
        for (const MechanismInfo* info : family()) {
            const auto mechanism = fit_with_moments(*info, both, {});
            for (const Index i : {0, 5}) {
                const Vector x = sets.x.row(i).transpose(), y = sets.y.row(i + 1).transpose();
                INFO(info->name << ", d = " << d << ", pair " << i);
                const Vector z = tests::relative_estimates(*mechanism, x, y, grid.omega);
                const Pair pair(x, y);
                const Moments moments = mechanism->moments(pair);
                const double square = std::exp(2 * pair.log_kernel());
                const double second = grid.weight.dot(z.cwiseAbs2());
                CHECK(moments.log_mean == pair.log_kernel());
                // Sums of positive terms: a few hundred ulps.
                CHECK(grid.weight.dot(z) == Approx(1).epsilon(1e-12));
                CHECK(std::exp(moments.log_second_moment) / square == Approx(second).epsilon(1e-12));
                CHECK(std::abs(std::exp(moments.log_variance) / square - (second - 1)) <= 1e-12 * second);
                const auto antithetic = mechanism->covariance(pair, sampling::Coupling::antithetic);
                REQUIRE(antithetic.has_value());
                CHECK(std::abs(antithetic->value() / square - (grid.weight.dot(z.cwiseProduct(z.reverse())) - 1)) <=
                      1e-12 * second);
            }
        }
    }
}

TEST_CASE("Dense estimates in higher dimensions have the stated moments, coordinate by coordinate",
          "[features][dense]") {
    const tests::NormalGrid axis = tests::normal_grid(1, reach, nodes);
    for (const Index d : {4, 8}) {
        Projections omega(d, 100);
        fill_normal(Stream(19).child(static_cast<std::uint64_t>(d)), omega);
        const Sets sets = unlike_sets(30, d, 0.6);
        const Vector x = sets.x.row(0).transpose(), y = sets.y.row(0).transpose();
        for (const MechanismInfo* info : family()) {
            INFO(info->name << ", d = " << d);
            const auto mechanism = fit_with_moments(*info, features::statistics(sets.x, sets.y), {});
            tests::check_product_moments(*mechanism, x, y, omega, axis);
        }
    }
}

TEST_CASE("Orthogonal covariance of the dense family", "[features][dense]") {
    const Index d = 5;
    const Sets sets = unlike_sets(30, d, 0.8);
    const Statistics both = features::statistics(sets.x, sets.y);
    const Vector x = sets.x.row(0).transpose(), y = sets.y.row(0).transpose();
    const Pair pair(x, y);
    const double square = std::exp(2 * pair.log_kernel());

    // ADERF: X = exp(-s - |Tx|^2 - |T^-T y|^2) 1F1(d; d/2; |m|^2/2), T = S^{1/2} by the formula with square roots.
    const auto root = [](const Eigen::MatrixXd& m) -> Eigen::MatrixXd {
        const Eigenpairs of = symmetric_eigenpairs(m);
        return of.with(of.values.cwiseSqrt());
    };
    const Eigen::MatrixXd first = root(both.x.second_moment), back = inverse(first);
    const Eigen::MatrixXd t = root(back * root(first * both.y.second_moment * first) * back);
    const Vector tx = t * x, ty = inverse(t) * y;
    const double log_x = -pair.norms() - tx.squaredNorm() - ty.squaredNorm() +
                         theory::log_hypergeometric_1f1(5, 2.5, (tx + ty).squaredNorm() / 2);
    const auto aderf = fit_with_moments(dense_asymmetric(), both, {});
    // The ridge is 1e-9 of moments whose condition number is below 100.
    CHECK(aderf->covariance(pair, sampling::Coupling::orthogonal)->value() / square ==
          Approx(std::exp(log_x) / square - 1).epsilon(1e-5));
    const double a = std::get<double>(aderf->parameters().at("A"));
    CHECK(squared_displacement(aderf->moments(pair), 1 / (1 - 8 * a), 5) ==
          Approx((tx + ty).squaredNorm()).epsilon(1e-6));

    // Distinct A: no closed form, and none is pretended. Equal A: that of OPRF for the same |x + y|.
    CHECK_FALSE(
        fit_with_moments(dense_symmetric(), both, {})->covariance(pair, sampling::Coupling::orthogonal).has_value());
    CHECK_FALSE(fit_with_moments(dense_centred(), both, {})->covariance(pair, sampling::Coupling::simplex).has_value());
    const auto equal = fit_with_moments(dense_symmetric(), both, {{"A", std::vector<double>(5, -0.2)}});
    const auto plain = fit_with_moments(optimal_positive(), both, {{"A", -0.2}});
    for (const auto coupling : {sampling::Coupling::orthogonal, sampling::Coupling::simplex})
        CHECK(equal->covariance(pair, coupling)->value() ==
              Approx(plain->covariance(pair, coupling)->value()).epsilon(1e-12));
}

TEST_CASE("OPRF variances have full relative precision at any scale", "[features][oprf]") {
    // Var / K^2 = expm1(d L(rho) + rho |x+y|^2), in long double with differences taken before squaring.
    for (const double tiny : {1e-9, 1e-5, 1e-2, 1.0}) {
        Vector x(2), y(2);
        x << 1, -2;
        y << -1 + tiny, 2 + tiny / 2;
        const Pair pair(x, y);
        const double a = -0.01 * tiny;
        const auto mechanism = fit_with_moments(
            optimal_positive(), features::statistics(Points(x.transpose()), Points(y.transpose())), {{"A", a}});
        const long double left = 1 - 8 * static_cast<long double>(a), rho = 1 / left, root = std::sqrt(rho);
        const long double gap = -8 * static_cast<long double>(a) / left / (1 + root);
        const long double exact =
            std::expm1(2 * std::log1p(gap * gap / (2 * root)) + rho * static_cast<long double>(pair.plus));
        const double log_relative = mechanism->moments(pair).log_variance - 2 * pair.log_kernel();
        // A few roundings of numbers up to 64, whose ulp is 7e-15.
        CHECK(std::abs(log_relative - static_cast<double>(std::log(exact))) <= 3e-14);
    }
}

TEST_CASE("Statistics of single pairs give finite and sensible mechanisms", "[features][dense]") {
    for (const Index d : {1, 2, 64})
        for (const double scale : {1e-8, 1.0, 50.0})
            for (const double cosine : {-1.0, -0.3, 0.0, 0.4, 1.0}) {
                if (d == 1 && std::abs(cosine) != 1) continue;
                Vector x = Vector::Zero(d), y = Vector::Zero(d);
                x[0] = scale;
                y[0] = 0.6 * scale * cosine;
                if (d > 1) y[1] = 0.6 * scale * std::sqrt(1 - cosine * cosine);
                const Statistics one = features::statistics(Points(x.transpose()), Points(y.transpose()));
                const Pair pair(x, y);
                double plain = 0;
                for (const MechanismInfo* info : family()) {
                    INFO(info->name << ", d = " << d << ", scale " << scale << ", cosine " << cosine);
                    const auto mechanism = fit_with_moments(*info, one, {});
                    const Moments moments = mechanism->moments(pair);
                    CHECK(std::isfinite(moments.log_second_moment));
                    CHECK_FALSE(std::isnan(moments.log_variance));
                    if (info == &optimal_positive()) plain = moments.log_second_moment;
                    // Every one contains OPRF, up to the ridge (1e-9 of the norms, and its root in unlike directions).
                    CHECK(moments.log_second_moment <= plain + 1e-4 * pair.norms() + 1e-12);
                    const auto map = mechanism->map({normal_points(d, 8, Stream(4)), Vector()});
                    FeatureBlock<double> block;
                    map->evaluate(Side::query, Points(x.transpose()), block);
                    CHECK(block.values.allFinite());
                    CHECK(block.log_scale.allFinite());
                }
                // With one pair the centred features are constants: the estimate is K itself.
                const auto centred = fit_with_moments(dense_centred(), one, {});
                const Vector z = tests::relative_estimates(*centred, x, y, normal_points(d, 8, Stream(4)));
                CHECK((z.array() - 1).abs().maxCoeff() <= 1e-12 * (1 + pair.norms() * 100));
            }
    // Two sets of zeros.
    const Statistics zero = features::statistics(Points::Zero(2, 3), Points::Zero(2, 3));
    const Vector origin = Vector::Zero(3);
    for (const MechanismInfo* info : family()) {
        INFO(info->name);
        CHECK(fit_with_moments(*info, zero, {})->moments(Pair(origin, origin)).log_variance == -INFINITY);
    }
}

TEST_CASE("Dense variances at extremes are finite, in batches as pair by pair", "[features][dense]") {
    for (const Index d : {2, 3, 512})
        for (const double norm : {1e-8, 1.0, 50.0}) {
            Points x = normal_points(6, d, Stream(5)), y = normal_points(5, d, Stream(6));
            x.rowwise().normalize();
            y.rowwise().normalize();
            x *= norm;
            y *= norm;
            y.row(0) = x.row(0) * (1 + 1e-4);
            y.row(1) = -x.row(1) * (1 - 1e-4);
            for (const MechanismInfo* info : family()) {
                INFO(info->name << ", d = " << d << ", norm " << norm);
                const auto mechanism = fit_with_moments(*info, features::statistics(x, y), {});
                Points batch(6, 5);
                mechanism->log_variances(x, y, batch);
                CHECK(batch.allFinite());
                double worst = 0;
                for (Index i = 0; i < 6; ++i)
                    for (Index j = 0; j < 5; ++j) {
                        const double one = mechanism->moments(Pair(x.row(i).data(), y.row(j).data(), d)).log_variance;
                        worst = std::max(worst, std::abs(batch(i, j) - one) / (1 + std::abs(one)));
                    }
                // 1e5 ulps where products cancel (squared_sums.hpp), times T of up to 200 squared against |m|.
                CHECK(worst <= 1e-8);
            }
        }
}

TEST_CASE("Dense variances are finite for any A far below 0", "[features][dense]") {
    const Points x = normal_points(1, 3, Stream(5)), y = normal_points(1, 3, Stream(6));
    const Pair pair(x.row(0).data(), y.row(0).data(), 3);
    for (const double a : {-1e99, -1e101, -1e150, -1e200, -1e300}) {
        // log E Z^2 = d log(1 + 16 A^2 rho) / 2 + rho |x + y|^2 - |x - y|^2, in long double, whose range holds the
        // square; terms below 1000 carry a few ulps.
        const long double wide = a, rho = 1 / (1 - 8 * wide);
        const double expected = static_cast<double>(1.5L * std::log1p(16 * wide * wide * rho)) - pair.minus;
        INFO("A = " << a);
        for (const MechanismInfo* info : family()) {
            INFO(info->name);
            const bool axes = info == &dense_symmetric() || info == &dense_centred();
            Settings settings{{"A", a}};
            if (axes) settings = {{"A", std::vector<double>(3, a)}};
            const auto mechanism = fit_with_moments(*info, features::statistics(x, y), settings);
            Points batch(1, 1);
            mechanism->log_variances(x, y, batch);
            CHECK(mechanism->moments(pair).log_second_moment == Approx(expected).epsilon(1e-14));
            CHECK(batch(0, 0) == Approx(expected).epsilon(1e-14));
        }
    }
}

TEST_CASE("The range of a positive estimate with A < 0 is that of the corrected Theorem 20", "[features][errata]") {
    // (6.45) drops D^2: at x = y = omega = 0, A = -5, d = 2 the estimate is 21, above the printed bound of 1.
    const Vector zero = Vector::Zero(2);
    const Statistics none = features::statistics(Points::Zero(1, 2), Points::Zero(1, 2));
    const auto steep = fit_with_moments(optimal_positive(), none, {{"A", -5.0}});
    CHECK(tests::relative_estimates(*steep, zero, zero, Projections::Zero(2, 1))[0] == Approx(21).epsilon(1e-14));

    // Z <= Zmax = (1-4A)^{d/2} exp(-(1-4A) q/(8A) - s), attained at omega = -sqrt(1-4A) (x+y) / (4A).
    Vector x(2), y(2);
    x << 0.5, -0.25;
    y << 0.25, 0.75;
    const double a = -0.3;
    const auto mechanism = fit_with_moments(optimal_positive(), none, {{"A", a}});
    const Pair pair(x, y);
    const double most = (1 - 4 * a) * std::exp(-(1 - 4 * a) * pair.plus / (8 * a) - pair.norms() - pair.log_kernel());
    const Vector at = -std::sqrt(1 - 4 * a) / (4 * a) * (x + y);
    CHECK(tests::relative_estimates(*mechanism, x, y, Projections(at))[0] == Approx(most).epsilon(1e-13));
    Projections omega(2, 10000);
    fill_normal(Stream(8), omega);
    CHECK(tests::relative_estimates(*mechanism, x, y, 2 * omega).maxCoeff() <= most * (1 + 1e-13));
}

TEST_CASE("The positive family refuses parameters outside its domain", "[features][dense]") {
    const Statistics some = features::statistics(normal_points(5, 3, Stream(1)), normal_points(5, 3, Stream(2)));
    const auto message = [&](const MechanismInfo& info, const Settings& settings) {
        return tests::refusal<std::invalid_argument>([&] { fit_with_moments(info, some, settings); });
    };
    for (const MechanismInfo* info : {&optimal_positive(), &centred_optimal_positive(), &dense_asymmetric()}) {
        CHECK(message(*info, {{"A", 0.125}}).find("'" + info->name + "', parameter 'A': 0.125") != std::string::npos);
        CHECK(message(*info, {{"A", -INFINITY}}).find("below 1/8") != std::string::npos);
        CHECK(message(*info, {{"A", 0.1}}) == "accepted");
    }
    for (const MechanismInfo* info : {&dense_symmetric(), &dense_centred()}) {
        CHECK(message(*info, {{"A", std::vector<double>{0, 0}}}).find("3 numbers") != std::string::npos);
        CHECK(message(*info, {{"A", std::vector<double>{0, 0, 0.2}}}).find("below 1/8") != std::string::npos);
        CHECK(message(*info, {{"A", std::vector<double>{0, 0.1, -3}}}) == "accepted");
    }
    const Settings short_shift{{"shift", std::vector<double>{1}}};
    CHECK(message(centred_optimal_positive(), short_shift).find("3 finite") != std::string::npos);
    // The reported parameters, given back, make the same mechanism.
    for (const MechanismInfo* info : family()) {
        const Settings once = fit_with_moments(*info, some, {})->parameters();
        CHECK(fit_with_moments(*info, some, once)->parameters().size() == once.size());
        CHECK(message(*info, once) == "accepted");
    }
}
