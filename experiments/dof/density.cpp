// The theorems on features from a density, against M: the operator's error (Lemma 2), the kernel's (Theorem 3 (i)),
// integrals (ii), the approximation of functions (Proposition 1), and the output of attention, of which none speaks;
// for the optimal density, its limit, and plain Gaussian draws.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/verdict_report.hpp"
#include "rfbench/dof/density_errors.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/features/mechanism.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        defaulted("dimension", integer(1, 64), "2", "d"),
        defaulted("scale", real(above(0).at_most(4)), "0.7", "standard deviation of the entries of points"),
        defaulted("points", integer(2, 512), "24", "J, points that are the law"),
        required("densities", one_or_more(one_of({"optimal", "limit", "gaussian", "orthogonal"})),
                 "of z: q_lambda; q_inf; N(0, I); N(0, I) in orthogonal blocks"),
        required("lambdas", numbers(above(0)), "regularisation"),
        required("draws", integers(1, 1'000'000), "M"),
        defaulted("delta", real(above(0).below(1)), "0.1", "the probability with which bounds may fail"),
        defaulted("repeats", integer(2, 100'000), "50", "draws of M features"),
    };
}

dof::WeightedFeatures drawn(const Points& points, const std::string& density, double lambda, Index count,
                            const Stream& stream) {
    if (density == "optimal") return dof::OptimalDensity(points, lambda).draw(count, stream);
    if (density == "limit")
        return dof::OptimalDensity(points, std::numeric_limits<double>::infinity()).draw(count, stream);
    Projections omega(points.cols(), count);
    sampling::find(density == "gaussian" ? "iid" : "orthogonal").normals(stream, omega);
    return {omega, Vector::Zero(count)};
}

/// N_{q,lambda}; infinite for Gaussian draws, since features are not bounded.
double degrees(const Points& points, const std::string& density, double lambda) {
    if (density == "optimal") return dof::softmax_spectrum(points).degrees(lambda);
    if (density == "limit") return dof::degrees_of_limit_density(points, lambda);
    return std::numeric_limits<double>::infinity();
}

store::Dataset compute(const Points& points, const std::string& density, double lambda, Index count,
                       const Stream& stream) {
    const dof::DensityErrors errors =
        dof::density_errors(points, drawn(points, density, lambda, count, stream), lambda);
    const dof::OperatorSize size = dof::operator_size(points);
    return {{},
            {{"operator_error", {}, {errors.operator_error}, "", "|(S + lambda)^(-1/2) (S - S^) (S + lambda)^(-1/2)|"},
             {"kernel_square", {}, {errors.kernel_square}, "", "|K - K^|^2 in L2 of the law twice"},
             {"integral_0", {}, {errors.integral_0}, "", "|S - S^|"},
             {"integral_quarter", {}, {errors.integral_quarter}, "", "|(S - S^) (S + lambda)^(-1/4)|"},
             {"integral_half", {}, {errors.integral_half}, "", "|(S - S^) (S + lambda)^(-1/2)|"},
             {"output", {}, {errors.output}, "", "|A^ - A| / |A| of attention, rows over their sums"},
             {"approximation", {}, {errors.approximation}, "", "sup inf of Proposition 1"},
             {"estimate_trace", {}, {errors.trace}, "", "tr S^"},
             {"degrees", {}, {degrees(points, density, lambda)}, "", "N of the density at lambda"},
             {"optimal_degrees", {}, {dof::softmax_spectrum(points).degrees(lambda)}, "", "N of the optimal density"},
             {"trace", {}, {size.trace}, "", "tr S"},
             {"norm", {}, {size.norm}, "", "|S|"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "dof/density");
    Eigen::MatrixXd entries(whole(config, "dimension"), whole(config, "points"));
    fill_normal(seed.child("points"), entries);
    const Points points = config.at("scale").number() * entries.transpose();
    const auto densities = word_axis("density", Key{config, "densities"}, "of the features' points z");
    const auto lambdas = axis("lambda", Key{config, "lambdas"}, "regularisation");
    const auto draws = whole_axis("draws", Key{config, "draws"}, "M");
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "draw of M features");
    Sweep sweep = Sweep::over(densities, lambdas, draws, repeats);
    const double most = static_cast<double>(*std::max_element(draws.begin(), draws.end()));
    sweep.bytes = static_cast<double>(points.rows() + points.cols()) * most * sizeof(double);
    sweep.attributes = {{"delta", fmt::format("{}", config.at("delta").number())}};
    // N of a density may be infinite.
    sweep.finite_but = {"degrees"};
    sweep.compute = [=](const Point& at) {
        const Stream own = seed.child(at[densities])
                               .child(fmt::format("{}", at[lambdas]))
                               .child(static_cast<std::uint64_t>(at[draws]))
                               .child(at[repeats]);
        return compute(points, at[densities], at[lambdas], at[draws], own);
    };
    return sweep;
}

report::Fixed place(const std::string& density, double lambda, double draws) {
    return {{"density", density}, {"lambda", lambda}, {"draws", draws}};
}
std::vector<double> values_at(const store::Dataset& data, const char* variable, const report::Fixed& fixed) {
    return report::slice(data, variable, fixed).values;
}

/// The number of features at which the mean operator's error falls to `t`, between two numbers of draws; NaN where it
/// does not within the sweep.
double needed(const store::Dataset& data, const std::string& density, double lambda, double t) {
    const auto& draws = report::numbers(data, "draws");
    double last = NAN;
    for (std::size_t i = 0; i < draws.size(); ++i) {
        const double error =
            report::average(data, "operator_error", place(density, lambda, draws[i]), "repeat").mean[0];
        if (error <= t) {
            if (i == 0) return NAN;
            const double part = std::log(last / t) / std::log(last / error);
            return draws[i - 1] * std::pow(draws[i] / draws[i - 1], part);
        }
        last = error;
    }
    return NAN;
}

/// The operator's error against M, a panel a lambda.
report::Figure errors_figure(const store::Dataset& data) {
    report::Figure figure{.name = "density",
                          .title = "Error of the operator by density",
                          .caption = "Mean of |(S + λ)^(-1/2) (S - S^) (S + λ)^(-1/2)| against the number of features.",
                          .interval = "Bands: " + report::interval_words("draws"),
                          .columns = 2};
    for (const double lambda : report::numbers(data, "lambda")) {
        report::Panel panel{.title = fmt::format("λ = {:.3g}", lambda)};
        panel.x = {.label = "M", .log = true};
        panel.y = {.label = "error of the operator", .log = true};
        panel.series = report::averaged_curves(data, "operator_error", {"density", "draws", "repeat"},
                                               {{"lambda", lambda}}, report::Style::line);
        figure.panels.push_back(panel);
    }
    return figure;
}

constexpr double wanted_error = 0.5;

/// Whether M = c N log N: features needed for an error of one half against N, by density.
report::Table needed_table(const store::Dataset& data) {
    const report::Format three{report::Format::Kind::significant, 3};
    report::Table table{
        .name = "density-needed",
        .caption = fmt::format("Features M at which the mean error of the operator is {}, and N of each density.",
                               wanted_error),
        .columns = {report::word_column("density"), report::number_column("lambda", three),
                    report::number_column("N, optimal", three), report::number_column("N, own", three),
                    report::number_column("M", three), report::number_column("M / N, optimal", three),
                    report::number_column("M / (N log N)", three)}};
    for (const std::string& density : report::words(data, "density"))
        for (const double lambda : report::numbers(data, "lambda")) {
            const auto fixed = place(density, lambda, report::numbers(data, "draws").front());
            const double optimal = values_at(data, "optimal_degrees", fixed).front();
            const double count = needed(data, density, lambda, wanted_error);
            table.rows.push_back({{density, lambda, optimal, values_at(data, "degrees", fixed).front(), count,
                                   count / optimal, count / (optimal * std::log(optimal))},
                                  lambda == report::numbers(data, "lambda").front()});
        }
    table.notes = {
        "M is interpolated between numbers of draws; a dash: not within them. N of the limit density is the largest "
        "value found, a lower bound; of Gaussian draws it is infinite."};
    return table;
}

/// Shares of draws above each bound at the t that M allows, and the loosest margin.
report::Table verdicts(const store::Dataset& data) {
    const report::Format two{report::Format::Kind::significant, 2};
    const double delta = std::stod(data.attributes.at("delta"));
    report::Table table{
        .name = "density-bounds",
        .caption = fmt::format("Bounds where M allows an error t of at most 3 with probability {} of failing: largest "
                               "share of draws above each, and the least bound over the largest value.",
                               delta),
        .columns = {report::word_column("bound"),
                    report::word_column("density"),
                    {"points"},
                    report::number_column("largest share above", two),
                    report::number_column("allowed", two),
                    report::number_column("bound / value, least", two),
                    report::word_column("verdict")}};
    struct Bound {
        const char* title;
        const char* variable;
        double allowed;
        std::function<double(const dof::OperatorSize&, double lambda, double t, double n, double count)> value;
    };
    const auto seven = [](double alpha, bool sharper) {
        return [=](const dof::OperatorSize& size, double lambda, double t, double, double) {
            return sharper ? dof::bound_theorem_7_sharper(size, lambda, t, alpha)
                           : dof::bound_theorem_7(size, lambda, t, alpha);
        };
    };
    const std::vector<Bound> bounds{
        {"Lemma 5: t", "operator_error", delta,
         [](const dof::OperatorSize&, double, double t, double, double) { return t; }},
        {"Theorem 3 (i)", "kernel_square", 2 * delta,
         [=](const dof::OperatorSize& size, double lambda, double t, double, double) {
             return dof::bound_theorem_6(size, lambda, t, delta);
         }},
        {"Theorem 3 (ii), alpha = 0", "integral_0", delta, seven(0, false)},
        {"Theorem 3 (ii), alpha = 1/4", "integral_quarter", delta, seven(0.25, false)},
        {"Theorem 3 (ii), alpha = 1/2", "integral_half", delta, seven(0.5, false)},
        {"the same, sharper, alpha = 0", "integral_0", delta, seven(0, true)},
        {"the same, sharper, alpha = 1/2", "integral_half", delta, seven(0.5, true)},
        {"Proposition 1: 4 lambda", "approximation", delta,
         [=](const dof::OperatorSize&, double lambda, double, double n, double count) {
             return count >= 5 * n * std::log(16 * n / delta) ? 4 * lambda : NAN;
         }},
        {"Proposition 1: 2 tr S / delta", "estimate_trace", delta,
         [=](const dof::OperatorSize& size, double, double, double n, double count) {
             return count >= 5 * n * std::log(16 * n / delta) ? 2 * size.trace / delta : NAN;
         }},
    };
    constexpr double family_error = 0.01;
    std::vector<std::vector<decisions::Evidence>> evidence;
    for (const Bound& bound : bounds)
        for (const std::string& density : report::words(data, "density")) {
            double points = 0, share = 0, margin = NAN;
            std::vector<decisions::Evidence> own;
            for (const double lambda : report::numbers(data, "lambda"))
                for (const double count : report::numbers(data, "draws")) {
                    const auto fixed = place(density, lambda, count);
                    const double n = values_at(data, "degrees", fixed).front();
                    const double t = dof::allowed_error(n, count, delta);
                    const double limit =
                        bound.value({values_at(data, "trace", fixed).front(), values_at(data, "norm", fixed).front()},
                                    lambda, t, n, count);
                    if (std::isnan(limit)) continue;
                    ++points;
                    const auto values = values_at(data, bound.variable, fixed);
                    const auto above = std::count_if(values.begin(), values.end(), [&](double v) { return v > limit; });
                    share = std::max(share, static_cast<double>(above) / static_cast<double>(values.size()));
                    own.push_back(decisions::share_evidence(
                        static_cast<std::uint64_t>(above), values.size(),
                        {.relation = decisions::Relation::not_above, .low = 0, .high = bound.allowed},
                        statistics::confidence));
                    const double largest = *std::max_element(values.begin(), values.end());
                    if (largest > 0) margin = std::fmin(margin, limit / largest);
                }
            if (points == 0) continue;
            evidence.push_back(std::move(own));
            table.rows.push_back({{bound.title, density, points, share, bound.allowed, margin},
                                  density == report::words(data, "density").front()});
        }
    const std::vector<std::string> judged = verdict_words(evidence, true, family_error);
    for (std::size_t r = 0; r < judged.size(); ++r) table.rows[r].entries.emplace_back(judged[r]);
    table.notes = {
        "Points: lambda and M. A bound fails if more draws are above it than are allowed, by binomial tails at 1 % for "
        "all points and bounds together (Holm 1979). Gaussian draws have infinite N: no theorem speaks of them."};
    return table;
}

/// Lemma 2's tail beside shares of draws, where it says something.
report::Table tails(const store::Dataset& data) {
    const report::Format two{report::Format::Kind::significant, 2};
    report::Table table{.name = "density-tail",
                        .caption = "Lemma 2: probability that the operator's error is above t.",
                        .columns = {report::word_column("density"),
                                    report::number_column("lambda", two),
                                    {"M"},
                                    {"t"},
                                    report::number_column("share of draws", two),
                                    report::number_column("bound", two)}};
    for (const std::string& density : report::words(data, "density"))
        for (const double lambda : report::numbers(data, "lambda"))
            for (const double count : report::numbers(data, "draws")) {
                const auto fixed = place(density, lambda, count);
                const double n = values_at(data, "degrees", fixed).front();
                for (const double t : {0.1, 0.25, 0.5, 1.0, 2.0}) {
                    const double bound = dof::tail_of_lemma_2(n, count, t);
                    if (!(bound < 1)) continue;
                    const auto values = values_at(data, "operator_error", fixed);
                    const auto above = std::count_if(values.begin(), values.end(), [&](double v) { return v > t; });
                    table.rows.push_back({{density, lambda, count, t,
                                           static_cast<double>(above) / static_cast<double>(values.size()), bound}});
                    // The first t at which it says something is where it is nearest.
                    break;
                }
            }
    return table;
}

Report report_of(const store::Dataset& data) {
    return {{errors_figure(data)}, {needed_table(data), verdicts(data), tails(data)}};
}

}  // namespace

Study density_study() {
    return {"dof",
            "density",
            "errors of operator, kernel, integrals and outputs by density and number of features, and their bounds",
            "Nishikawa, Higuchi and Suzuki 2025, Proposition 1, Lemmas 2 and 5, Theorem 3",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
