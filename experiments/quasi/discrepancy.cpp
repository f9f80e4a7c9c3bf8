// Box discrepancies of sampled omegas, (27) to (29) of DiJiang, and whether they say anything about the error of the
// kernel: of trigonometric features, which are band-limited, and of positive ones, which are not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/report/averaged.hpp"
#include "rfbench/sampling/box_discrepancy.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench/statistics/ranks.hpp"
#include "sources/normal_points.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

std::vector<std::string> scheme_names() {
    std::vector<std::string> names;
    for (const sampling::Scheme& one : sampling::catalogue()) names.push_back(one.name);
    return names;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("samplings", one_or_more(one_of(scheme_names())), "how omegas are drawn"),
        required("dimensions", integers(1, 1024), "d"),
        required("draws", integers(2, 4096), "M"),
        defaulted("box", real(above(0).at_most(10)), "1", "b: half the side of the box"),
        defaulted("length", real(above(0).at_most(5)), "1", "|x| = |y|"),
        defaulted("pairs", integer(1, 100000), "200", "random pairs x, y over which errors are averaged"),
        required("repeats", integer(2, 10000), "draws of M omegas"),
    };
}

/// Root mean square over pairs of |K^ - K|, x and y in random directions.
struct KernelErrors {
    double trigonometric, positive;
};
KernelErrors kernel_errors(const Projections& omega, const Points& x, const Points& y) {
    double trigonometric = 0, positive = 0;
    for (Index i = 0; i < x.rows(); ++i) {
        const Vector sum = (x.row(i) + y.row(i)).transpose(), difference = (x.row(i) - y.row(i)).transpose();
        const double kernel = std::exp(-0.5 * difference.squaredNorm());
        const double norms = x.row(i).squaredNorm() + y.row(i).squaredNorm();
        const Vector cosines = (omega.transpose() * difference).array().cos();
        const Vector exponentials = ((omega.transpose() * sum).array() - norms).exp();
        trigonometric += std::pow(cosines.mean() - kernel, 2);
        positive += std::pow(exponentials.mean() - kernel, 2);
    }
    const double n = static_cast<double>(x.rows());
    return {std::sqrt(trigonometric / n), std::sqrt(positive / n)};
}

Sweep prepare(const config::Value& config) {
    const auto schemes = word_axis("sampling", Key{config, "samplings"}, "how omegas are drawn");
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const auto draws = whole_axis("draws", Key{config, "draws"}, "M");
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "draw of M omegas");
    const double box = config.at("box").number(), length = config.at("length").number();
    const Index pairs = whole(config, "pairs");
    const Stream seed = study_stream(config, "quasi/discrepancy");

    Sweep sweep = Sweep::over(schemes, dimensions, draws, repeats);
    sweep.compute = [=](const Point& at) -> store::Dataset {
        const Index d = at[dimensions];
        // The pairs are the same for every sampling and number of draws.
        const Stream of_pairs = seed.child("pairs").child(static_cast<std::uint64_t>(d));
        const Points x = length * normal_points(of_pairs.child("x"), pairs, d).rowwise().normalized();
        const Points y = length * normal_points(of_pairs.child("y"), pairs, d).rowwise().normalized();
        Projections omega(d, at[draws]);
        sampling::find(at[schemes])
            .normals(seed.child(at[schemes])
                         .child(static_cast<std::uint64_t>(d))
                         .child(static_cast<std::uint64_t>(at[draws]))
                         .child(at[repeats]),
                     omega);
        const sampling::BoxDiscrepancy found = sampling::box_discrepancy(omega, box);
        const KernelErrors errors = kernel_errors(omega, x, y);
        return {{},
                {{"squared_discrepancy", {}, {found.squared}, "", "D(S)^2 over the square of the norm of the mean"},
                 {"squared_discrepancy_printed", {}, {found.squared_printed}, "", "the same with pi^-d, as in (29)"},
                 {"trigonometric_error", {}, {errors.trigonometric}, "", "RMS of K^ - K, trigonometric features"},
                 {"positive_error", {}, {errors.positive}, "", "RMS of K^ - K, positive features"}},
                {}};
    };
    return sweep;
}

report::Averages mean_of(const store::Dataset& data, const char* variable, const std::string& scheme, double d,
                         double draws) {
    return report::average(data, variable, {{"sampling", scheme}, {"dimension", d}, {"draws", draws}}, "repeat");
}

/// Discrepancy against M, a panel a dimension.
report::Figure against_draws(const store::Dataset& data) {
    report::Figure figure{.name = "discrepancy",
                          .title = "Squared box discrepancy",
                          .caption = "D(S)² over that of no points at all, against M.",
                          .interval = "Bands: " + report::interval_words("draws"),
                          .columns = 2};
    for (const double d : report::numbers(data, "dimension")) {
        report::Panel panel{.title = fmt::format("d = {}", d)};
        panel.x = {.label = "M", .log = true};
        panel.y = {.label = "D²", .log = true};
        panel.series = report::averaged_curves(data, "squared_discrepancy", {"sampling", "draws", "repeat"},
                                               {{"dimension", d}}, report::Style::line);
        figure.panels.push_back(panel);
    }
    return figure;
}

/// Discrepancy and errors over those of iid draws, at the most draws.
report::Table ratios(const store::Dataset& data) {
    const report::Format two{report::Format::Kind::significant, 2};
    const std::string& first = report::words(data, "sampling").front();
    const double draws = report::numbers(data, "draws").back();
    report::Table table{
        .name = "discrepancy",
        .caption = fmt::format("D² and squared errors of the kernel over those of {}, M = {}.", first, draws),
        .columns = {{"d"},
                    report::word_column("sampling"),
                    report::number_column("D²", two),
                    report::number_column("error², trigonometric", two),
                    report::number_column("error², positive", two)}};
    for (const double d : report::numbers(data, "dimension"))
        for (const std::string& scheme : report::words(data, "sampling")) {
            const auto square = [&](const char* variable, const std::string& of) {
                const auto values =
                    report::slice(data, variable, {{"sampling", of}, {"dimension", d}, {"draws", draws}}).values;
                double sum = 0;
                for (const double one : values) sum += one * one;
                return sum;
            };
            table.rows.push_back({{d, scheme,
                                   mean_of(data, "squared_discrepancy", scheme, d, draws).mean[0] /
                                       mean_of(data, "squared_discrepancy", first, d, draws).mean[0],
                                   square("trigonometric_error", scheme) / square("trigonometric_error", first),
                                   square("positive_error", scheme) / square("positive_error", first)},
                                  scheme == first});
        }
    return table;
}

/// Kendall's tau of the discrepancy with errors: over samplings (of means), and within each over its draws.
/// Kendall's tau; NaN of fewer than two, which have no order.
double order(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() < 2 ? std::nan("") : statistics::kendall_tau(a, b);
}

report::Table correlations(const store::Dataset& data) {
    report::Table table{.name = "discrepancy-correlation",
                        .caption = "Kendall's tau between the box discrepancy and the error of the kernel.",
                        .columns = {{"d"},
                                    {"M"},
                                    report::number_column("over samplings, trigonometric", report::decimals(2)),
                                    report::number_column("over samplings, positive", report::decimals(2)),
                                    report::number_column("over draws, trigonometric", report::decimals(2)),
                                    report::number_column("over draws, positive", report::decimals(2))}};
    const auto& schemes = report::words(data, "sampling");
    for (const double d : report::numbers(data, "dimension"))
        for (const double draws : report::numbers(data, "draws")) {
            report::Row row{{d, draws}};
            const char* const errors[] = {"trigonometric_error", "positive_error"};
            for (const char* error : errors) {
                std::vector<double> discrepancy, mean_error;
                for (const std::string& scheme : schemes) {
                    discrepancy.push_back(mean_of(data, "squared_discrepancy", scheme, d, draws).mean[0]);
                    mean_error.push_back(mean_of(data, error, scheme, d, draws).mean[0]);
                }
                row.entries.emplace_back(order(discrepancy, mean_error));
            }
            for (const char* error : errors) {
                double sum = 0, count = 0;
                for (const std::string& scheme : schemes) {
                    const report::Fixed fixed{{"sampling", scheme}, {"dimension", d}, {"draws", draws}};
                    const double one = order(report::slice(data, "squared_discrepancy", fixed).values,
                                             report::slice(data, error, fixed).values);
                    // Fixed points have one value each: nothing is correlated.
                    if (std::isnan(one)) continue;
                    sum += one;
                    ++count;
                }
                row.entries.emplace_back(sum / count);
            }
            table.rows.push_back(row);
        }
    table.notes = {
        "Over samplings: of mean values, one a sampling. Over draws: within a sampling, from one draw of M omegas to "
        "the next, averaged over samplings that are random."};
    return table;
}

Report report_of(const store::Dataset& data) { return {{against_draws(data)}, {ratios(data), correlations(data)}}; }

}  // namespace

Study discrepancy_study() {
    return {"quasi",
            "discrepancy",
            "box discrepancy of omegas by sampling, and the error of the kernel",
            "Chen et al. 2024, (27) to (31)",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
