#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
// Generalized exponential features: moments by quadrature, the special cases A = 0, refusals.

#include <cmath>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;
using Complex = std::complex<double>;

namespace {

/// The mechanism for one pair, with whatever is set.
std::unique_ptr<MechanismWithMoments> fitted(const Vector& x, const Vector& y, const Settings& settings) {
    return fit_with_moments(generalized_exponential(),
                            features::statistics(Points(x.transpose()), Points(y.transpose())), settings);
}

Vector along(Index d, double first, double last) {
    Vector x = Vector::Zero(d);
    x[0] = first;
    x[d - 1] += last;
    return x;
}

struct Choice {
    Complex a;
    double t;
};
const std::vector<Choice> choices{{0.0, 1},          {0.0, -1},         {-0.3, 1},          {-0.3, -1},
                                  {0.05, 1},         {0.05, -1},        {{-0.06, 0.12}, 1}, {{-0.06, 0.12}, -1},
                                  {{-0.5, -0.4}, 1}, {{-0.5, 0.4}, -1}, {{0.03, -0.3}, 1},  {{0.03, 0.3}, -1}};

// The grid of every sum over omega. The integrands are exp(-c w^2 / 2 + b w) with Re c >= 0.6, |b| <= 7.1 and |b|
// <= 3.4 where Re c is least. Beyond 18 lie 1e-19 of them. A step of h costs exp(-xi^2 Re(1/c) / 2 + xi |Im(b/c)|) at
// xi = 2 pi / h = 48.9, and a Re(1/c) of at least 0.12 with a b/c of at most 1.84: below 1e-22.
constexpr double reach = 18;
constexpr Index nodes = 281;

}  // namespace

TEST_CASE("GERF moments are those of the features, by quadrature over omega", "[features][gerf]") {
    for (const Index d : {1, 2}) {
        const tests::NormalGrid grid = tests::normal_grid(d, reach, nodes);
        for (const Choice& choice : choices)
            for (const auto& [x, y] :
                 {std::pair{along(d, 0.5, 0.2), along(d, 0.3, -0.7)}, {along(d, 1.0, -0.4), along(d, 0.9, 0.1)}}) {
                INFO("d = " << d << ", A = " << choice.a << ", t = " << choice.t << ", x = " << x.transpose());
                const auto mechanism = fitted(x, y, {{"A", choice.a}, {"t", choice.t}});
                const Vector z = tests::relative_estimates(*mechanism, x, y, grid.omega);
                const Pair pair(x, y);
                const Moments moments = mechanism->moments(pair);
                const double square = std::exp(2 * moments.log_mean);
                const double mean = grid.weight.dot(z), second = grid.weight.dot(z.cwiseAbs2());
                const double size = grid.weight.dot(z.cwiseAbs2()) + 1;
                // Sums of 8e4 terms of either sign: a few thousand ulps of the sum of sizes.
                CHECK(std::abs(mean - 1) <= 1e-12 * size);
                CHECK(std::exp(moments.log_second_moment) / square == Approx(second).epsilon(1e-12));
                const double variance = std::exp(moments.log_variance) / square;
                CHECK(variance == Approx(second - 1).epsilon(1e-11).margin(1e-12 * size));
                const auto antithetic = mechanism->covariance(pair, sampling::Coupling::antithetic);
                REQUIRE(antithetic.has_value());
                const double product = grid.weight.dot(z.cwiseProduct(z.reverse()));
                CHECK(std::abs(antithetic->value() / square - (product - 1)) <= 1e-11 * size);
            }
    }
}

TEST_CASE("GERF estimates in higher dimensions have the stated moments, coordinate by coordinate", "[features][gerf]") {
    const tests::NormalGrid axis = tests::normal_grid(1, reach, nodes);
    for (const Index d : {4, 8}) {
        Projections omega(d, 100);
        fill_normal(Stream(17).child(static_cast<std::uint64_t>(d)), omega);
        const Vector x = along(d, 0.3, 0.15), y = along(d, 0.2, -0.25);
        for (const Choice& choice : choices) {
            INFO("d = " << d << ", A = " << choice.a << ", t = " << choice.t);
            const auto mechanism = fitted(x, y, {{"A", choice.a}, {"t", choice.t}});
            tests::check_product_moments(*mechanism, x, y, omega, axis);
        }
    }
}

TEST_CASE("Squared features: (6.35) and (6.39) as printed fail, as corrected hold", "[features][gerf][errata]") {
    // f^2 has the parameters 2A, 2B, 2C and D^2, where (6.35) prints 2D; E |f1 f2|^2 has t(2 - 8 Re A), where (6.39)
    // prints s for t.
    const Complex a(-0.06, 0.12);
    const double t = -1;
    const Vector x = along(1, 0.5, 0.0), y = along(1, -0.4, 0.0);
    const auto mechanism = fitted(x, y, {{"A", a}, {"t", t}});
    const Complex b = std::sqrt(t * (1.0 - 4.0 * a)), d = std::pow(1.0 - 4.0 * a, 0.25);

    Projections omega(1, 1);
    omega << 0.7;
    FeatureBlock<double> block;
    mechanism->map({omega, Vector()})->evaluate(Side::query, Points(x.transpose()), block);
    const Complex f = std::exp(block.log_scale[0]) * Complex(block.values(0, 0), block.values(0, 1));
    const Complex exponential = std::exp(2.0 * a * 0.49 + 2.0 * b * 0.7 * x[0] - (t + 1) * x[0] * x[0]);
    CHECK(std::abs(f * f - d * d * exponential) <= 1e-14);
    CHECK(std::abs(f * f - 2.0 * d * exponential) > 0.1);

    const tests::NormalGrid grid = tests::normal_grid(1, reach, nodes);
    double second = 0;
    for (Index i = 0; i < grid.weight.size(); ++i) {
        const double w = grid.omega(0, i);
        second += grid.weight[i] * std::norm(d * d * std::exp(2.0 * a * w * w + b * w * (x[0] + t * y[0])));
    }
    const Pair pair(x, y);
    const double left = 1 - 8 * a.real(), scale = std::sqrt(1 + 16 * std::norm(a) / left);
    const auto exponent = [&](double s) { return (s * (2 - 8 * a.real()) + 2 * std::abs(1.0 - 4.0 * a)) / (2 * left); };
    CHECK(second == Approx(scale * std::exp(exponent(t) * pair.minus)).epsilon(1e-13));
    CHECK(std::abs(second / (scale * std::exp(exponent(pair.norms()) * pair.minus)) - 1) > 0.1);
}

TEST_CASE("A = 0 is PosRF for t = +1 and TrigRF for t = -1", "[features][gerf]") {
    for (const double scale : {1e-6, 0.1, 1.0, 5.0})
        for (const Index d : {1, 3, 64}) {
            const Vector x = along(d, 0.7 * scale, 0.2 * scale), y = along(d, 0.5 * scale, -0.6 * scale);
            const Statistics none = features::statistics(Points(x.transpose()), Points(y.transpose()));
            const Pair pair(x, y);
            for (const double t : {1.0, -1.0}) {
                INFO("d = " << d << ", scale " << scale << ", t = " << t);
                const auto gerf = fitted(x, y, {{"A", Complex(0)}, {"t", t}});
                const auto special = fit_with_moments(t > 0 ? positive() : trigonometric(), none, {});
                const Moments ours = gerf->moments(pair), theirs = special->moments(pair);
                CHECK(ours.log_variance == Approx(theirs.log_variance).epsilon(1e-13).margin(1e-13));
                CHECK(ours.log_second_moment == Approx(theirs.log_second_moment).epsilon(1e-13).margin(1e-15));
                CHECK(gerf->columns(7) == special->columns(7));
                for (const auto coupling :
                     {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic}) {
                    const auto a = gerf->covariance(pair, coupling), b = special->covariance(pair, coupling);
                    REQUIRE(a.has_value());
                    CHECK(a->sign == b->sign);
                    if (b->sign != 0) CHECK(a->log_abs == Approx(b->log_abs).epsilon(1e-12).margin(1e-12));
                }
            }
        }
}

TEST_CASE("GERF variances keep their digits where they nearly vanish", "[features][gerf]") {
    // t = -1, real A: Var / K^2 = exp(d L) (exp(-rho q) + exp(q)) / 2 - 1, in long double with expm1 throughout.
    for (const long double q : {1e-12L, 1e-8L, 1e-4L, 0.1L})
        for (const Index d : {1, 8}) {
            const long double excess = q / static_cast<long double>(d);  // near the optimum's rho - 1
            const long double rho = 1 + excess;
            // L = log1p(x), x = (1 - sqrt rho)^2 / (2 sqrt rho)
            const long double root = std::sqrt(rho), gap = excess / (1 + root);
            const long double norm = static_cast<long double>(d) * std::log1p(gap * gap / (2 * root));
            const long double sigma = norm - excess * q / 2, delta = (1 + rho) * q / 2;
            const long double exact =
                std::expm1(sigma) + std::exp(sigma) * 2 * std::sinh(delta / 2) * std::sinh(delta / 2);
            const Vector x = Vector::Unit(d, 0) * std::sqrt(static_cast<double>(q)), y = Vector::Zero(d);
            const Complex a(static_cast<double>(excess / (8 * rho)));
            const Moments moments = fitted(x, y, {{"A", a}, {"t", -1.0}})->moments(Pair(x, y));
            INFO("q = " << static_cast<double>(q) << ", d = " << d);
            // A few dozen ulps, times a cancellation of the same order between gain and loss.
            CHECK(std::exp(moments.log_variance + static_cast<double>(q)) ==
                  Approx(static_cast<double>(exact)).epsilon(1e-13));
        }
}

TEST_CASE("GERF at extremes is finite, in batches as pair by pair", "[features][gerf]") {
    for (const Index d : {1, 3, 512})
        for (const double norm : {1e-6, 1.0, 50.0})
            for (const Choice& choice : choices) {
                Points x = normal_points(3, d, Stream(5)), y = normal_points(4, d, Stream(6));
                x.rowwise().normalize();
                y.rowwise().normalize();
                x *= norm;
                y *= norm;
                y.row(0) = x.row(0) * (1 + 1e-4);
                y.row(1) = -x.row(1) * (1 - 1e-4);
                const auto mechanism = fit_with_moments(generalized_exponential(), features::statistics(x, y),
                                                        {{"A", choice.a}, {"t", choice.t}});
                Points batch(3, 4);
                mechanism->log_variances(x, y, batch);
                for (Index i = 0; i < 3; ++i)
                    for (Index j = 0; j < 4; ++j) {
                        const double one = mechanism->moments(Pair(x.row(i).data(), y.row(j).data(), d)).log_variance;
                        INFO("d = " << d << ", norm " << norm << ", A = " << choice.a << ", t = " << choice.t
                                    << ", pair " << i << ' ' << j);
                        const Pair pair(x.row(i).data(), y.row(j).data(), d);
                        if (choice.a == 0.0 && (choice.t > 0 ? pair.plus : pair.minus) == 0) {
                            CHECK(one == -INFINITY);  // in one dimension points of equal norm coincide
                            CHECK(batch(i, j) == one);
                            continue;
                        }
                        CHECK(std::isfinite(one));
                        CHECK(batch(i, j) == Approx(one).epsilon(1e-10).margin(1e-9));
                    }
            }
}

TEST_CASE("GERF moments are finite for any A far from 0", "[features][gerf]") {
    using Wide = std::complex<long double>;
    const Vector x{{0.4, -0.3, 0.5}}, y{{0.3, 0.2, -0.1}};
    const Pair pair(x, y);
    for (const Complex a : {Complex(-1e99, 1e99), Complex(-1e101, 1e101), Complex(-1e150, 0), Complex(-1e200, 0),
                            Complex(-1e200, 1), Complex(-1e200, -1e200), Complex(0.1, 1e200), Complex(0, -1e150)})
        for (const double t : {1.0, -1.0}) {
            INFO("A = " << a << ", t = " << t);
            // The class's formula in long double, whose range holds the squares.
            const Wide wide(a.real(), a.imag()), eight = 1.0L - 8.0L * wide;
            const long double modulus = std::abs(1.0L - 4.0L * wide), left = eight.real();
            const auto q = static_cast<long double>(t > 0 ? pair.plus : pair.minus);
            const Wide low = 3.0L * (std::log(1.0L - 4.0L * wide) - 0.5L * std::log(eight)) + t * q / eight;
            const long double high =
                3 * (std::log(modulus) - 0.5L * std::log(left)) + q * (4 * t * wide.real() + modulus) / left;
            const long double largest = std::max(low.real(), high);
            const long double sum = std::exp(low.real() - largest) * std::cos(low.imag()) + std::exp(high - largest);
            // Exponents are of the size of the result, or differ by more than rounding: a few dozen ulps.
            const double expected = static_cast<double>(largest + std::log(sum / 2));
            const Moments moments = fitted(x, y, {{"A", a}, {"t", t}})->moments(pair);
            CHECK(moments.log_second_moment - 2 * moments.log_mean == Approx(expected).epsilon(1e-13));
            CHECK(moments.log_variance - 2 * moments.log_mean == Approx(expected).epsilon(1e-13));
        }
}

TEST_CASE("GERF refuses parameters outside its domain, by name and value", "[features][gerf]") {
    const Statistics some = features::statistics(Points::Ones(1, 2), Points::Zero(1, 2));
    const auto message = [&](const Settings& settings) {
        return tests::refusal<std::invalid_argument>(
            [&] { fit_with_moments(generalized_exponential(), some, settings); });
    };
    CHECK(message({{"A", Complex(0.125, 1)}}).find("real part below 1/8") != std::string::npos);
    CHECK(message({{"A", Complex(0.125, 1)}}).find("0.125") != std::string::npos);
    CHECK(message({{"A", Complex(0, INFINITY)}}).find("finite") != std::string::npos);
    CHECK(message({{"t", 0.5}}).find("'t': 0.5") != std::string::npos);
    CHECK(message({{"A", Complex(0.12, 30)}, {"t", -1.0}}) == "accepted");
}
