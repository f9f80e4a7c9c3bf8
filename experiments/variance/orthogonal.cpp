// What orthogonal and simplex sampling gain over iid, exactly: the ratio of variances against |x + y| (positive
// features) or |x - y| (trigonometric ones), with Monte Carlo points on top and the bounds of Theorems 3, 6 and 18.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "choices.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/theory/bounds.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "variance/studies.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    const Schema names = one_or_more(one_of({"positive", "regularized", "optimal-positive", "trigonometric"}));
    return {
        required("mechanisms", names, "along |x + y| for all but trigonometric, which is along |x - y|"),
        required("samplings", one_or_more(one_of({"orthogonal", "simplex"})), "compared with iid"),
        required("dimensions", integers(2, 1024), "d"),
        required("multiples", integers(1, 64), "M / d"),
        required("distances", numbers(above(0).at_most(100)), "|x + y| or |x - y|"),
        defaulted("offset", real(at_least(0)), "0.75",
                  "length of half the other of x + y and x - y in the pairs at which Theorem 18 is looked at: x.y < 0 "
                  "where it exceeds half the distance"),
        required("drawn_distances", numbers(above(0).at_most(4)), "distances at which estimators are drawn as well"),
        required("repeats", integer(100, 10'000'000), "drawn estimators a point"),
    };
}

/// x = y for the positive family, x = -y for the trigonometric one, with the given distance.
struct PairAt {
    Vector x, y;
};
PairAt pair_at(bool along_difference, Index dimension, double distance, double offset = 0) {
    Vector x = Vector::Zero(dimension);
    x[0] = 0.5 * distance;
    Vector y = along_difference ? Vector(-x) : x;
    x[1] += offset;
    y[1] -= offset;
    return {x, y};
}

features::Statistics pair_statistics(const PairAt& pair) {
    return features::statistics(pair.x.transpose(), pair.y.transpose());
}

/// log(1 - gain / Var_iid): the ratio of variances that a bound promises; NaN where it promises a negative variance.
double log_promised_ratio(double log_gain, double log_variance_iid) {
    return std::log1p(-std::exp(log_gain - log_variance_iid));
}

class Cell {
public:
    Cell(const features::MechanismInfo& info, Index dimension, const std::vector<const sampling::Scheme*>& schemes)
        : info_(info), dimension_(dimension), schemes_(schemes), along_difference_(info.name == "trigonometric") {}

    /// multiple x sampling x distance
    store::Variable exact(const std::vector<std::int64_t>& multiples, const std::vector<double>& distances) const {
        store::Variable result{"log_ratio", {"multiple", "sampling", "distance"}, {}, "",
                               "log of the variance over that of iid sampling, exact"};
        for (const std::int64_t multiple : multiples)
            for (const sampling::Scheme* scheme : schemes_)
                for (const double distance : distances) {
                    const PairAt at = pair_at(along_difference_, dimension_, distance);
                    const features::Pair pair(at.x, at.y);
                    const auto mechanism = features::fit(info_, pair_statistics(at));
                    const Index count = static_cast<Index>(multiple) * dimension_;
                    result.values.push_back(estimator_log_variance(*mechanism, pair, *scheme, count).value_or(NAN) -
                                            iid(*mechanism, pair, count));
                }
        return result;
    }

    /// multiple x distance, for pairs `offset` apart in the other direction
    store::Variable bound(const char* name, const char* description, const std::vector<std::int64_t>& multiples,
                          const std::vector<double>& distances, double offset,
                          double (*log_gain)(Index d, Index count, double plus, double minus)) const {
        store::Variable result{name, {"multiple", "distance"}, {}, "", description};
        for (const std::int64_t multiple : multiples)
            for (const double distance : distances) {
                const PairAt at = pair_at(along_difference_, dimension_, distance, offset);
                const features::Pair pair(at.x, at.y);
                const auto mechanism = features::fit(info_, pair_statistics(at));
                const Index count = static_cast<Index>(multiple) * dimension_;
                result.values.push_back(log_promised_ratio(log_gain(dimension_, count, pair.plus, pair.minus),
                                                           iid(*mechanism, pair, count)));
            }
        return result;
    }

    /// Drawn variances over the exact iid one, and their standard errors: multiple x sampling x drawn_distance
    std::vector<store::Variable> drawn(const std::vector<std::int64_t>& multiples, const std::vector<double>& distances,
                                       std::int64_t repeats, const Stream& seed) const {
        const std::vector<std::string> axes{"multiple", "sampling", "drawn_distance"};
        store::Variable ratio{"drawn_ratio", axes, {}, "", "empirical variance of drawn estimators over the exact iid one"};
        store::Variable error{"drawn_ratio_error", axes, {}, "", "standard error of drawn_ratio"};
        for (const std::int64_t multiple : multiples)
            for (const sampling::Scheme* scheme : schemes_)
                for (std::size_t i = 0; i < distances.size(); ++i) {
                    const PairAt at = pair_at(along_difference_, dimension_, distances[i]);
                    const features::Pair pair(at.x, at.y);
                    const auto mechanism = features::fit(info_, pair_statistics(at));
                    const Index count = static_cast<Index>(multiple) * dimension_;
                    const Stream own = seed.child(scheme->name).child(static_cast<std::uint64_t>(multiple)).child(i);
                    const features::DrawnMoments moments = features::drawn_moments(*mechanism, pair, *scheme, count, repeats, own);
                    const double scale = std::exp(-iid(*mechanism, pair, count));
                    ratio.values.push_back(moments.variance * scale);
                    error.values.push_back(moments.variance_error * scale);
                }
        return {ratio, error};
    }

private:
    static double iid(const features::Mechanism& mechanism, const features::Pair& pair, Index count) {
        return *estimator_log_variance(mechanism, pair, sampling::find("iid"), count);
    }

    const features::MechanismInfo& info_;
    Index dimension_;
    std::vector<const sampling::Scheme*> schemes_;
    bool along_difference_;
};

double theorem_3(Index d, Index count, double, double minus) { return theory::log_gain_theorem_3(d, count, minus); }

/// NaN for the mechanisms the theorem does not speak of, so that all cells have the same variables.
double no_theorem(Index, Index, double, double) { return NAN; }

Sweep prepare(const config::Value& config) {
    const std::vector<std::string> names = config.at("mechanisms").texts();
    const auto dimensions = config.at("dimensions").integers();
    const auto multiples = config.at("multiples").integers();
    const auto distances = config.at("distances").numbers();
    const auto drawn_distances = config.at("drawn_distances").numbers();
    const double offset = config.at("offset").number();
    const std::int64_t repeats = config.at("repeats").integer();
    const auto schemes = samplings(config.at("samplings"));
    const Stream seed = Stream(static_cast<std::uint64_t>(config.at("seed").integer())).child("variance/orthogonal");

    Sweep sweep;
    sweep.axes = {{"mechanism", names, "", "random-feature mechanism"},
                  {"dimension", std::vector<double>(dimensions.begin(), dimensions.end()), "", "d"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.compute = [=](const engine::Cell& at) {
        const features::MechanismInfo& info = features::find(names[at.coordinates[0]]);
        const Index d = static_cast<Index>(dimensions[at.coordinates[1]]);
        const bool trigonometric = info.name == "trigonometric";
        const Cell cell(info, d, schemes);
        store::Dataset result;
        result.axes = {{"multiple", std::vector<double>(multiples.begin(), multiples.end()), "", "M / d"},
                       sampling_axis(schemes),
                       {"distance", distances, "", "|x - y| for trigonometric, |x + y| otherwise"},
                       {"drawn_distance", drawn_distances, "", "as distance, where estimators are drawn"}};
        const bool has_theorem_6 = info.name == "positive" || info.name == "optimal-positive";
        result.variables = {
            cell.exact(multiples, distances),
            cell.bound("theorem_3", "log ratio by the leading term of Theorem 3", multiples, distances, 0,
                       trigonometric ? theorem_3 : no_theorem),
            cell.bound("theorem_6", "log ratio that Theorem 6, and Theorem 18 as corrected, promise", multiples, distances,
                       0, has_theorem_6 ? theory::log_gain_theorem_6 : no_theorem),
            cell.bound("theorem_18_printed", "log ratio that Theorem 18 as printed promises, at the offset", multiples,
                       distances, offset, has_theorem_6 ? theory::log_gain_theorem_18_printed : no_theorem),
        };
        for (store::Variable& variable :
             cell.drawn(multiples, drawn_distances, repeats, seed.child(info.name).child(static_cast<std::uint64_t>(d))))
            result.variables.push_back(std::move(variable));
        return result;
    };
    return sweep;
}

const std::vector<double>& numbers(const store::Dataset& data, const char* axis) {
    return std::get<std::vector<double>>(data.axis(axis).labels);
}
const std::vector<std::string>& words(const store::Dataset& data, const char* axis) {
    return std::get<std::vector<std::string>>(data.axis(axis).labels);
}

std::vector<double> exponentials(std::vector<double> logs) {
    for (double& value : logs) value = std::exp(value);
    return logs;
}

/// One mechanism and one sampling: a panel for each M / d, a curve for each d, drawn points on it.
report::Figure figure(const store::Dataset& data, const std::string& mechanism, const std::string& sampling) {
    report::Figure result{
        .name = "orthogonal-" + mechanism + (sampling == "orthogonal" ? "" : "-" + sampling),
        .title = fmt::format("{}: variance of {} over iid sampling", mechanism, sampling),
        .caption = "Exact ratio of variances against the distance; below 1 the coupling helps, above 1 it harms. Points are "
                   "drawn estimators with two standard errors.",
        .columns = static_cast<int>(std::min<std::size_t>(3, numbers(data, "multiple").size()))};
    for (const double d : numbers(data, "dimension")) result.names.push_back(fmt::format("d = {}", d));
    for (const double multiple : numbers(data, "multiple")) {
        report::Panel panel{.title = fmt::format("M = {} d", multiple)};
        panel.x = {.label = mechanism == "trigonometric" ? "|x - y|" : "|x + y|"};
        panel.y = {.label = "Var / Var(iid)"};
        panel.horizontal = {{1.0}};
        for (const double d : numbers(data, "dimension")) {
            const report::Fixed fixed{
                {"mechanism", mechanism}, {"sampling", sampling}, {"multiple", multiple}, {"dimension", d}};
            const auto exact = report::slice(data, "log_ratio", fixed);
            const std::string label = fmt::format("d = {}", d);
            panel.series.push_back({label, exact.numbers("distance"), exponentials(exact.values)});
            const auto drawn = report::slice(data, "drawn_ratio", fixed);
            const auto error = report::slice(data, "drawn_ratio_error", fixed);
            report::Series points{label + ", drawn", drawn.numbers("drawn_distance"), drawn.values};
            for (std::size_t i = 0; i < drawn.values.size(); ++i) {
                points.low.push_back(drawn.values[i] - 2 * error.values[i]);
                points.high.push_back(drawn.values[i] + 2 * error.values[i]);
            }
            points.style = report::Style::points;
            points.spread = report::Spread::bars;
            points.in_legend = false;
            points.like = label;
            panel.series.push_back(points);
        }
        result.panels.push_back(panel);
    }
    return result;
}

/// Exact ratios beside what the theorems promise, M = d, a panel a dimension.
report::Figure bounds(const store::Dataset& data, const std::string& mechanism) {
    report::Figure result{.name = "bounds-" + mechanism,
                          .title = mechanism + ": exact gain of orthogonal sampling and the printed bounds, M = d",
                          .caption = "Exact ratio of variances and what the theorems promise. A curve of a bound below the exact "
                                     "one is a bound that fails.",
                          .columns = 3};
    const auto add = [&](report::Panel& panel, const char* variable, const std::string& label, double d) {
        const report::Fixed fixed{{"mechanism", mechanism}, {"dimension", d}, {"multiple", numbers(data, "multiple").front()}};
        const auto slice = report::slice(data, variable, fixed);
        if (std::all_of(slice.values.begin(), slice.values.end(), [](double v) { return std::isnan(v); })) return;
        panel.series.push_back({label, slice.numbers("distance"), exponentials(slice.values)});
    };
    for (const double d : numbers(data, "dimension")) {
        report::Panel panel{.title = fmt::format("d = {}", d)};
        panel.x = {.label = mechanism == "trigonometric" ? "|x - y|" : "|x + y|"};
        panel.y = {.label = "Var / Var(iid)"};
        panel.horizontal = {{1.0}};
        for (const std::string& sampling : words(data, "sampling")) {
            const auto exact = report::slice(data, "log_ratio",
                                             {{"mechanism", mechanism}, {"dimension", d}, {"sampling", sampling},
                                              {"multiple", numbers(data, "multiple").front()}});
            panel.series.push_back({sampling + ", exact", exact.numbers("distance"), exponentials(exact.values)});
        }
        add(panel, "theorem_3", "Theorem 3, leading term", d);
        add(panel, "theorem_6", mechanism == "positive" ? "Theorem 6" : "Theorem 18, corrected", d);
        add(panel, "theorem_18_printed", "Theorem 18 as printed, x.y < 0 at the left", d);
        result.panels.push_back(panel);
    }
    return result;
}

/// The smallest distance from which orthogonal sampling is worse than iid, in the grid.
double first_worse(const report::Slice& ratios) {
    for (std::size_t i = 0; i < ratios.values.size(); ++i)
        if (ratios.values[i] > 0) return ratios.numbers("distance")[i];
    return NAN;
}

report::Table summary(const store::Dataset& data) {
    report::Table table{.name = "orthogonal",
                        .caption = "Largest gain over iid sampling and where a coupling becomes worse than iid, M = d.",
                        .columns = {{"mechanism", "", report::Alignment::left}, {"d"}}};
    for (const std::string& sampling : words(data, "sampling")) {
        table.columns.push_back({sampling + ": least Var / Var(iid)"});
        table.columns.push_back({sampling + ": worse from"});
    }
    for (const std::string& mechanism : words(data, "mechanism"))
        for (const double d : numbers(data, "dimension")) {
            report::Row row{{mechanism, d}, d == numbers(data, "dimension").front()};
            for (const std::string& sampling : words(data, "sampling")) {
                const auto ratios = report::slice(data, "log_ratio",
                                                  {{"mechanism", mechanism}, {"dimension", d}, {"sampling", sampling},
                                                   {"multiple", numbers(data, "multiple").front()}});
                row.entries.emplace_back(std::exp(*std::min_element(ratios.values.begin(), ratios.values.end())));
                row.entries.emplace_back(first_worse(ratios));
            }
            table.rows.push_back(row);
        }
    table.notes = {"Distances are |x - y| for trigonometric and |x + y| otherwise; a dash: never on the grid.",
                   "Positive, regularized and optimal positive features are never worse; trigonometric ones are for d >= 3 "
                   "beyond some distance."};
    return table;
}

/// How often the printed bound of Theorem 18 fails on the grid, and the corrected one.
report::Table violations(const store::Dataset& data) {
    report::Table table{.name = "bounds",
                        .caption = "Points of the grid at which a bound exceeds the exact gain of orthogonal sampling.",
                        .columns = {{"mechanism", "", report::Alignment::left},
                                    {"bound", "", report::Alignment::left},
                                    {"points"},
                                    {"violated"}}};
    for (const std::string& mechanism : words(data, "mechanism")) {
        if (mechanism != "positive" && mechanism != "optimal-positive") continue;
        const std::vector<double> exact =
            report::slice(data, "log_ratio", {{"mechanism", mechanism}, {"sampling", "orthogonal"}},
                          {"dimension", "multiple", "distance"})
                .values;
        const std::pair<const char*, const char*> bounds[] = {
            {"theorem_6", mechanism == "positive" ? "Theorem 6" : "Theorem 18, corrected"},
            {"theorem_18_printed", "Theorem 18 as printed"}};
        for (const auto& [variable, label] : bounds) {
            const std::vector<double> promised =
                report::slice(data, variable, {{"mechanism", mechanism}}, {"dimension", "multiple", "distance"}).values;
            double violated = 0;
            // A promised variance below zero (NaN) is a violation too. Rounding: a few ulps of the logs.
            for (std::size_t i = 0; i < exact.size(); ++i)
                violated += std::isnan(promised[i]) || promised[i] < exact[i] - 1e-12;
            table.rows.push_back({{mechanism, label, static_cast<double>(exact.size()), violated}});
        }
    }
    table.notes = {"Theorem 18 as printed has exp(-s/2) where its proof gives exp(-s); it is looked at where x.y < 0 for small "
                   "|x + y|."};
    return table;
}

Report report_of(const store::Dataset& data) {
    Report result;
    for (const std::string& mechanism : words(data, "mechanism")) {
        for (const std::string& sampling : words(data, "sampling"))
            result.figures.push_back(figure(data, mechanism, sampling));
        if (mechanism != "regularized") result.figures.push_back(bounds(data, mechanism));
    }
    result.tables = {summary(data)};
    const auto& samplings = words(data, "sampling");
    if (std::find(samplings.begin(), samplings.end(), "orthogonal") != samplings.end()) {
        report::Table table = violations(data);
        if (!table.rows.empty()) result.tables.push_back(table);
    }
    return result;
}

}  // namespace

Study orthogonal_study() {
    return {"variance", "orthogonal", "exact gain of orthogonal and simplex sampling over iid, drawn points, printed bounds",
            "Likhosherstov 2022, Theorems 3, 6, 18; the exact gain is ours", 1, keys, prepare, report_of};
}

}  // namespace rfbench::experiments
