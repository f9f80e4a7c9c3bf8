// Figures 4.1 and 6.1: variance over the common norm of x and y and the angle between them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "methods/mechanism.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/slice.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::moments}, .columns = true, .sampling = EntrySampling::drawn};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("norms", numbers(above(0).at_most(50)), "|x| = |y|"),
        required("angles", numbers(between(0, 180)), "angle between x and y, in degrees"),
        defaulted("columns", integer(1, 1'000'000), "4", "cost of each estimator, in real feature columns"),
    };
}

store::Dataset compute(const MethodChoice& choice, Index columns, const std::vector<double>& norms,
                       const std::vector<double>& angles) {
    store::Variable used{"columns", {}, {}, "", "real feature columns"};
    store::Variable log_variance{"log_variance", {"norm", "angle"}, {}, "", "natural log of the estimator's variance"};
    parallel::Parts parts(static_cast<Index>(norms.size() * angles.size()));
    for (const double norm : norms)
        for (const double angle : angles) {
            const double theta = angle * M_PI / 180;
            const Vector x{{norm, 0}};
            const Vector y{{norm * std::cos(theta), norm * std::sin(theta)}};
            // Fitted to the very pair, so that each method is at its best everywhere.
            const auto statistics = features::statistics(x.transpose(), y.transpose());
            const auto mechanism = choice->mechanism()->fit_with_moments(statistics);
            const Index count = draws_within(*mechanism, choice.columns_within(columns));
            used.values = {static_cast<double>(mechanism->columns(count))};
            const auto value = features::estimator_log_variance(*mechanism, features::Pair(x, y),
                                                                choice.scheme(sampling::find("iid")), count);
            log_variance.values.push_back(value.value_or(NAN));
            parts.done();
        }
    return {{{"norm", norms, "", "|x| = |y|"}, {"angle", angles, "degrees", "angle between x and y"}},
            {log_variance, used},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    // Norms and angles are inside a cell: thousands of points, each of them closed forms in no time.
    Sweep sweep = Sweep::over(compared);
    // Variances, as they are computed and twice on the way into the result.
    sweep.bytes = 3.0 * sizeof(double) *
                  static_cast<double>(config.at("norms").numbers().size() * config.at("angles").numbers().size());
    sweep.compute = [compared, columns = whole(config, "columns"), norms = config.at("norms").numbers(),
                     angles = config.at("angles").numbers()](const Point& at) {
        return compute(at[compared], columns, norms, angles);
    };
    return sweep;
}

using report::Figure;
using report::Panel;

const char* const log_variance_label = "ln Var";

/// Real columns of each method; nothing in results of an earlier version.
std::vector<double> columns_of(const store::Dataset& data) {
    for (const store::Variable& one : data.variables)
        if (one.name == "columns") return one.values;
    return {};
}

/// "trigonometric 8, positive 4": costs, where they differ.
std::string costs(const store::Dataset& data) {
    const std::vector<double> columns = columns_of(data);
    if (std::adjacent_find(columns.begin(), columns.end(), std::not_equal_to<>()) == columns.end()) return {};
    std::string text;
    for (std::size_t m = 0; m < columns.size(); ++m)
        text += fmt::format("{}{} {}", m == 0 ? "" : ", ", report::words(data, "method")[m], columns[m]);
    return fmt::format(" Not at equal cost: real columns are {}.", text);
}

/// One map a method, with the same colours in all.
Figure maps(const store::Dataset& data) {
    Figure figure{
        .name = "angle",
        .title = "Variance over norm and angle",
        .caption = std::string() +
                   "Natural log of the variance of the estimator over |x| = |y| and the angle between x and y. "
                   "Trigonometric features are exact at angle 0, positive ones at 180°, hybrid ones at both." +
                   costs(data),
        .columns = 3};
    for (const std::string& method : report::words(data, "method")) {
        const auto slice = report::slice(data, "log_variance", {{"method", method}}, {"angle", "norm"});
        report::HeatMap map{slice.numbers("angle"),
                            slice.numbers("norm"),
                            slice.values,
                            log_variance_label,
                            {-10, -8, -6, -4, -2, 0, 2, 4, 6, 8, 10}};
        map.range = {{-10, 10}};
        map.palette = report::Palette::diverging;
        Panel panel{.title = method};
        panel.x = {.label = "angle / °", .ticks = {{0, ""}, {45, ""}, {90, ""}, {135, ""}, {180, ""}}};
        panel.y = {.label = "|x| = |y|"};
        panel.map = map;
        figure.panels.push_back(panel);
    }
    return figure;
}

/// The norms nearest to these are shown as curves over the angle.
std::vector<double> shown_norms(const std::vector<double>& norms) {
    std::vector<double> shown;
    for (const double wanted : {0.5, 1.0, 1.5, 2.0}) {
        const double nearest = *std::min_element(norms.begin(), norms.end(), [wanted](double a, double b) {
            return std::abs(a - wanted) < std::abs(b - wanted);
        });
        if (std::find(shown.begin(), shown.end(), nearest) == shown.end()) shown.push_back(nearest);
    }
    return shown;
}

Figure slices(const store::Dataset& data) {
    // E Z^2 is about 1 here, and what is left where a variance vanishes is the square of a double's rounding, 1e-33.
    const double rounding = std::log(1e-30);
    Figure figure{
        .name = "angle-slices",
        .title = "Variance against the angle, at four norms",
        .caption = std::string() +
                   "Cuts through the maps of variance over norm and angle. A curve leaves the panel, or ends, "
                   "where the variance is zero." +
                   costs(data),
        .columns = 2};
    for (const double norm : shown_norms(report::numbers(data, "norm"))) {
        Panel panel{.title = fmt::format("|x| = |y| = {:.3g}", norm)};
        panel.x = {.label = "angle / °", .ticks = {{0, ""}, {45, ""}, {90, ""}, {135, ""}, {180, ""}}};
        panel.y = {.label = "Var", .log = true, .range = {{1e-5, 1e5}}};
        for (const std::string& method : report::words(data, "method")) {
            const auto slice = report::slice(data, "log_variance", {{"method", method}, {"norm", norm}});
            std::vector<double> variance;
            for (const double value : slice.values) variance.push_back(value < rounding ? 0 : std::exp(value));
            panel.series.push_back({method, slice.numbers("angle"), variance});
        }
        figure.panels.push_back(panel);
    }
    return figure;
}

/// Shares of the angles at which each method has the least of log variance + log of its weight; a dash for one whose
/// variance has no closed form.
std::vector<report::Entry> wins(const store::Dataset& data, double norm, const std::vector<double>& weights) {
    const auto& names = report::words(data, "method");
    const auto slice = report::slice(data, "log_variance", {{"norm", norm}}, {"angle", "method"});
    const std::size_t angles = slice.numbers("angle").size();
    std::vector<double> count(names.size(), 0);
    std::vector<bool> known(names.size(), false);
    // At each angle the values of all methods lie side by side.
    for (std::size_t i = 0; i < angles; ++i) {
        std::size_t best = names.size();
        double least = INFINITY;
        for (std::size_t m = 0; m < names.size(); ++m) {
            const double value = slice.values[i * names.size() + m] + std::log(weights[m]);
            known[m] = known[m] || !std::isnan(value);
            if (value < least || (best == names.size() && !std::isnan(value))) least = value, best = m;
        }
        if (best < names.size()) ++count[best];
    }
    std::vector<report::Entry> entries;
    for (std::size_t m = 0; m < names.size(); ++m)
        entries.push_back(known[m] ? report::Entry(count[m] / static_cast<double>(angles))
                                   : report::Entry(report::Missing{}));
    return entries;
}

/// Who wins for the shown norms, as drawn and, where columns differ, at equal cost: variance times columns.
report::Table shares(const store::Dataset& data) {
    report::Table table{.name = "angle",
                        .caption = "Share of the angles at which each method has the least variance." + costs(data),
                        .columns = {{"|x| = |y|"}}};
    const bool differ = !costs(data).empty();
    if (differ) table.columns.insert(table.columns.begin(), report::word_column("cost"));
    const auto& names = report::words(data, "method");
    for (const std::string& name : names)
        table.columns.push_back(report::number_column(name, {report::Format::Kind::percent, 0}));
    const auto add = [&](const char* cost, const std::vector<double>& weights) {
        bool first = true;
        for (const double norm : shown_norms(report::numbers(data, "norm"))) {
            report::Row row{{norm}, first};
            if (differ) row.entries.insert(row.entries.begin(), report::Entry(std::string(cost)));
            for (report::Entry& entry : wins(data, norm, weights)) row.entries.push_back(std::move(entry));
            table.rows.push_back(row);
            first = false;
        }
    };
    add("as drawn", std::vector<double>(names.size(), 1));
    if (differ) {
        add("equal", columns_of(data));
        table.notes.emplace_back("At equal cost: by the variance times the columns, since draws divide the variance.");
    }
    for (const report::Row& row : table.rows)
        if (std::any_of(row.entries.begin(), row.entries.end(),
                        [](const report::Entry& one) { return std::holds_alternative<report::Missing>(one); })) {
            table.notes.emplace_back("A dash: the variance has no closed form under the sampling of this method.");
            break;
        }
    return table;
}

Report report_of(const store::Dataset& data) {
    Report report{{slices(data)}, {shares(data)}};
    // A map has an area.
    if (report::numbers(data, "norm").size() > 1 && report::numbers(data, "angle").size() > 1)
        report.figures.insert(report.figures.begin(), maps(data));
    else
        report.notes.emplace_back(
            "the maps of the variance are left out: they need two norms and two angles; the curves are there");
    return report;
}

}  // namespace

Study angle_study() {
    return {"variance",
            "angle",
            "variance of estimators over the norm of x and y and the angle between them",
            "Likhosherstov 2022, Figures 4.1 and 6.1",
            3,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
