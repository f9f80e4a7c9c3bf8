#include "concentration/tail_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/verdict_report.hpp"
#include "rfbench/report/file_name.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/proportion.hpp"

namespace rfbench::experiments {

const std::vector<TailBound>& tail_bounds() {
    static const std::vector<TailBound> bounds{
        {"hoeffding", "Theorem 2 at one pair: Hoeffding", "exceed"},
        {"theorem_20_printed", "Theorem 20 as printed", "exceed"},
        {"theorem_20", "Theorem 20, corrected", "exceed"},
        {"theorem_20_sharper", "Theorem 20 at the exact range of Z", "exceed"},
        {"theorem_20_chernoff", "Theorem 20, second part: Chernoff", "above"},
        {"theorem_8_printed", "Theorem 8 as printed", "above"},
        {"theorem_8", "Theorem 8, corrected", "above"},
        {"theorem_8_sharper", "Theorem 8, all coefficients", "above"},
        {"multiplicative", "Theorem 8 or 20, multiplicative", "above"},
        {"lower_tail", "lower tail: exp(-M t²/(2 E Z²))", "below"},
        {"lower_tail_sharper", "lower tail at the best theta", "below"},
        {"chebyshev", "Chebyshev with the exact variance", "exceed"},
    };
    return bounds;
}

namespace {

using statistics::Interval;

constexpr double shown_error = 0.5;    // of K, in figures and tables against M
constexpr double counted = 25;         // estimates that make a share known to a fifth of itself
constexpr double family_error = 0.01;  // of claiming any violation at all by chance

using report::all_missing;
using report::numbers;
using report::words;

/// Bounds that a file has: files of earlier versions lack some.
std::vector<const TailBound*> bounds_in(const store::Dataset& data) {
    std::vector<const TailBound*> all;
    for (const TailBound& bound : tail_bounds())
        if (data.has_variable(bound.variable)) all.push_back(&bound);
    return all;
}

/// Place in the sweep of one curve over errors.
struct Place {
    std::string method, sampling, pair;
    double count;

    report::Fixed fixed() const {
        return {{"method", method}, {"sampling", sampling}, {"pair", pair}, {"draws", count}};
    }
};

/// Every cell has its number of trials: where that is NaN there is no cell.
bool measured(const store::Dataset& data, const Place& at) {
    return !std::isnan(report::slice(data, "trials", at.fixed()).values.front());
}

std::vector<Place> places(const store::Dataset& data) {
    std::vector<Place> result;
    for (const std::string& method : words(data, "method"))
        for (const std::string& sampling : words(data, "sampling"))
            for (const std::string& pair : words(data, "pair"))
                for (const double count : numbers(data, "draws"))
                    if (const Place at{method, sampling, pair, count}; measured(data, at)) result.push_back(at);
    return result;
}

struct Proportion {
    double value;
    Interval interval;
};
Proportion proportion(double successes, double trials, double at_level) {
    return {successes / trials, statistics::clopper_pearson(static_cast<std::uint64_t>(successes),
                                                            static_cast<std::uint64_t>(trials), at_level)};
}

/// Proportions of an event at every error of the grid.
std::vector<Proportion> proportions(const store::Dataset& data, const Place& at, const char* event, double at_level) {
    const double trials = report::slice(data, "trials", at.fixed()).values.front();
    std::vector<Proportion> result;
    for (const double successes : report::slice(data, event, at.fixed()).values)
        result.push_back(proportion(successes, trials, at_level));
    return result;
}

std::size_t nearest_error(const store::Dataset& data) {
    const auto& errors = numbers(data, "error");
    const auto far = [](double error) { return std::abs(std::log(error / shown_error)); };
    return static_cast<std::size_t>(
        std::min_element(errors.begin(), errors.end(), [&](double a, double b) { return far(a) < far(b); }) -
        errors.begin());
}

double kernel(const store::Dataset& data, const std::string& pair) {
    for (const Place& at : places(data))
        if (at.pair == pair) return report::slice(data, "kernel", at.fixed()).values.front();
    return NAN;
}

void add_point(report::Series& series, double x, const Proportion& p) {
    series.x.push_back(x);
    series.y.push_back(p.value);
    series.low.push_back(p.interval.low);
    series.high.push_back(p.interval.high);
}

std::string shown_interval(const char* what) {
    return fmt::format("{}: {} % Clopper-Pearson intervals", what, 100 * statistics::confidence);
}

/// Whether no estimate was that far off anywhere.
bool never(const std::vector<double>& shares) {
    return std::none_of(shares.begin(), shares.end(), [](double share) { return share > 0; });
}

/// One pair: P(|K^ - K| >= shown error) against M, a panel a sampling.
report::Figure against_count(const store::Dataset& data, const std::string& pair) {
    const std::size_t e = nearest_error(data);
    const double error = numbers(data, "error")[e];
    report::Figure figure{
        .name = "tail-" + report::as_file_name(pair),
        .title = fmt::format("pair {}, K = {:.3g}: how often an estimate is off by {:.3g} K or more", pair,
                             kernel(data, pair), error),
        .caption = fmt::format(
            "Share of drawn estimates with |K^ - K| >= {:.3g} K against the number of draws M. A curve ends "
            "where no estimate was that far off: the data have a share of 0 there.",
            error),
        .interval = shown_interval("Bars"),
        .columns = static_cast<int>(std::min<std::size_t>(2, words(data, "sampling").size()))};
    for (const std::string& sampling : words(data, "sampling")) {
        report::Panel panel{.title = sampling};
        panel.x = {.label = "M", .log = true};
        panel.y = {.label = fmt::format("P(|K^ - K| ≥ {:.3g} K)", error), .log = true};
        for (const std::string& method : words(data, "method")) {
            report::Series series{method, {}, {}};
            series.style = report::Style::line_points;
            series.spread = report::Spread::bars;
            for (const double count : numbers(data, "draws"))
                if (const Place at{method, sampling, pair, count}; measured(data, at))
                    add_point(series, count, proportions(data, at, "exceed", statistics::confidence)[e]);
            if (!never(series.y)) panel.series.push_back(series);
        }
        figure.panels.push_back(panel);
    }
    return figure;
}

/// First, middle and last of the numbers of draws at which a theorem speaks of this method, sampling and pair.
std::vector<Place> places_with_bounds(const store::Dataset& data, const std::string& method,
                                      const std::string& sampling, const std::string& pair, const std::string& event) {
    std::vector<Place> all;
    for (const double count : numbers(data, "draws")) {
        const Place at{method, sampling, pair, count};
        for (const TailBound* bound : bounds_in(data))
            // Chebyshev's bound speaks of nearly all: alone it is no reason for a panel.
            if (bound->event == event && std::string(bound->variable) != "chebyshev" &&
                !all_missing(report::slice(data, bound->variable, at.fixed()).values)) {
                all.push_back(at);
                break;
            }
    }
    if (all.size() <= 3) return all;
    return {all.front(), all[all.size() / 2], all.back()};
}

/// An event as it is drawn: part of a figure's name, its words, and its label.
struct DrawnEvent {
    const char* variable;
    const char* file;
    const char* title;
    const char* label;
};
constexpr DrawnEvent both_tails{"exceed", "tail-bounds", "both tails", "P(|K^ - K| ≥ error)"};
constexpr DrawnEvent upper_tail{"above", "tail-bounds", "upper tail", "P(K^ > E K^ + error)"};
constexpr DrawnEvent lower_tail{"below", "lower-tail", "lower tail", "P(K^ ≤ E K^ - error)"};

/// A tail against the error with every bound that speaks of it, a row of panels a pair.
report::Figure against_error(const store::Dataset& data, const std::string& method, const std::string& sampling,
                             const DrawnEvent& event) {
    report::Figure figure{
        .name = report::as_file_name(fmt::format("{}-{}-{}", event.file, method, sampling)),
        .title = fmt::format("{}, {}: {} and its bounds", method, sampling, event.title),
        .caption =
            "Share of drawn estimates beyond the error, and what theorems promise. A bound below the measured share is "
            "false. The panels end a decade below the measured shares; bounds in the data go on.",
        .interval = shown_interval("Bands"),
        .columns = 3};
    for (const std::string& pair : words(data, "pair"))
        for (const Place& at : places_with_bounds(data, method, sampling, pair, event.variable)) {
            report::Panel panel{.title = fmt::format("{}, M = {}", pair, at.count)};
            panel.x = {.label = "error / K", .log = true};
            report::Series drawn{"drawn", {}, {}};
            drawn.style = report::Style::line_points;
            const auto values = proportions(data, at, event.variable, statistics::confidence);
            double least = 1;
            for (std::size_t e = 0; e < values.size(); ++e) {
                add_point(drawn, numbers(data, "error")[e], values[e]);
                if (values[e].value > 0) least = std::min(least, values[e].interval.low);
            }
            if (never(drawn.y)) continue;
            panel.series.push_back(drawn);
            // Bounds fall far below what draws can show: the axis ends a decade below what was measured.
            const double floor = std::pow(10.0, std::floor(std::log10(least)) - 1);
            panel.y = {.label = event.label, .log = true, .range = {{floor, 2.0}}};
            for (const TailBound* bound : bounds_in(data)) {
                const auto promised = report::slice(data, bound->variable, at.fixed()).values;
                if (bound->event != event.variable || all_missing(promised)) continue;
                if (never(promised)) {
                    panel.title += fmt::format("; {}: 0", bound->title);
                    continue;
                }
                panel.series.push_back({bound->title, numbers(data, "error"), promised});
            }
            figure.panels.push_back(panel);
        }
    return figure;
}

/// One bound at one number of draws, over the errors where it is below 1.
struct Comparison {
    const TailBound* bound;
    Place at;
    std::vector<double> promised, successes;  // at all errors
    double trials;
    std::size_t points;
    std::vector<decisions::Evidence> evidence = {};  ///< at the errors where the bound is below 1
    /// Errors at which the lower end of the interval lies above the bound, and the one where it does by the most.
    std::size_t violated = 0, worst = 0;
    double worst_low = 0;
    /// The least bound over the share that was measured; NaN where all shares are of fewer than `counted` estimates.
    double closest = NAN;
};

void find_violations(Comparison& one, double at_level) {
    double most = 0;
    for (std::size_t e = 0; e < one.promised.size(); ++e) {
        if (one.promised[e] < 1 && one.successes[e] >= counted)
            one.closest = std::fmin(one.closest, one.promised[e] * one.trials / one.successes[e]);
        if (one.promised[e] < 1)
            one.evidence.push_back(decisions::share_evidence(
                static_cast<std::uint64_t>(one.successes[e]), static_cast<std::uint64_t>(one.trials),
                {.relation = decisions::Relation::not_above, .low = 0, .high = one.promised[e]},
                statistics::confidence));
        // The interval's lower end is below the share itself.
        if (!(one.promised[e] < 1 && one.successes[e] > one.promised[e] * one.trials)) continue;
        const double low = proportion(one.successes[e], one.trials, at_level).interval.low;
        if (!(low > one.promised[e])) continue;
        ++one.violated;
        // Any share violates a bound of 0: the ratio stays finite.
        const double ratio = low / std::max(one.promised[e], 1e-300);
        if (ratio > most) {
            most = ratio;
            one.worst = e;
            one.worst_low = low;
        }
    }
}

/// Everything that can be compared, at the level at which all lower ends together are right but for the family's error
/// (Bonferroni).
std::vector<Comparison> comparisons(const store::Dataset& data) {
    std::vector<Comparison> result;
    double points = 0;
    const std::vector<Place> all = places(data);
    for (const TailBound* bound : bounds_in(data))
        for (const Place& at : all) {
            const auto promised = report::slice(data, bound->variable, at.fixed()).values;
            const auto below = std::count_if(promised.begin(), promised.end(), [](double v) { return v < 1; });
            if (below == 0) continue;
            result.push_back({bound, at, promised, report::slice(data, bound->event, at.fixed()).values,
                              report::slice(data, "trials", at.fixed()).values.front(),
                              static_cast<std::size_t>(below)});
            points += static_cast<double>(below);
        }
    // Two-sided intervals of this level have lower ends that err with family_error / points each.
    for (Comparison& one : result) find_violations(one, 1 - 2 * family_error / points);
    return result;
}

report::Table summary_table(const store::Dataset& data, const std::vector<Comparison>& all) {
    report::Table table{
        .name = "tail-bounds",
        .caption = "Bounds on tails: at how many points the probability that was measured is above the bound.",
        .columns = {report::word_column("bound"),
                    report::word_column("sampling"),
                    {"points"},
                    {"violated"},
                    report::number_column("bound / measured, least", {report::Format::Kind::significant, 3}),
                    report::word_column("verdict")}};
    std::vector<std::vector<decisions::Evidence>> evidence;
    for (const TailBound* bound : bounds_in(data))
        for (const std::string& sampling : words(data, "sampling")) {
            double points = 0, violated = 0, closest = NAN;
            std::vector<decisions::Evidence> own;
            for (const Comparison& one : all) {
                if (one.bound != bound || one.at.sampling != sampling) continue;
                points += static_cast<double>(one.points);
                violated += static_cast<double>(one.violated);
                closest = std::fmin(closest, one.closest);
                own.insert(own.end(), one.evidence.begin(), one.evidence.end());
            }
            if (points == 0) continue;
            evidence.push_back(std::move(own));
            table.rows.push_back({{bound->title, sampling, points, violated,
                                   std::isnan(closest) ? report::Entry(report::Missing{}) : report::Entry(closest)}});
        }
    const std::vector<std::string> verdicts = verdict_words(evidence, true, family_error);
    for (std::size_t r = 0; r < verdicts.size(); ++r) table.rows[r].entries.emplace_back(verdicts[r]);
    table.notes = {fmt::format(
        "Points: pairs, methods, numbers of draws and errors where the bound is below 1. Violated: the lower end "
        "of the Clopper-Pearson interval is above the bound; over all points together this happens by chance "
        "with a probability of {0} % at most, and so does any verdict 'fails', for which points are corrected bound by "
        "bound and bounds by Holm (1979). Least: at the point where the bound is closest to the measured share, "
        "of points with {1} estimates or more beyond the error.",
        100 * family_error, counted)};
    return table;
}

report::Table violation_table(const store::Dataset& data, const std::vector<Comparison>& all) {
    report::Table table{.name = "tail-violations",
                        .caption = "Where a bound is violated: the error at which it is by the largest factor.",
                        .columns = {report::word_column("bound"),
                                    report::word_column("method"),
                                    report::word_column("sampling"),
                                    report::word_column("pair"),
                                    {"M"},
                                    {"errors below 1"},
                                    {"violated"},
                                    {"worst at error / K"},
                                    {"bound there"},
                                    {"lower limit"},
                                    {"measured"}}};
    for (const Comparison& one : all) {
        if (one.violated == 0) continue;
        table.rows.push_back(
            {{one.bound->title, one.at.method, one.at.sampling, one.at.pair, one.at.count,
              static_cast<double>(one.points), static_cast<double>(one.violated), numbers(data, "error")[one.worst],
              one.promised[one.worst], one.worst_low, one.successes[one.worst] / one.trials}});
    }
    table.notes = {
        fmt::format("Lower limits of Clopper-Pearson intervals, with a probability of {} % of any false entry. A "
                    "bound of 0: for some phi the theorem claims that the event cannot happen.",
                    100 * family_error)};
    if (table.rows.empty()) table.notes.push_back("No bound is violated.");
    return table;
}

/// P(|K^ - K| >= shown error) with the most draws.
report::Table probability_table(const store::Dataset& data) {
    const std::size_t e = nearest_error(data);
    const double count = numbers(data, "draws").back();
    report::Table table{.name = "tail-probability",
                        .caption = fmt::format("Share of estimates that are off by {:.3g} K or more with M = {} draws.",
                                               numbers(data, "error")[e], count),
                        .columns = {report::word_column("method")}};
    for (const std::string& pair : words(data, "pair"))
        for (const std::string& sampling : words(data, "sampling"))
            table.columns.push_back(
                report::number_column(pair + ", " + sampling, {report::Format::Kind::significant, 2}));
    for (const std::string& method : words(data, "method")) {
        report::Row row{{method}};
        for (const std::string& pair : words(data, "pair"))
            for (const std::string& sampling : words(data, "sampling")) {
                const Place at{method, sampling, pair, count};
                if (!measured(data, at)) {
                    row.entries.emplace_back(report::Missing{});
                    continue;
                }
                const Proportion p = proportions(data, at, "exceed", statistics::confidence)[e];
                // A share of 0 says only what the probability is below.
                if (p.value > 0)
                    row.entries.emplace_back(p.value);
                else
                    row.entries.emplace_back(report::Below{p.interval.high});
            }
        table.rows.push_back(row);
    }
    table.notes = {
        "M counts draws of omega: trigonometric ones cost two real columns, a hybrid unit more. After none, the "
        "upper end of the 95 % Clopper-Pearson interval. A dash: this law cannot be drawn by that scheme."};
    return table;
}

}  // namespace

Report tail_report(const store::Dataset& data) {
    Report result;
    for (const std::string& pair : words(data, "pair")) result.figures.push_back(against_count(data, pair));
    for (const std::string& method : words(data, "method"))
        for (const std::string& sampling : words(data, "sampling"))
            // Nothing is known of both tails of orthogonal draws together. Theorems speak of few methods: nobody
            // misses a figure of the others.
            for (const DrawnEvent& event : {sampling == "iid" ? both_tails : upper_tail, lower_tail})
                if (data.has_variable(event.variable))
                    if (report::Figure drawn = against_error(data, method, sampling, event); !drawn.panels.empty())
                        result.figures.push_back(drawn);
    const std::vector<Comparison> all = comparisons(data);
    result.tables = {probability_table(data), summary_table(data, all), violation_table(data, all)};
    return result;
}

}  // namespace rfbench::experiments
