// Studies of theorems in small cases: every variable against quadrature, grids and formulas that are written out, and
// verdicts on results that are given.
#include <algorithm>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "cells.hpp"
#include "closed_forms.hpp"
#include "rfbench/dof/density_errors.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_variance.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench/theory/shallow_network.hpp"
#include "sources/normal_points.hpp"
#include "sources/point_sets.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

const report::Table& table_of(const Report& report, const std::string& name) {
    for (const report::Table& table : report.tables)
        if (table.name == name) return table;
    throw std::logic_error("there is no table " + name);
}

std::string word(const report::Entry& entry) { return std::get<std::string>(entry); }

/// E exp(sqrt(d q) u) exp(-q / 2) of u, a coordinate of a random direction in d >= 2, by Simpson's rule in its angle.
double kernel_ratio(double d, double q) {
    constexpr int steps = 20000;
    double sum = 0, mass = 0;
    for (int i = 0; i <= steps; ++i) {
        const double angle = M_PI * i / steps;
        const double weight = (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * std::pow(std::sin(angle), d - 2);
        sum += weight * std::exp(std::sqrt(d * q) * std::cos(angle) - q / 2);
        mass += weight;
    }
    return sum / mass;
}

}  // namespace

TEST_CASE("variance/bias: K_reg / K is an integral over directions, and bounds are judged by it", "[experiments]") {
    const Study& study = find("variance", "bias");
    const Sweep sweep = prepared(study, "dimensions: [2, 3, 50]\nsquare_sums: [0.3, 6]\n");
    CHECK(sweep.cells().size() == 6);
    for (const double d : {2, 3, 50})
        for (const double q : {0.3, 6.0}) {
            INFO("d = " << d << ", q = " << q);
            const auto data = computed(
                sweep, {"dimension=" + std::to_string(static_cast<int>(d)), q < 1 ? "square_sum=0.3" : "square_sum=6"});
            const double ratio = kernel_ratio(d, q);
            CHECK(value(data, "log_ratio") == Approx(std::log(ratio)).epsilon(1e-9));
            CHECK(value(data, "scaled_gap") == Approx(d * (1 - ratio)).epsilon(1e-8));
            CHECK(value(data, "limit") == Approx(q * q / 4));
            CHECK(value(data, "theorem_7_printed") == Approx(1 - 2 * std::pow(d, -1.0 / 3)));
            CHECK(value(data, "theorem_7") == Approx(1 - q * q / (4 * d)));
            CHECK(ratio >= value(data, "theorem_7"));
        }
}

TEST_CASE("variance/bias: the table says from which d the printed bound holds, and where ours would not",
          "[experiments]") {
    const std::vector<std::string> axes{"dimension", "square_sum"};
    const auto given = [&](const std::vector<double>& ratios, double ours) {
        store::Dataset data{
            {{"dimension", std::vector<double>{1, 2, 4, 8}, "", ""}, {"square_sum", std::vector<double>{1}, "", ""}},
            {{"log_ratio", axes, {}, "", ""}},
            {}};
        for (const double ratio : ratios) data.variables[0].values.push_back(std::log(ratio));
        const auto constant = [&](const char* name, double value) {
            data.variables.push_back({name, axes, {value, value, value, value}, "", ""});
        };
        constant("theorem_7_printed", 0.5);
        constant("theorem_7", ours);
        constant("scaled_gap", 0.2);
        constant("limit", 0.25);
        return table_of(find("variance", "bias").report(data), "bias").rows.at(0);
    };
    const report::Row late = given({0.6, 0.4, 0.7, 0.9}, 0.3);
    CHECK(std::get<double>(late.entries.at(5)) == 4);
    CHECK(word(late.entries.at(6)) == "holds");
    CHECK(word(late.entries.at(7)) == "holds");
    const report::Row bad = given({0.6, 1.1, 0.7, 0.4}, 0.65);
    CHECK(word(bad.entries.at(5)) == "at no d here");
    CHECK(word(bad.entries.at(6)) == "fails at 2 d");
    CHECK(word(bad.entries.at(7)) == "fails at 1 d");
}

TEST_CASE("variance/complex: real optima are the least of grids, and no complex A on one is better", "[experiments]") {
    const Sweep sweep = prepared(find("variance", "complex"),
                                 "dimensions: [3]\nsquare_sums: [0.5, 6]\nsquare_differences: [2]\ntolerance: 0.05\n");
    const auto log_variance = [](double xi, double eta, double t, double q) {
        const std::complex<double> left = std::exp(xi) * std::complex<double>(1, -eta);
        return features::GeneralizedExponentialVariance((1.0 - left) / 8.0, t, 3).log_relative(q);
    };
    const auto least = [&](double t, double q, bool real) {
        double best = HUGE_VAL;
        for (double xi = -2; xi < 4; xi += 0.002)
            for (double eta = real ? 0 : 0.01; eta < (real ? 1e-9 : 3); eta += real ? 1 : 0.1) {
                const double value = log_variance(xi, eta, t, q);
                if (value < best) best = value;
            }
        return best;
    };
    for (const double q : {0.5, 6.0}) {
        INFO("|x + y|^2 = " << q);
        const auto data = computed_at(sweep, q < 1 ? "square_sum=0.5" : "square_sum=6");
        CHECK(value(data, "log_positive") == Approx(least(1, q, true)).epsilon(1e-5));
        CHECK(value(data, "log_signed") == Approx(least(-1, 2, true)).epsilon(1e-5));
        const double real = std::min(value(data, "log_positive"), value(data, "log_signed"));
        CHECK(std::min(least(1, q, false), least(-1, 2, false)) > real - 0.05);
        CHECK(value(data, "proved") == 1);
        CHECK(value(data, "found") < 1e-6);
    }
}

TEST_CASE("variance/pairwise: the loss is that of one A for all pairs against the best A of each", "[experiments]") {
    const Study& study = find("variance", "pairwise");
    const config::Value config =
        parsed(study, "methods: [optimal-positive]\npoints: [heterogeneous]\ngammas: [0.4]\nrows: 3\nrepeats: 1\n");
    const auto data = computed_at(study.prepare(config), "gamma=0.4");
    const Stream seed = study_stream(config, "variance/pairwise");
    const auto source = point_sources(Key{config, "points"}, {"regime", {}, {}, "", ""}, seed).axis.values[0];
    const PointSets sets = source->draw(seed.child("heterogen").child(std::uint64_t{0}), 3);
    const Points x = 0.4 * sets.x, y = 0.4 * sets.y;
    const double one = closed_forms::best_a(x, y);
    double of_all = 0, of_each = 0, largest = -HUGE_VAL;
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j) {
            const double all = closed_forms::log_variance_exponential(one, x.row(i), y.row(j));
            const double each = closed_forms::log_variance_exponential(
                closed_forms::best_a(Points(x.row(i)), Points(y.row(j))), x.row(i), y.row(j));
            of_all += all / 9;
            of_each += each / 9;
            largest = std::max(largest, all - each);
        }
    // best_a is found by trial, and variances are flat there.
    CHECK(value(data, "mean_log_variance") == Approx(of_all).epsilon(1e-6));
    CHECK(value(data, "mean_log_variance_pairwise") == Approx(of_each).epsilon(1e-6));
    CHECK(value(data, "loss") == Approx(of_all - of_each).epsilon(1e-4));
    CHECK(value(data, "largest_loss") == Approx(largest).epsilon(1e-4));
    CHECK(value(data, "pairs_worse") == 0);
    CHECK(value(data, "pairs_left_out") == 0);
}

TEST_CASE("concentration/beautiful: in space all is an integral over the cosine, or over the sphere", "[experiments]") {
    const Sweep sweep = prepared(find("concentration", "beautiful"),
                                 "functions: [exp-small]\nlengths: [constant]\ndimensions: [3]\nnorms: [1.4]\n"
                                 "phis: [0.5, 1.5]\n");
    const auto data = computed_at(sweep, "function=exp-small");
    // Z = exp(t u) / 32, u uniform in [-1, 1].
    const double t = 1.4 * std::sqrt(3.0), mean = std::sinh(t) / t / 32;
    CHECK(value(data, "mean") == Approx(mean).epsilon(1e-10));
    CHECK(value(data, "variance") == Approx(std::sinh(2 * t) / (2 * t) / 1024 - mean * mean).epsilon(1e-9));
    const auto over_sphere = [&](const std::function<double(double, double)>& f) {
        constexpr int heights = 2000, angles = 60;
        double sum = 0;
        for (int i = 0; i < heights; ++i)
            for (int j = 0; j < angles; ++j) {
                const double h = 2 * (i + 0.5) / heights - 1;
                sum += f(h, std::sqrt(1 - h * h) * std::cos(2 * M_PI * (j + 0.5) / angles));
            }
        return sum / (heights * angles);
    };
    const double product = over_sphere([&](double u, double v) { return std::exp(t * (u + v)) / 1024; });
    CHECK(value(data, "reduction") == Approx(mean * mean - product).epsilon(1e-4));
    CHECK(value(data, "theorem_11") == Approx(2.0 / 5 * std::pow(mean - 1.0 / 32, 2)).epsilon(1e-9));
    for (std::size_t k = 0; k < 2; ++k) {
        const double phi = (k == 0 ? 0.5 : 1.5) / mean;
        const double both =
            over_sphere([&](double u, double v) { return std::exp(phi / 32 * (std::exp(t * u) + std::exp(t * v))); });
        const double one = over_sphere([&](double u, double) { return std::exp(phi / 32 * std::exp(t * u)); });
        INFO("phi E Z = " << phi * mean);
        CHECK(values(data, "gap")[k] == Approx(1 - both / (one * one)).epsilon(1e-3));
        // E |omega|^2 = d: phi^4 M(M-1) / (4 (d+2)) a_1^2 or a_1^4 |z|^4, M = 2.
        const double common = 2 * std::pow(1.4 * phi, 4) / 20 / (one * one);
        CHECK(values(data, "theorem_10_printed")[k] == Approx(common / 1024).epsilon(1e-4));
        CHECK(values(data, "theorem_10")[k] == Approx(common / (1024.0 * 1024)).epsilon(1e-4));
    }
    CHECK(values(data, "gap")[0] < values(data, "theorem_10_printed")[0]);
    CHECK(values(data, "gap")[0] > values(data, "theorem_10")[0]);
}

TEST_CASE("quasi/discrepancy: integrals over the box, and errors at pairs that are drawn here", "[experiments]") {
    const Study& study = find("quasi", "discrepancy");
    const config::Value config =
        parsed(study, "samplings: [sobol]\ndimensions: [1]\ndraws: [5]\nbox: 1.5\nlength: 0.8\npairs: 6\nrepeats: 2\n");
    const auto data = computed_at(study.prepare(config), "repeat=1");
    const Stream seed = study_stream(config, "quasi/discrepancy");
    Projections omega(1, 5);
    sampling::find("sobol").normals(
        seed.child("sobol").child(std::uint64_t{1}).child(std::uint64_t{5}).child(std::uint64_t{1}), omega);
    double error = 0, norm = 0;
    constexpr int steps = 20000;
    for (int i = 0; i < steps; ++i) {
        const double u = 1.5 * (2 * (i + 0.5) / steps - 1);
        double real = 0, imaginary = 0;
        for (Index m = 0; m < 5; ++m) {
            real += std::cos(u * omega(0, m)) / 5;
            imaginary += std::sin(u * omega(0, m)) / 5;
        }
        error += std::pow(std::exp(-u * u / 2) - real, 2) + imaginary * imaginary;
        norm += std::exp(-u * u);
    }
    CHECK(value(data, "squared_discrepancy") == Approx(error / norm).epsilon(1e-6));
    // pi^-1 for (2 pi)^-1 in the first term.
    CHECK(value(data, "squared_discrepancy_printed") == Approx(error / norm + 1).epsilon(1e-6));
    const Stream of_pairs = seed.child("pairs").child(std::uint64_t{1});
    const Points x = normal_points(of_pairs.child("x"), 6, 1), y = normal_points(of_pairs.child("y"), 6, 1);
    double trigonometric = 0, positive = 0;
    for (Index i = 0; i < 6; ++i) {
        const Vector a = Vector::Constant(1, x(i, 0) > 0 ? 0.8 : -0.8),
                     b = Vector::Constant(1, y(i, 0) > 0 ? 0.8 : -0.8);
        double t = 0, p = 0;
        for (Index m = 0; m < 5; ++m) {
            t += closed_forms::trigonometric(omega.col(m), a, b) / 5;
            p += closed_forms::exponential(0, omega.col(m), a, b) / 5;
        }
        trigonometric += std::pow(t - closed_forms::kernel(a, b), 2) / 6;
        positive += std::pow(p - closed_forms::kernel(a, b), 2) / 6;
    }
    CHECK(value(data, "trigonometric_error") == Approx(std::sqrt(trigonometric)).epsilon(1e-9));
    CHECK(value(data, "positive_error") == Approx(std::sqrt(positive)).epsilon(1e-9));
}

TEST_CASE("dof/density: features are those of the density, N is its own, and bounds are judged where M allows",
          "[experiments]") {
    const Study& study = find("dof", "density");
    const config::Value config =
        parsed(study, "points: 6\ndensities: [optimal, gaussian]\nlambdas: [0.2]\ndraws: [30]\nrepeats: 2\n");
    const Sweep sweep = study.prepare(config);
    const Stream seed = study_stream(config, "dof/density");
    Eigen::MatrixXd entries(2, 6);
    fill_normal(seed.child("points"), entries);
    const Points x = 0.7 * entries.transpose();
    for (const std::string density : {"optimal", "gaussian"}) {
        INFO(density);
        const auto data = computed(sweep, std::vector<std::string>{"density=" + density, "repeat=1"});
        const Stream own = seed.child(density).child("0.2").child(std::uint64_t{30}).child(std::uint64_t{1});
        dof::WeightedFeatures features{Projections(2, 30), Vector::Zero(30)};
        if (density == "optimal")
            features = dof::OptimalDensity(x, 0.2).draw(30, own);
        else
            sampling::find("iid").normals(own, features.points);
        const auto errors = dof::density_errors(x, features, 0.2);
        CHECK(value(data, "operator_error") == Approx(errors.operator_error));
        CHECK(value(data, "kernel_square") == Approx(errors.kernel_square));
        CHECK(value(data, "integral_quarter") == Approx(errors.integral_quarter));
        CHECK(value(data, "output") == Approx(errors.output));
        CHECK(value(data, "approximation") == Approx(errors.approximation));
        const double n = dof::softmax_spectrum(x).degrees(0.2);
        CHECK(value(data, "optimal_degrees") == Approx(n));
        CHECK(value(data, "degrees") == (density == "optimal" ? Approx(n) : Approx(HUGE_VAL)));
    }
}

TEST_CASE("concentration/learned: norms of bounded products are found however long the points are", "[experiments]") {
    const Study& study = find("concentration", "learned");
    const config::Value config = parsed(study,
                                        "functions: [cos]\ngains: [1]\nnorms: [20, 20]\nangle: 90\n"
                                        "draws: [1]\nerrors: [1]\nrepeats: 10\n");
    const double norm = value(computed_at(study.prepare(config), "function=cos"), "norm");
    // Both angles are uniform on the circle but for exp(-200); quadrature in the study misses corners of |cos|.
    double mean = 0;
    for (int i = 0; i < 400; ++i)
        for (int j = 0; j < 400; ++j)
            mean += std::exp(std::cos((i + 0.5) * M_PI_2 / 400) * std::cos((j + 0.5) * M_PI_2 / 400) / norm) / 160000;
    CHECK(mean == Approx(2).epsilon(0.02));
}

TEST_CASE("concentration/learned: means and variances of products are Gaussian integrals, counts those of draws here",
          "[experiments]") {
    const Study& study = find("concentration", "learned");
    const config::Value config = parsed(study,
                                        "functions: [identity, clip]\ngains: [0.5]\nnorms: [1.2, 0.7]\nangle: 60\n"
                                        "draws: [3]\nerrors: [0.4, 1.5]\nrepeats: 50\n");
    const Sweep sweep = study.prepare(config);
    const Stream seed = study_stream(config, "concentration/learned");
    for (const std::string name : {"identity", "clip"}) {
        INFO(name);
        const auto data = computed_at(sweep, "function=" + name);
        const auto psi = [&](double z) { return 0.5 * (name == "clip" ? std::clamp(z, -1.0, 1.0) : z); };
        const double across = 0.7 * std::sin(M_PI / 3), along = 0.7 * 0.5;
        // A plain sum over a fine grid of both coordinates; corners of clip err by its step squared.
        double mass = 0, mean = 0, square = 0;
        for (double u = -8; u < 8; u += 0.02)
            for (double v = -8; v < 8; v += 0.02) {
                const double weight = std::exp(-0.5 * (u * u + v * v));
                const double product = psi(1.2 * u) * psi(along * u + across * v);
                mass += weight;
                mean += weight * product;
                square += weight * product * product;
            }
        mean /= mass;
        const double variance = square / mass - mean * mean;
        CHECK(value(data, "mean") == Approx(mean).epsilon(1e-3));
        CHECK(value(data, "exact_mean_square") == Approx(variance / 3).epsilon(1e-3));
        // For the identity: x.y / 4, and (|x|^2 |y|^2 + (x.y)^2) / 16.
        if (name == "identity") {
            CHECK(value(data, "mean") == Approx(0.42 / 4).epsilon(1e-9));
            CHECK(value(data, "exact_mean_square") == Approx((1.44 * 0.49 + 0.42 * 0.42) / 16 / 3).epsilon(1e-9));
        }
        // Orlicz norm: in polar coordinates E exp(r^2 q / K) is a mean over directions of 1 / (1 - 2 q / K).
        if (name == "identity") {
            double mean_at_norm = 0;
            for (int i = 0; i < 3600; ++i) {
                const double angle = 2 * M_PI * (i + 0.5) / 3600, u = std::cos(angle), v = std::sin(angle);
                const double q = std::abs(psi(1.2 * u) * psi(along * u + across * v));
                mean_at_norm += 1 / (1 - 2 * q / value(data, "norm")) / 3600;
            }
            CHECK(mean_at_norm == Approx(2).epsilon(2e-3));
            CHECK(value(data, "norm") > value(data, "norm_printed"));
        }
        CHECK(value(data, "norm_printed") == Approx(0.6 * 0.35).epsilon(1e-9));
        CHECK(value(data, "norm_corrected") == Approx(8.0 / 3 * 0.6 * 0.35).epsilon(1e-9));
        CHECK(value(data, "norm") <= value(data, "norm_corrected"));
        double counts[2] = {0, 0}, drawn = 0;
        const double deviation = std::sqrt(value(data, "exact_mean_square"));
        for (std::uint64_t r = 0; r < 50; ++r) {
            Eigen::MatrixXd w(2, 3);
            fill_normal(seed.child(name).child(std::uint64_t{3}).child(r), w);
            double sum = 0;
            for (Index i = 0; i < 3; ++i) sum += psi(1.2 * w(0, i)) * psi(along * w(0, i) + across * w(1, i)) / 3;
            const double error = std::abs(sum - value(data, "mean"));
            counts[0] += error >= 0.4 * deviation;
            counts[1] += error >= 1.5 * deviation;
            drawn += error * error / 50;
        }
        CHECK(values(data, "exceed") == std::vector<double>{counts[0], counts[1]});
        CHECK(value(data, "mean_square") == Approx(drawn).epsilon(1e-9));
        // Lipschitz constants of psi(w.x) are half the lengths, least upper bounds one half.
        const double corrected = 0.5 * 0.6 + 0.5 * 0.35, printed = 0.5 * 0.6 * 0.6, nine = 0.5 * 0.6;
        for (std::size_t e = 0; e < 2; ++e) {
            const double error = (e == 0 ? 0.4 : 1.5) * deviation;
            const auto tail = [&](double l) { return std::min(1.0, 2 * std::exp(-1.5 * error * error / (l * l))); };
            if (name == "clip") {
                CHECK(values(data, "corrected")[e] == Approx(tail(corrected)).epsilon(1e-9));
                CHECK(values(data, "lemma_9_printed")[e] == Approx(tail(printed)).epsilon(1e-9));
                CHECK(values(data, "proposition_9_printed")[e] == Approx(tail(nine)).epsilon(1e-9));
                CHECK(value(data, "mean_square_corrected") == Approx(corrected * corrected / 3).epsilon(1e-9));
                CHECK(value(data, "mean_square_printed") == Approx(nine / 3).epsilon(1e-9));
            } else {
                CHECK(std::isnan(values(data, "corrected")[e]));
                // Centred: both forms are one.
                const double scaled = error / (0.6 * 0.35);
                CHECK(values(data, "exponent")[e] == Approx(3 * std::min(scaled, scaled * scaled)).epsilon(1e-9));
                CHECK(values(data, "exponent_printed")[e] == Approx(values(data, "exponent")[e]).epsilon(1e-9));
            }
        }
    }
}

TEST_CASE("concentration/parametrization: errors are those of integrals in the plane, bounds those of formulas",
          "[experiments]") {
    const Study& study = find("concentration", "parametrization");
    const Sweep sweep = study.prepare(parsed(
        study, "networks: [sigmoid, relu, relu-tapered]\ngains: [0.5]\nreaches: [2]\nhidden: [12]\nradius: 1.5\n"));
    const Vector line = Vector::LinSpaced(161, -8, 8);
    const Vector weights = (-0.5 * line.array().square()).exp();
    for (const std::string name : {"sigmoid", "relu", "relu-tapered"}) {
        INFO(name);
        const auto data = computed_at(sweep, "network=" + name);
        const auto network = name == "sigmoid" ? theory::sigmoid_steps(3, 12)
                             : name == "relu"  ? theory::relu_interpolation(3, 12)
                                               : theory::tapered_interpolation(3, 12);
        const auto values = [&](const Vector& at, double clip) {
            const Points plain = network(at);
            return name == "relu-tapered" ? plain : Points(plain.array().max(-clip).min(clip));
        };
        // Over the same pairs, by a plain sum over two coordinates.
        const auto largest = [&](double clip) {
            double error = 0;
            for (const double x : {0.0, 0.375, 0.75, 1.125, 1.5}) {
                const Points first = values(x * line, clip);
                for (double y = 0; y <= x; y += 0.375)
                    for (const double cosine : {1.0, 0.75, 0.5, 0.25, 0.0, -0.5, -1.0}) {
                        double sum = 0;
                        for (Index i = 0; i < line.size(); ++i) {
                            const Vector at = y * (cosine * line[i] + std::sqrt(1 - cosine * cosine) * line.array());
                            sum += weights[i] * weights.dot(values(at, clip) * first.row(i).transpose());
                        }
                        const double kernel = sum / (weights.sum() * weights.sum());
                        error =
                            std::max(error, std::abs(kernel - std::exp(-0.5 * (x * x + y * y - 2 * x * y * cosine))));
                    }
            }
            return error;
        };
        // Corners err by the step of 0.1 squared, times a twelfth of what slopes change by there.
        CHECK(value(data, "error") == Approx(largest(1)).margin(2e-3));
        CHECK(value(data, "error_printed") == Approx(largest(0.5)).margin(2e-3));
        const double epsilon = value(data, "channel_error"), outside = std::exp(-2.0);
        const auto over_kernel = [](double square) { return (2 * std::sqrt(square) * 0.5 + square) / 0.25; };
        const double printed =
            std::pow(epsilon + epsilon * epsilon, 2) + 0.5 * outside + std::pow(0.5 + epsilon, 2) * 0.5 * outside;
        const double corrected = std::pow(1.5 * epsilon + epsilon * epsilon, 2) + 2 * 0.25 * outside +
                                 2 * std::pow(0.5 + epsilon, 2) * 2 * outside;
        CHECK(value(data, "bound_printed") == Approx(over_kernel(printed)).epsilon(1e-9));
        CHECK(value(data, "bound_corrected") == Approx(over_kernel(corrected)).epsilon(1e-9));
        CHECK(value(data, "error") <= value(data, "bound_24"));
        CHECK(value(data, "bound_24") <= value(data, "bound_corrected"));
    }
}
