// The studies of variance in small cases: every variable against closed forms, quadrature or draws that are written
// out.
#include <limits>

#include "catch.hpp"
#include "cells.hpp"
#include "closed_forms.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/tilted_variance.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "sources/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::closed_forms;

namespace {

/// With what its file is read by, the stream of all that the study draws.
struct Case {
    config::Value config;
    Sweep sweep;
    Stream seed;

    Case(const char* study, const std::string& yaml)
        : config(parsed(find("variance", study), yaml)),
          sweep(find("variance", study).prepare(config)),
          seed(study_stream(config, std::string("variance/") + study)) {}
};

/// log Var of one draw of a method, fitted to rows x and y.
double log_variance(const std::string& method, const Vector& x, const Vector& y, double a) {
    return method == "trigonometric" ? log_variance_trigonometric(x, y)
                                     : log_variance_exponential(method == "positive" ? 0 : a, x, y);
}

}  // namespace

TEST_CASE("variance/angle: variances are those of closed forms at equal cost", "[experiments]") {
    const Case angle("angle",
                     "methods: [trigonometric, positive, optimal-positive, {use: positive, columns: 7, label: seven}]\n"
                     "norms: [0.5, 2]\nangles: [20, 90, 150]\ncolumns: 4\n");
    for (const char* method : {"trigonometric", "positive", "optimal-positive", "seven"}) {
        const auto data = computed_at(angle.sweep, std::string("method=") + method);
        const std::string name = method == std::string("seven") ? "positive" : method;
        // A sine and a cosine an omega.
        const double draws = name == "trigonometric" ? 2 : method == std::string("seven") ? 7 : 4;
        for (std::size_t n = 0; n < 2; ++n)
            for (std::size_t k = 0; k < 3; ++k) {
                const double norm = n == 0 ? 0.5 : 2, theta = (k == 0 ? 20 : k == 1 ? 90 : 150) * M_PI / 180;
                INFO(method << ", norm " << norm << ", angle " << theta);
                const Vector x{{norm, 0}}, y{{norm * std::cos(theta), norm * std::sin(theta)}};
                CHECK(values(data, "log_variance")[3 * n + k] ==
                      Approx(log_variance(name, x, y, best_a(x, y)) - std::log(draws)).epsilon(1e-9));
            }
    }
}

TEST_CASE("variance/gain: ratios of variances at x = y are those of closed forms", "[experiments]") {
    const Case gain("gain",
                    "methods: [positive, optimal-positive, {use: optimal-positive, A: -0.2, label: fixed}]\n"
                    "dimensions: [2, 6]\nsquare_sums: [1, 9, 40]\n");
    for (const Index d : {2, 6}) {
        const auto data = computed_at(gain.sweep, "dimension=" + std::to_string(d));
        for (std::size_t q = 0; q < 3; ++q) {
            // |x + y|^2 = 4 |x|^2, in a direction that is no axis.
            const Vector x = Vector::Constant(d, std::sqrt((q == 0   ? 1.0
                                                            : q == 1 ? 9.0
                                                                     : 40.0) /
                                                           (4 * static_cast<double>(d))));
            const double first = log_variance_exponential(0, x, x);
            CHECK(values(data, "log_ratio")[q] ==
                  Approx(log_variance_exponential(best_a(x, x), x, x) - first).epsilon(1e-9));
            CHECK(values(data, "log_ratio")[3 + q] ==
                  Approx(log_variance_exponential(-0.2, x, x) - first).epsilon(1e-9));
        }
    }
}

TEST_CASE("variance/regimes: every variable is what all pairs of explicit points give", "[experiments]") {
    const Case regimes(
        "regimes",
        "methods: [trigonometric, positive, optimal-positive, {use: positive, columns: 3, label: three}]\n"
        "points: [{use: normal, dimension: 3}, {use: sphere, dimension: 3}, {use: heterogeneous, dimension: 3}]\n"
        "gammas: [0.4, 1.5]\nrows: 5\nrepeats: 2\n"
        "columns: 8\n");
    for (const char* regime : {"normal", "sphere", "heterogeneous"})
        for (const double gamma : {0.4, 1.5}) {
            INFO(regime << ", gamma " << gamma);
            const auto data = computed(
                regimes.sweep, {std::string("regime=") + regime, gamma == 0.4 ? "gamma=0.4" : "gamma=1.5", "repeat=1"});
            // Draws kept the name that the regime had first.
            const char* const key = regime == std::string("heterogeneous") ? "heterogen" : regime;
            const Stream own = regimes.seed.child(key).child(1);
            Points x = normal_points(own.child("x"), 5, 3), y = normal_points(own.child("y"), 5, 3);
            for (Points* set : {&x, &y})
                for (Index i = 0; i < 5 && regime == std::string("sphere"); ++i) set->row(i) /= set->row(i).norm();
            if (regime == std::string("heterogeneous")) y.array() += 1;
            x *= gamma;
            y *= gamma;
            const double a = best_a(x, y);
            const char* const names[] = {"trigonometric", "positive", "optimal-positive", "positive"};
            const double draws[] = {4, 8, 8, 3};
            for (std::size_t m = 0; m < 4; ++m) {
                double sum = 0, squares = 0;
                for (Index i = 0; i < 25; ++i) sum += log_variance(names[m], x.row(i / 5), y.row(i % 5), a) / 25;
                for (Index i = 0; i < 25; ++i)
                    squares += std::pow(log_variance(names[m], x.row(i / 5), y.row(i % 5), a) - sum, 2);
                CHECK(values(data, "mean_log_variance")[m] == Approx(sum - std::log(draws[m])).epsilon(1e-7));
                CHECK(values(data, "sd_log_variance")[m] == Approx(std::sqrt(squares / 24)).epsilon(1e-7));
                CHECK(values(data, "zero_variance_pairs")[m] == 0);
                CHECK(values(data, "count")[m] == draws[m]);
                CHECK(values(data, "positive")[m] == (m == 0 ? 0 : 1));
            }
        }
}

TEST_CASE("variance/gain and regimes: the sampling of an entry is in its exact variance", "[experiments]") {
    const Case gain("gain",
                    "methods: [positive, {use: positive, sampling: orthogonal}, {use: positive, sampling: antithetic}, "
                    "{use: positive, sampling: iid}, {use: trigonometric, sampling: orthogonal}]\n"
                    "dimensions: 2\nsquare_sums: [1, 4]\nblocks: 2\n");
    const auto z = [](const Vector& w, const Vector& x, const Vector& y) { return exponential(0, w, x, y); };
    const auto cosine = [](const Vector& w, const Vector& x, const Vector& y) { return trigonometric(w, x, y); };
    const auto ratios = values(computed_at(gain.sweep, "dimension=2"), "log_ratio");
    for (std::size_t q = 0; q < 2; ++q) {
        INFO("square sum " << (q == 0 ? 1 : 4));
        const Vector x{{q == 0 ? 0.5 : 1, 0}};
        // Four ordered pairs of M = 4 draws in the plane are in a block, and antithetic ones are four, too. Z(w) Z(-w)
        // is exp(-2 s), s = 2 |x|^2. Quadrature: 1e-9 of the kernel's square.
        const double one = std::exp(log_variance_exponential(0, x, x)), square = std::pow(kernel(x, x), 2);
        const double antithetic = std::exp(-4 * x.squaredNorm()) - square;
        CHECK(ratios[q] == Approx(std::log1p(covariance_in_plane(z, x, x, 90) / one)).epsilon(1e-6));
        CHECK(ratios[2 + q] == Approx(std::log1p(antithetic / one)).epsilon(1e-9));
        CHECK(ratios[4 + q] == Approx(0).margin(1e-12));
        CHECK(ratios[6 + q] == -std::numeric_limits<double>::infinity());  // exact at x = y
    }
    CHECK(covariance_in_plane(cosine, Vector{{0.5, 0}}, Vector{{0.5, 0}}, 90) == Approx(0).margin(1e-9));

    const Case regimes("regimes",
                       "methods: [{use: positive, sampling: orthogonal}, {use: positive, sampling: antithetic}, "
                       "{use: trigonometric, sampling: orthogonal}]\n"
                       "points: {use: normal, dimension: 2}\ngammas: 0.6\nrows: 3\nrepeats: 1\ncolumns: 5\n");
    const auto data = computed_at(regimes.sweep, "repeat=0");
    const Stream own = regimes.seed.child("normal").child(0);
    const Points x = 0.6 * normal_points(own.child("x"), 3, 2), y = 0.6 * normal_points(own.child("y"), 3, 2);
    double sums[3] = {};
    for (Index i = 0; i < 9; ++i) {
        const Vector a = x.row(i / 3), b = y.row(i % 3);
        const double one = std::exp(log_variance_exponential(0, a, b));
        const double norms = a.squaredNorm() + b.squaredNorm();
        // Five draws: four ordered pairs in blocks of two, and one draw alone; two of sines and cosines are one block.
        sums[0] += std::log(one / 5 + 4 * covariance_in_plane(z, a, b, 90) / 25) / 9;
        sums[1] += std::log(one / 5 + 4 * (std::exp(-2 * norms) - std::pow(kernel(a, b), 2)) / 25) / 9;
        sums[2] +=
            std::log(std::exp(log_variance_trigonometric(a, b)) / 2 + 2 * covariance_in_plane(cosine, a, b, 90) / 4) /
            9;
    }
    for (std::size_t m = 0; m < 3; ++m) CHECK(values(data, "mean_log_variance")[m] == Approx(sums[m]).epsilon(1e-6));
}

TEST_CASE("variance: a sampling without a closed form, or that nothing is drawn by, is refused at its place",
          "[experiments]") {
    const std::string points = "points: normal\ngammas: 1\nrows: 2\nrepeats: 1\n";
    const std::string sums = "dimensions: 2\nsquare_sums: 1\n";
    for (const char* scheme : {"sobol", "halton", "hadamard", "sphere-points", "dct", "dct-rotated"}) {
        INFO(scheme);
        const std::string methods = std::string("methods: [positive, {use: positive, sampling: ") + scheme + "}]\n";
        for (const auto& [study, rest] : {std::pair("regimes", points), std::pair("gain", sums)})
            CHECK_THROWS_WITH(
                Case(study, methods + rest),
                Catch::StartsWith("test.yaml:3:47: methods.1.sampling: this study takes exact variances") &&
                    Catch::Contains(std::string("under '") + scheme + "' has no closed form") &&
                    Catch::EndsWith("iid, orthogonal, simplex, antithetic"));
    }
    CHECK_THROWS_WITH(Case("regimes", "methods: [{use: hybrid, sampling: orthogonal}]\n" + points),
                      Catch::Contains("under these it has one: iid"));
    CHECK_THROWS_WITH(Case("orthogonal",
                           "methods: [{use: positive, sampling: orthogonal}]\nsamplings: orthogonal\ndimensions: 2\n"
                           "blocks: 1\ndistances: 1\ndrawn_distances: 1\nrepeats: 100\n"),
                      Catch::StartsWith("test.yaml:3:27: methods.0.sampling: this study draws nothing by"));
}

TEST_CASE("variance/regimes: pairs without variance are counted, not averaged", "[experiments]") {
    const Case line(
        "regimes",
        "methods: [trigonometric, positive]\npoints: {use: sphere, dimension: 1}\ngammas: 0.7\nrows: 66\nrepeats: 1\n");
    const auto data = computed_at(line.sweep, "repeat=0");
    const Stream own = line.seed.child("sphere").child(0);
    // Points of a sphere in one dimension are equal or opposite: then sines and cosines, or exponentials, do not vary.
    const Points x = normal_points(own.child("x"), 66, 1), y = normal_points(own.child("y"), 66, 1);
    double equal = 0;
    for (Index i = 0; i < 4356; ++i) equal += x(i / 66, 0) * y(i % 66, 0) > 0;
    REQUIRE((equal > 0 && equal < 4356));
    CHECK(values(data, "zero_variance_pairs") == std::vector<double>{equal, 4356 - equal});
    const Vector here{{0.7}}, there{{-0.7}};
    CHECK(values(data, "mean_log_variance")[0] ==
          Approx(log_variance_trigonometric(here, there) - std::log(4)).epsilon(1e-12));
    CHECK(values(data, "mean_log_variance")[1] ==
          Approx(log_variance_exponential(0, here, here) - std::log(8)).epsilon(1e-12));
}

TEST_CASE("variance/monte-carlo: moments and z-scores are those of draws made here, and of closed forms",
          "[experiments]") {
    constexpr int repeats = 300, draws = 5;  // two blocks and one more
    const Case study("monte-carlo",
                     "methods: [positive, trigonometric, optimal-positive]\nsamplings: [iid, orthogonal]\n"
                     "dimensions: [2]\nnorm: 0.6\nblocks: 2\nrepeats: 300\n");
    const double on_diagonal = 0.6 / M_SQRT2;
    const Vector axis{{0.6, 0}}, diagonal{{on_diagonal, on_diagonal}}, mixed{{-on_diagonal, on_diagonal}};
    struct Named {
        const char* name;
        Vector x, y;
    };
    const Named pairs[] = {{"e1", 0.7 * axis, 0.6 * axis},
                           {"-e1", -0.7 * axis, -0.6 * axis},
                           {"diagonal", 0.7 * diagonal, 0.6 * diagonal},
                           {"-diagonal", -0.7 * diagonal, -0.6 * diagonal},
                           {"opposite", 0.6 * axis, -0.5 * axis},
                           {"mixed", mixed, 0.8 * axis}};
    // Fitted to two clouds, and to nothing of the pairs.
    const Stream fit = study.seed.child("fit").child(2);
    const double a =
        best_a(on_diagonal * normal_points(fit.child("x"), 64, 2),
               Points((0.8 * on_diagonal * normal_points(fit.child("y"), 64, 2)).array() + 0.2 * on_diagonal));
    for (const std::string method : {"positive", "trigonometric", "optimal-positive"})
        for (const std::string scheme : {"iid", "orthogonal"}) {
            const auto data = computed(study.sweep, {"method=" + method, "sampling=" + scheme});
            const double own_a = method == "positive" ? 0 : a;
            const auto z = [&](const Vector& w, const Vector& x, const Vector& y) {
                return method == "trigonometric" ? trigonometric(w, x, y) : exponential(own_a, w, x, y);
            };
            const auto mechanism = features::fit(features::find("positive"), {});  // its omegas are those of all three
            for (std::size_t p = 0; p < 6; ++p) {
                const auto& [name, x, y] = pairs[p];
                INFO(method << ", " << scheme << ", " << name);
                const Stream own = study.seed.child(method).child(scheme).child(name).child(2);
                std::vector<double> estimates;
                for (std::uint64_t r = 0; r < repeats; ++r) {
                    const Projections omega =
                        features::draw(*mechanism, 2, draws, sampling::find(scheme), own.child(r)).omega;
                    double sum = 0;
                    for (Index m = 0; m < draws; ++m) sum += z(omega.col(m), x, y);
                    estimates.push_back(sum / draws);
                }
                double mean = 0, square = 0, fourth = 0;
                for (const double one : estimates) mean += one / repeats;
                for (const double one : estimates) {
                    square += std::pow(one - mean, 2) / (repeats - 1);
                    fourth += std::pow(one - mean, 4) / repeats;
                }
                // M = 5 in blocks of 2 has four ordered pairs that are coupled.
                double variance = std::exp(log_variance(method, x, y, a)) / draws;
                if (scheme == "orthogonal") variance += 4 * covariance_in_plane(z, x, y, 90) / (draws * draws);
                CHECK(values(data, "mean")[p] == Approx(mean).epsilon(1e-7));
                CHECK(values(data, "stated_mean")[p] == Approx(kernel(x, y)).epsilon(1e-12));
                CHECK(values(data, "mean_z")[p] ==
                      Approx((mean - kernel(x, y)) / std::sqrt(square / repeats)).epsilon(1e-5).margin(1e-5));
                CHECK(values(data, "variance")[p] == Approx(square).epsilon(1e-6));
                // Quadrature: 1e-11 of the kernel's square, whose 1e-6th the least variance is.
                CHECK(values(data, "stated_variance")[p] == Approx(variance).epsilon(1e-5));
                CHECK(values(data, "variance_z")[p] ==
                      Approx((square - variance) / std::sqrt((fourth - square * square) / repeats))
                          .epsilon(1e-4)
                          .margin(1e-4));
            }
        }
}

TEST_CASE("variance/monte-carlo: moments and z-scores of a biased estimator are about its own mean", "[experiments]") {
    // On a circle of radius sqrt(2) the mean of e^(w (x + y)) is I_0(sqrt(2) |x + y|), less than e^(|x + y|^2 / 2).
    const Case study("monte-carlo",
                     "methods: [regularized]\nsamplings: [iid]\ndimensions: [2]\nnorm: 0.6\nblocks: 2\nrepeats: 300\n");
    const auto data = computed_at(study.sweep, "method=regularized");
    const Vector x{{0.42, 0}}, y{{0.36, 0}};  // "e1"
    const double mean = std::cyl_bessel_i(0, M_SQRT2 * 0.78) * std::exp(-x.squaredNorm() - y.squaredNorm());
    CHECK(values(data, "stated_mean")[0] == Approx(mean).epsilon(1e-12));
    REQUIRE(mean < 0.99 * kernel(x, y));
    const double error = std::sqrt(values(data, "variance")[0] / 300);
    CHECK(values(data, "mean_z")[0] == Approx((values(data, "mean")[0] - mean) / error).epsilon(1e-9));
}

TEST_CASE(
    "variance/monte-carlo: what is spread by rounding alone has no score, and what is spread by little has its own",
    "[experiments]") {
    const auto at = [](const char* method, const char* norm) {
        const Case study("monte-carlo", std::string("methods: [") + method +
                                            "]\nsamplings: [iid]\ndimensions: [2]\nnorm: " + norm +
                                            "\nblocks: 2\nrepeats: 300\n");
        return computed_at(study.sweep, std::string("method=") + method);
    };
    // 1 - cos(w.(x - y)) is 1e-17 and less.
    const auto exact = at("trigonometric", "1e-9");
    for (std::size_t p = 0; p < 6; ++p) {
        CHECK(std::isnan(values(exact, "mean_z")[p]));
        CHECK(std::isnan(values(exact, "variance_z")[p]));
        CHECK(values(exact, "mean")[p] == Approx(1).epsilon(10 * 2.2e-16));
    }
    // exp(w.(x + y)) is spread by |x + y|, about 1e-12: z is what it is over that, and nothing is added to it.
    const auto little = at("positive", "1e-12");
    for (std::size_t p = 0; p < 6; ++p) {
        const double error = std::sqrt(values(little, "variance")[p] / 300);
        CHECK(values(little, "mean_z")[p] ==
              Approx((values(little, "mean")[p] - values(little, "stated_mean")[p]) / error).epsilon(1e-6));
        CHECK(std::abs(values(little, "variance_z")[p]) < 10);
    }
}

TEST_CASE("variance/orthogonal: exact ratios, bounds, drawn ratios and their intervals", "[experiments]") {
    const Case study("orthogonal",
                     "methods: [positive, trigonometric, optimal-positive]\nsamplings: [orthogonal, simplex]\n"
                     "dimensions: [2]\nblocks: [1, 2]\ndistances: [0.6, 1.5, 2]\noffset: 0.75\n"
                     "drawn_distances: [0.6, 1.5]\nrepeats: 400\n");
    const double distances[] = {0.6, 1.5, 2};
    const auto same = [](double ours, double theirs) {
        return std::isnan(theirs) ? std::isnan(ours) : ours == Approx(theirs).epsilon(1e-6).margin(1e-7);
    };
    for (const std::string method : {"positive", "trigonometric", "optimal-positive"}) {
        const bool along_difference = method == "trigonometric";
        const auto data = computed_at(study.sweep, "method=" + method);
        CHECK(value(data, "along_difference") == (along_difference ? 1 : 0));
        for (std::size_t i = 0; i < 3; ++i) {
            const Vector x{{distances[i] / 2, 0}}, y = along_difference ? Vector(-x) : x;
            const Vector x_off{{x[0], 0.75}}, y_off{{y[0], -0.75}};
            const double a = best_a(x, y), variance = std::exp(log_variance(method, x, y, a));
            const double off = std::exp(log_variance(method, x_off, y_off, best_a(x_off, y_off)));
            const auto z = [&](const Vector& w, const Vector& u, const Vector& v) {
                return along_difference ? trigonometric(w, u, v) : exponential(method == "positive" ? 0 : a, w, u, v);
            };
            const double s = x.squaredNorm() + y.squaredNorm(), s_off = x_off.squaredNorm() + y_off.squaredNorm();
            for (std::size_t b = 0; b < 2; ++b) {
                INFO(method << ", distance " << distances[i] << ", " << b + 1 << " blocks");
                const double m = 2.0 * static_cast<double>(b + 1);
                for (std::size_t k = 0; k < 2; ++k) {
                    // In the plane a simplex is two opposite directions.
                    const double covariance = covariance_in_plane(z, x, y, k == 0 ? 90 : 180);
                    const double ratio = 1 + covariance / variance;
                    CHECK(same(values(data, "log_ratio")[(2 * b + k) * 3 + i], std::log(ratio)));
                    if (i == 2) continue;
                    const std::size_t at = (2 * b + k) * 2 + i;
                    CHECK(same(values(data, "drawn_exact")[at], ratio));

                    const auto mechanism = features::fit_with_moments(
                        features::find(method), features::statistics(x.transpose(), y.transpose()));
                    const features::Pair pair(x, y);
                    const char* const scheme = k == 0 ? "orthogonal" : "simplex";
                    const auto drawn = features::drawn_variance(
                        *mechanism, pair, sampling::find(scheme), static_cast<Index>(m), 400,
                        features::square_tilt(*mechanism, method, pair),
                        study.seed.child(method).child(2).child(scheme).child(b + 1).child(i == 0 ? "0.6" : "1.5"));
                    const double half = values(data, "drawn_ratio_half_width")[at];
                    CHECK(values(data, "drawn_ratio")[at] == Approx(drawn.value * m / variance).epsilon(1e-6));
                    // 1.96593 is Student's quantile of 0.975 with 399 degrees of freedom.
                    CHECK(half == Approx(1.96593 * drawn.error * m / variance).epsilon(1e-5));
                    // 24 of them, each beyond 5 / 1.97 half widths with a probability of 1e-6.
                    CHECK(std::abs(values(data, "drawn_ratio")[at] - ratio) < 5 / 1.97 * half);
                }
                const double own = kernel(x, y), own_off = kernel(x_off, y_off);
                const double theorem_3 = 1 / (2 * m * 2) * own * own * std::pow((x - y).norm(), 4);
                const double theorem_6 = 2 / (m * 4) * std::pow(own - std::exp(-s), 2);
                const double theorem_18 = 2 / (m * 4) * std::pow(own_off - std::exp(-s_off / 2), 2);
                const auto promised = [&](double gain, double of) { return std::log(1 - gain * m / of); };
                const std::size_t at = 3 * b + i;
                CHECK(same(values(data, "theorem_3")[at], along_difference ? promised(theorem_3, variance) : NAN));
                CHECK(same(values(data, "theorem_6")[at], along_difference ? NAN : promised(theorem_6, variance)));
                CHECK(same(values(data, "theorem_18_printed")[at], along_difference ? NAN : promised(theorem_18, off)));
            }
        }
    }
}
