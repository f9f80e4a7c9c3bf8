// The studies of concentration in small cases: every variable against estimates, matrices and integrals that are
// written out.
#include <Eigen/Geometry>
#include <functional>

#include "catch.hpp"
#include "cells.hpp"
#include "closed_forms.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sources/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::closed_forms;

namespace {

using Estimator = std::function<double(const Vector& w, const Vector& x, const Vector& y)>;

/// Mean of Z over the omegas.
double estimate(const Estimator& z, const Projections& omega, const Vector& x, const Vector& y) {
    double sum = 0;
    for (Index m = 0; m < omega.cols(); ++m) sum += z(omega.col(m), x, y);
    return sum / static_cast<double>(omega.cols());
}

bool same(double ours, double theirs, double tolerance = 1e-9) {
    return std::isnan(theirs) ? std::isnan(ours) : ours == Approx(theirs).epsilon(tolerance).margin(1e-15);
}

/// x and y of norms 0.6 and 0.4, 70 degrees apart, in the plane of (1, 1, 1) and (1, -1, 1).
const double root_3 = std::sqrt(3.0);
struct Near {
    Vector x, y;
    double s, plus, kernel;

    Near() {
        const Vector first = Vector{{1, 1, 1}} / root_3, second = Vector{{1, -2, 1}} / std::sqrt(6.0);
        x = 0.6 * first;
        y = 0.4 * (std::cos(70 * M_PI / 180) * first + std::sin(70 * M_PI / 180) * second);
        s = 0.36 + 0.16;
        plus = (x + y).squaredNorm();
        kernel = closed_forms::kernel(x, y);
    }
};

/// E exp(phi Z) of regularized features in three dimensions, where the cosine of a direction is uniform.
double regularized_generating(double phi, const Near& at) {
    constexpr int steps = 4000;
    double sum = 0;
    for (int i = 0; i <= steps; ++i)
        sum += (i == 0 || i == steps ? 1
                : i % 2              ? 4
                                     : 2) *
               std::exp(phi * std::exp(root_3 * std::sqrt(at.plus) * (2.0 * i / steps - 1) - at.s));
    return sum / (3 * steps);
}

/// The same of exponential features with A = -1/2: along x + y omega is normal, and the other two coordinates'
/// exp(-|.|^2) is the square of a uniform variable.
double exponential_generating(double phi, const Near& at) {
    constexpr int steps = 100;
    double sum = 0;
    for (double u = -7; u < 7; u += 0.14) {
        const double along = phi * std::pow(3, 1.5) * std::exp(-u * u + root_3 * std::sqrt(at.plus) * u - at.s);
        double over = 0;
        for (int i = 0; i <= steps; ++i)
            over += (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * std::exp(along * i * i / (steps * steps));
        sum += 0.14 * std::exp(-u * u / 2) / std::sqrt(2 * M_PI) * over / (3 * steps);
    }
    return sum;
}

using Taken = std::function<double(double phi, double draws)>;

/// exp(-phi M level) times the product over blocks of draws of E exp(phi Z)^m - taken(phi, m), at the best of 300 phi
/// from 1e-4 to 512 over the greatest Z; 0 where nothing is left.
double chernoff(const std::vector<double>& generating, double greatest, const std::vector<double>& blocks, double level,
                const Taken& taken) {
    double best = 1;
    for (std::size_t i = 0; i < 300; ++i) {
        const double phi = 1e-4 * std::pow(512e4, static_cast<double>(i) / 299) / greatest;
        double bound = 1;
        for (const double m : blocks) {
            const double left = 1 - taken(phi, m) * std::pow(generating[i], -m);
            if (left <= 0) return 0;
            bound *= std::exp(m * std::log(generating[i]) - phi * m * level) * left;
        }
        best = std::min(best, bound);
    }
    return best;
}
/// The least over theta of exp(theta m (mean - t)) (1 - theta mean + theta^2 square / 2)^m, by trial.
double lower_tail(double m, double t, double mean, double square) {
    double best = 1;
    for (double theta = 1e-4; theta < 1e3; theta *= 1.002)
        best = std::min(best,
                        std::exp(m * (theta * (mean - t) + std::log(1 - theta * mean + theta * theta * square / 2))));
    return best;
}
std::vector<double> on_grid(double (*generating)(double, const Near&), double greatest, const Near& at) {
    std::vector<double> all;
    for (int i = 0; i < 300; ++i) all.push_back(generating(1e-4 * std::pow(512e4, i / 299.0) / greatest, at));
    return all;
}

}  // namespace

TEST_CASE("concentration/tail: counts are those of estimates drawn here, bounds those of the theorems",
          "[experiments]") {
    const Study& study = find("concentration", "tail");
    const config::Value config = parsed(study,
                                        "methods: [trigonometric, regularized, {use: optimal-positive, A: -0.5}, "
                                        "{use: optimal-positive, label: fitted}]\n"
                                        "samplings: [iid, orthogonal]\n"
                                        "pairs: [{label: near, dimension: 3, norms: [0.6, 0.4], angle: 70}]\n"
                                        "draws: [2, 3, 5]\nerrors: [0.2, 0.6, 2.5]\nspread: 0.3\nrepeats: 150\n");

    const Sweep sweep = study.prepare(config);
    const Stream seed = study_stream(config, "concentration/tail");
    const Near at;
    // Fitted to clouds around x and y, not to them.
    const auto cloud = [&](const char* name, const Vector& centre) {
        const Points noise = normal_points(seed.child("fit").child("near").child(name), 64, 3);
        return Points((0.3 / root_3 * noise).rowwise() + centre.transpose());
    };
    const double fitted = best_a(cloud("x", at.x), cloud("y", at.y));
    const double greatest_8 = std::exp(root_3 * std::sqrt(at.plus) - at.s);
    const double greatest_20 = std::pow(3, 1.5) * std::exp(0.75 * at.plus - at.s);
    const auto generating_8 = on_grid(regularized_generating, greatest_8, at);
    const auto generating_20 = on_grid(exponential_generating, greatest_20, at);
    const auto nothing = [](double, double) { return 0.0; };
    const double t = root_3 * std::sqrt(at.plus);
    const double regularized_mean = std::exp(-at.s) * std::sinh(t) / t;

    for (const std::string method : {"trigonometric", "regularized", "optimal-positive", "fitted"})
        for (const std::string scheme : {"iid", "orthogonal"}) {
            const auto data = computed(sweep, {"method=" + method, "sampling=" + scheme});
            const double a = method == "fitted" ? fitted : -0.5;
            const bool iid = scheme == "iid", regularized = method == "regularized";
            const auto mechanism = features::fit(features::find("positive"), {});  // its omegas are those of all
            const Estimator z = [&](const Vector& w, const Vector& x, const Vector& y) {
                if (method == "trigonometric") return trigonometric(w, x, y);
                if (regularized) return exponential(0, root_3 * w.normalized(), x, y);
                return exponential(a, w, x, y);
            };
            const double mean = regularized ? regularized_mean : at.kernel;
            const double variance = method == "trigonometric" ? std::exp(log_variance_trigonometric(at.x, at.y))
                                    : regularized ? std::exp(-2 * at.s) * std::sinh(2 * t) / (2 * t) - mean * mean
                                                  : std::exp(log_variance_exponential(a, at.x, at.y));
            // Within three columns all omegas are at right angles; the fourth and fifth are a block of their own.
            const double sign = method == "trigonometric" ? -1 : 1;
            const Vector axis = (at.x + sign * at.y).normalized();
            const double covariance = iid ? 0 : covariance_in_space(z, at.x, at.y, axis, axis.unitOrthogonal(), mean);
            for (std::size_t k = 0; k < 3; ++k) {
                const double m = k == 0 ? 2 : k == 1 ? 3 : 5;
                const auto blocks = m == 5 ? std::vector<double>{3, 2} : std::vector{m};
                std::vector<double> estimates;
                for (std::uint64_t r = 0; r < 150; ++r)
                    estimates.push_back(
                        estimate(z,
                                 features::draw(*mechanism, 3, static_cast<Index>(m), sampling::find(scheme),
                                                seed.child(method)
                                                    .child(scheme)
                                                    .child("near")
                                                    .child(static_cast<std::uint64_t>(m))
                                                    .child(r))
                                     .omega,
                                 at.x, at.y));
                CHECK(values(data, "kernel")[k] == Approx(at.kernel).epsilon(1e-12));
                CHECK(values(data, "trials")[k] == 150);
                for (std::size_t e = 0; e < 3; ++e) {
                    const double error = (e == 0 ? 0.2 : e == 1 ? 0.6 : 2.5) * at.kernel;
                    INFO(method << ", " << scheme << ", M = " << m << ", error " << error);
                    double exceed = 0, above = 0, below = 0;
                    for (const double one : estimates) {
                        exceed += std::abs(one - at.kernel) >= error;
                        above += one > mean + error;
                        below += one <= mean - error;
                    }
                    const auto ours = [&](const char* variable) { return values(data, variable)[3 * k + e]; };
                    CHECK(ours("exceed") == exceed);
                    CHECK(ours("above") == above);
                    CHECK(ours("below") == below);
                    const bool never_negative = method != "trigonometric";
                    const double square = variance + mean * mean;
                    CHECK(same(ours("lower_tail"),
                               never_negative && error < mean ? std::exp(-m * error * error / (2 * square)) : NAN,
                               1e-6));
                    CHECK(same(ours("lower_tail_sharper"),
                               never_negative && error < mean ? lower_tail(m, error, mean, square) : NAN, 1e-5));
                    if (method != "fitted") {
                        const double growth = 1 + error / mean, greatest = regularized ? greatest_8 : greatest_20;
                        CHECK(same(ours("multiplicative"),
                                   never_negative
                                       ? std::pow(std::exp(growth - 1) / std::pow(growth, growth), m * mean / greatest)
                                       : NAN));
                    }
                    const auto hoeffding = [&](double width) {
                        return std::min(1.0, 2 * std::exp(-2 * m * error * error / (width * width)));
                    };
                    const bool by_2 = method == "trigonometric" && iid;
                    CHECK(same(ours("hoeffding"), by_2 ? hoeffding(2) : NAN));
                    const bool by_20 = method == "optimal-positive" && iid;
                    if (method != "fitted") {
                        CHECK(same(ours("theorem_20_printed"),
                                   by_20 ? std::min(1.0, 2 * std::exp(-m / 2 * error * error * std::exp(-at.s) *
                                                                      std::pow(3, -1.5)))
                                         : NAN));
                        CHECK(same(ours("theorem_20"), by_20 ? hoeffding(std::pow(3, 1.5) * std::exp(at.s / 2)) : NAN));
                        CHECK(same(ours("theorem_20_sharper"), by_20 ? hoeffding(greatest_20) : NAN));
                    }
                    if (method == "optimal-positive")
                        CHECK(same(ours("theorem_20_chernoff"),
                                   chernoff(generating_20, greatest_20, {m}, mean + error, nothing), 1e-5));
                    const auto by_8 = [&](const Taken& taken) {
                        return chernoff(generating_8, greatest_8, blocks, mean + error, iid ? nothing : taken);
                    };
                    const auto pairs = [&](double n) { return n * (n - 1) / 20 * at.plus * at.plus; };
                    const auto printed = [&](double phi, double n) {
                        return std::exp(-n * at.s) * std::pow(phi, 4) * pairs(n);
                    };
                    const auto proved = [&](double phi, double n) {
                        return std::exp(-4 * at.s) * std::pow(phi, 4) * pairs(n);
                    };
                    const auto sharper = [&](double phi, double n) {
                        const double c = phi * std::exp(-at.s);
                        return std::pow(c + c * c, 2) * std::exp(n * c) * pairs(n);
                    };
                    const bool in_print = regularized && (iid || m <= 3);
                    CHECK(same(ours("theorem_8_printed"), in_print ? by_8(printed) : NAN, 1e-5));
                    CHECK(same(ours("theorem_8"), regularized ? by_8(proved) : NAN, 1e-5));
                    CHECK(same(ours("theorem_8_sharper"), regularized && !iid ? by_8(sharper) : NAN, 1e-5));
                    double coupled = 0;
                    for (const double n : blocks) coupled += n * (n - 1) / (m * m);
                    const double bias = mean - at.kernel, of_mean = variance / m + coupled * covariance;
                    CHECK(same(ours("chebyshev"), std::min(1.0, (of_mean + bias * bias) / (error * error)), 1e-6));
                }
            }
        }
}

TEST_CASE("concentration/uniform: every variable from explicit matrices, grids of the ball and printed formulas",
          "[experiments]") {
    const Study& study = find("concentration", "uniform");
    const config::Value config = parsed(study,
                                        "methods: [trigonometric, positive, optimal-positive]\nsamplings: [iid]\n"
                                        "dimensions: [2]\nradii: [0.8]\nradius_unit: d^(1/2)\nlengths: [9, 4]\n"
                                        "draws: [64, 2, 8]\nerrors: [0.5, 1.2]\nconfidence: 0.7\nestimates: 4\n"
                                        "repeats: 2\n");
    const Sweep sweep = study.prepare(config);
    const Stream seed = study_stream(config, "concentration/uniform").child(2);
    const double radius = 0.8 * std::pow(2, 0.25);
    const auto sphere = [&](const Stream& stream, Index rows) {
        return Points(radius * normal_points(stream, rows, 2).rowwise().normalized());
    };
    const double a = best_a(sphere(seed.child("fit x"), 256), sphere(seed.child("fit y"), 256));
    const double draws[] = {2, 8, 64};
    std::size_t found = 0;
    for (const std::string method : {"trigonometric", "positive", "optimal-positive"}) {
        const auto data = computed_at(sweep, "method=" + method);
        const Estimator z = [&](const Vector& w, const Vector& x, const Vector& y) {
            return method == "trigonometric" ? trigonometric(w, x, y)
                                             : exponential(method == "positive" ? 0 : a, w, x, y);
        };
        const auto entry_error = [&](const Projections& omega, const Vector& x, const Vector& y) {
            return std::abs(estimate(z, omega, x, y) - kernel(x, y)) *
                   std::exp((x.squaredNorm() + y.squaredNorm()) / 2);
        };
        const auto mechanism = features::fit(features::find("positive"), {});
        // Three of four estimates are the least share that is not below 0.7.
        const auto third = [](std::vector<double> all) {
            std::sort(all.begin(), all.end());
            return all[2];
        };
        for (std::size_t k = 0; k < 3; ++k)
            for (std::uint64_t group : {0, 1}) {
                INFO(method << ", M = " << draws[k] << ", group " << group);
                std::vector<double> of_4, of_9, of_ball;
                for (std::uint64_t r = 0; r < 4; ++r) {
                    const Stream rows = seed.child("rows").child(group).child(r);
                    const Points x = sphere(rows.child("x"), 9), y = sphere(rows.child("y"), 9);
                    const auto count = static_cast<Index>(draws[k]);
                    const Projections omega = features::draw(*mechanism, 2, count, sampling::find("iid"),
                                                             seed.child(method)
                                                                 .child("iid")
                                                                 .child(group)
                                                                 .child(r)
                                                                 .child(static_cast<std::uint64_t>(count))
                                                                 .child("features"))
                                                  .omega;
                    double among_4 = 0, among_9 = 0;
                    for (Index i = 0; i < 9; ++i)
                        for (Index j = 0; j < 9; ++j) {
                            const double error = entry_error(omega, x.row(i), y.row(j));
                            among_9 = std::max(among_9, error);
                            if (i < 4 && j < 4) among_4 = std::max(among_4, error);
                        }
                    of_4.push_back(among_4);
                    of_9.push_back(among_9);
                    // Over z = x - y with |x| = |y| = R, or z = x + y with x = y: 2 R times a grid of the disc.
                    double in_ball = among_9;
                    for (int turn = 0; turn < 90; ++turn)
                        for (int step = 0; step <= 30; ++step) {
                            const double angle = 2 * M_PI * turn / 90, length = radius * step / 30;
                            const Vector half = length * Vector{{std::cos(angle), std::sin(angle)}};
                            const Vector across = std::sqrt(radius * radius - length * length) *
                                                  Vector{{-std::sin(angle), std::cos(angle)}};
                            in_ball = std::max(in_ball, method == "trigonometric"
                                                            ? entry_error(omega, across + half, across - half)
                                                            : entry_error(omega, half, half));
                        }
                    of_ball.push_back(in_ball);
                }
                // Features are made in float.
                const auto ours = [&](std::size_t l) { return values(data, "matrix_error")[6 * group + 2 * k + l]; };
                CHECK(ours(0) == Approx(third(of_4)).epsilon(1e-4));
                CHECK(ours(1) == Approx(third(of_9)).epsilon(1e-4));
                // Steps of the grid, 0.06 and 0.07 at most, are a fiftieth of the slopes.
                CHECK(values(data, "ball_error")[3 * group + k] == Approx(third(of_ball)).epsilon(0.02));
            }
        const double norm = radius * std::pow(2, 0.25), r = radius * radius;
        for (std::size_t e = 0; e < 2; ++e) {
            const double eps = e == 0 ? 0.5 : 1.2;
            const auto crossing = [&](auto error) -> double {
                for (std::size_t k = 0; k < 2; ++k)
                    if (error(k) > eps && error(k + 1) <= eps) {
                        ++found;
                        const double share = std::log(error(k) / eps) / std::log(error(k) / error(k + 1));
                        return draws[k] * std::pow(draws[k + 1] / draws[k], share);
                    }
                return NAN;
            };
            for (std::size_t group : {0, 1}) {
                for (std::size_t l : {0, 1})
                    CHECK(same(values(data, "matrix_features")[4 * group + 2 * e + l], crossing([&](std::size_t k) {
                                   return values(data, "matrix_error")[6 * group + 2 * k + l];
                               })));
                CHECK(same(values(data, "ball_features")[2 * group + e],
                           crossing([&](std::size_t k) { return values(data, "ball_error")[3 * group + k]; })));
            }
            const auto by_4 = [&](double factor) {
                return 2 / (eps * eps) * std::exp(factor * r) * (std::log(4 * norm * std::pow(2, 0.75) / eps) + r);
            };
            const auto by_21 = [&](double b1) {
                const double b2 = std::sqrt(2 * r), b3 = 2 * (1 - 4 * a) * std::sqrt(b1 * (r + 4));
                return b1 * 2 / (eps * eps) * std::log(b2 * b3 / eps);
            };
            const bool fourth = method == "trigonometric", last = method == "optimal-positive";
            CHECK(same(values(data, "printed_order")[e],
                       fourth ? by_4(1)
                       : last ? by_21(std::exp(-3 * r / a))
                              : NAN,
                       1e-5));
            CHECK(same(values(data, "corrected_order")[e],
                       fourth ? by_4(2)
                       : last ? by_21(std::pow(1 - 4 * a, 2) * std::exp((2 - 1 / a) * r))
                              : NAN,
                       1e-5));
            // 2^10 d (R / e)^2 exp(-M e^2 / (4 (d + 2))) is then what is allowed, for e = eps exp(-R^2) in K.
            const double m = values(data, "theorem_2_features")[e], error = eps * std::exp(-r);
            CHECK(std::isnan(m) == !fourth);
            if (fourth)
                CHECK(1024 * 2 * r / (error * error) * std::exp(-m * error * error / 16) == Approx(0.3).epsilon(1e-9));
        }
    }
    CHECK(found > 8);
}
