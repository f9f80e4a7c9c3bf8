// Theorem 3: whether as many features as it asks for keep the operator's error below t, as printed and as corrected.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/dof/operator_error.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/proportion.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey none{};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        defaulted("dimension", integer(1, 256), "2", "d"),
        defaulted("scale", real(above(0).at_most(10)), "0.7", "standard deviation of the entries of points"),
        defaulted("points", integer(2, 1024), "24", "J, points that are the law"),
        defaulted("lambda", real(above(0)), "0.05", "regularisation"),
        defaulted("delta", real(above(0).below(1)), "0.1", "the probability with which the bound may fail"),
        defaulted("errors", numbers(above(0).at_most(3)), "[0.01, 0.03, 0.1, 0.3, 1]", "t"),
        defaulted("most", integer(1, 10'000'000), "200000", "features; where more are asked for, the cell is left out"),
        defaulted("repeats", integer(1, 100'000), "100", "draws of features"),
    };
}

const std::vector<std::string> forms{"printed", "corrected"};

struct Setting {
    Points points;
    double lambda, delta, most;
};

/// n: degrees of freedom.
double asked_for(const std::string& form, double n, double t, double delta) {
    return std::ceil(form == "printed" ? dof::sufficient_features_as_printed(n, t, delta)
                                       : dof::sufficient_features(n, t, delta));
}

/// `stream`: of the draw.
store::Dataset compute(const Setting& setting, double t, const std::string& form, const Stream& stream) {
    const double n = dof::softmax_spectrum(setting.points).degrees(setting.lambda);
    const double count = asked_for(form, n, t, setting.delta);
    double error = std::numeric_limits<double>::quiet_NaN();
    // A theorem may ask for more than any machine holds: then only the number itself is kept.
    if (count <= setting.most) {
        const dof::OptimalDensity density(setting.points, setting.lambda);
        error = dof::relative_operator_error(setting.points, density.draw(static_cast<Index>(count), stream),
                                             setting.lambda);
    }
    return {{},
            {{"features", {}, {count}, "", "M, as many as the bound asks for"},
             {"error", {}, {error}, "", "|(S + lambda)^(-1/2) (S - S^) (S + lambda)^(-1/2)|"},
             {"degrees", {}, {n}, "", "degrees of freedom at lambda"}},
            {}};
}

/// Peak memory in bytes: the points' Gram matrix, its estimate and the density's root beside the features of all points
/// and the draw, or seven matrices of the points if their difference is decomposed.
double bytes(const Setting& setting, const Axis<double>& errors) {
    const double n = dof::softmax_spectrum(setting.points).degrees(setting.lambda);
    double features = 0;
    for (const double t : errors)
        for (const std::string& form : forms)
            if (const double count = asked_for(form, n, t, setting.delta); count <= setting.most)
                features = std::max(features, count);
    const auto points = static_cast<double>(setting.points.rows()), d = static_cast<double>(setting.points.cols());
    const double drawn = (d + 1) * features, matrix = points * points;
    return (drawn + std::max(points * features + 3 * matrix, 7 * matrix)) * sizeof(double);
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "dof/bound");
    Eigen::MatrixXd entries(whole(config, "dimension"), whole(config, "points"));
    // One law for all cells: its points depend on the seed alone.
    fill_normal(seed.child("points"), entries);
    const Setting setting{config.at("scale").number() * entries.transpose(), config.at("lambda").number(),
                          config.at("delta").number(), static_cast<double>(config.at("most").integer())};
    const auto errors = axis("t", Key{config, "errors"}, "the error that the bound allows");
    const auto of_theorem = axis("form", forms, "of Theorem 3");
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "draw of features");
    Sweep sweep = Sweep::over(errors, of_theorem, repeats);
    sweep.bytes = bytes(setting, errors);
    sweep.compute = [=, features = seed.child("features")](const Point& at) {
        return compute(setting, at[errors], at[of_theorem],
                       features.child(fmt::format("{}", at[errors])).child(at[of_theorem]).child(at[repeats]));
    };
    return sweep;
}

struct Draws {
    double features;
    report::Averages error;  ///< over draws that were made
    std::size_t above = 0;   ///< of them, those with a larger error than t
};

Draws draws(const store::Dataset& data, double t, const std::string& form) {
    const report::Fixed fixed{{"t", t}, {"form", form}};
    Draws out{report::slice(data, "features", fixed).values.front(), report::average(data, "error", fixed, "repeat")};
    // NaN, of draws that were not made, is not above anything.
    for (const double error : report::slice(data, "error", fixed).values) out.above += error > t;
    return out;
}

Report report_of(const store::Dataset& data) {
    report::Table table{
        .name = "bound",
        .caption = fmt::format(
            "Features that Theorem 3 asks for, drawn from the optimal density, and the share of "
            "draws with a larger error than t; {:.3g} degrees of freedom. Mean error ± half its 95 % interval.",
            data.variable("degrees").values.front()),
        .columns = {{"t"},
                    {"form", "", report::Alignment::left},
                    {"features"},
                    {"mean error"},
                    {"share above t"},
                    {"95 % from"},
                    {"to"}}};
    report::Panel panel;
    panel.x = {.label = "t, the error that is allowed", .log = true};
    panel.y = {.label = "error of the operator", .log = true};
    const auto& errors = report::numbers(data, "t");
    panel.series.push_back({.label = "allowed", .x = errors, .y = errors, .style = report::Style::reference});
    for (const std::string& form : forms) {
        for (const double t : errors) {
            const Draws of = draws(data, t, form);
            report::Row row{{t, form, of.features, report::averaged_entry(of.error)}};
            if (const std::size_t all = of.error.count[0]; all > 0) {
                const auto interval = statistics::clopper_pearson(of.above, all, statistics::confidence);
                row.entries.emplace_back(static_cast<double>(of.above) / static_cast<double>(all));
                row.entries.emplace_back(interval.low);
                row.entries.emplace_back(interval.high);
            } else {
                // Nothing was drawn: dashes.
                row.entries.resize(table.columns.size(), report::Missing{});
            }
            table.rows.push_back(row);
        }
        panel.series.push_back(report::averaged_series(
            form, errors, report::average(data, "error", {{"form", form}}, "repeat"), report::Style::line_points));
    }
    report::Figure figure{
        .name = "bound",
        .title = "Theorem 3: errors with the number of features it asks for",
        .caption =
            "Mean error of the operator with features from the optimal density, as many as the theorem asks for. A "
            "number that suffices keeps it below the dashed line.",
        .interval = "Bands: " + report::interval_words("draws"),
        .panels = {panel}};
    return {{figure}, {table}};
}

}  // namespace

Study freedom_bound_study() {
    return {"dof",
            "bound",
            "the number of features that Theorem 3 asks for, as printed and as corrected",
            "Nishikawa, Higuchi and Suzuki 2025, Theorem 3",
            3,
            none,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
