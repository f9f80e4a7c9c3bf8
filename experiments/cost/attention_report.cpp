#include "cost/attention_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "report/cost_lines.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/linear_fit.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

/// Exponents are those of the largest lengths of each method, where what does not grow counts least.
constexpr std::size_t fitted_lengths = 4;

struct Place {
    std::string visible;
    double threads;
};

std::vector<Place> places(const store::Dataset& data) {
    std::vector<Place> all;
    for (const std::string& visible : report::words(data, "visible"))
        for (const double threads : report::numbers(data, "threads")) all.push_back({visible, threads});
    return all;
}

CostLine line(const store::Dataset& data, const std::string& method, const Place& place) {
    return {data, {{"method", method}, {"visible", place.visible}, {"threads", place.threads}}};
}

/// Index of the pass that is timed for a method (cost_passes).
std::size_t pass_of(const store::Dataset& data, const std::string& method) {
    return static_cast<std::size_t>(report::slice(data, "pass", {{"method", method}}).values.front());
}

/// The softmax attention that a method is compared with: what is timed of it is the same, the forward pass for masked
/// attention; nothing where it was not measured.
std::optional<std::string> exact_for(const store::Dataset& data, const std::string& method) {
    // There is no masked softmax attention here: what decays is compared with what does not.
    const std::size_t pass = cost_passes.at(pass_of(data, method)) == "backward" ? 1 : 0;
    for (const std::string& other : report::words(data, "method"))
        if (report::slice(data, "exact", {{"method", other}}).values.front() == 1 && pass_of(data, other) == pass)
            return other;
    return {};
}

/// Whether it moves values to the output: the least that attention costs.
bool is_copy(const store::Dataset& data, const std::string& method) {
    return method_identity(data, method).name == "copy";
}

/// Exponent of y in L over the largest lengths.
double exponent(const CostLine& line, const std::vector<double>& y) {
    const auto fitted = static_cast<std::ptrdiff_t>(std::min(fitted_lengths, line.points()));
    return statistics::exponent({line.lengths.end() - fitted, line.lengths.end()}, {y.end() - fitted, y.end()});
}

report::Table exponents(const store::Dataset& data) {
    const report::Format two = report::decimals(2);
    report::Table table{.name = "attention",
                        .caption = "How time and memory grow with the length L, and what the longest sequence costs.",
                        .columns = {report::word_column("method"),
                                    report::word_column("sees"),
                                    {"threads"},
                                    {"from L"},
                                    {"to L"},
                                    {"rounds"},
                                    report::number_column("exponent of time", two),
                                    {"time", "ms"},
                                    report::number_column("exponent of memory", two),
                                    {"memory", "MiB"}}};
    for (const std::string& method : report::words(data, "method")) {
        bool first = true;
        for (const Place& place : places(data)) {
            const CostLine own = line(data, method, place);
            if (own.points() < 2) continue;
            const std::size_t last = own.points() - 1;
            const std::size_t from = own.points() - std::min(fitted_lengths, own.points());
            // Rounds that lack the longest lengths would have an exponent of shorter ones.
            const std::size_t rounds = own.rounds_from(from);
            std::vector<double> slopes;
            for (std::size_t r = 0; r < rounds; ++r) slopes.push_back(exponent(own, own.seconds[r]));
            table.rows.push_back({{method, place.visible, place.threads, own.lengths[from], own.lengths[last],
                                   static_cast<double>(rounds), report::averaged_entry(slopes), 1e3 * own.median(last),
                                   exponent(own, own.bytes), own.bytes[last] / mebi},
                                  first});
            first = false;
        }
    }
    table.notes = {
        fmt::format(
            "Exponents: slopes of logarithms over the {} largest lengths that each method was measured at (from L to "
            "L), fitted in each round that all of these have; their mean ± half the {} % Student interval, which one "
            "round alone does not have. Times are medians.",
            fitted_lengths, 100 * statistics::confidence),
        "Memory: the most bytes held at once beside queries, keys and values, the output among them, as allocated. "
        "sees: all keys, or (causal) those up to its own place."};
    return table;
}

report::Table crossovers(const store::Dataset& data) {
    report::Table table{.name = "attention-crossover",
                        .caption = "From which length on exact attention takes longer than each other method.",
                        .columns = {report::word_column("method"),
                                    report::word_column("compared with"),
                                    report::word_column("sees"),
                                    {"threads"},
                                    {"crossover L"},
                                    {"at L"},
                                    report::number_column("exact / method", report::decimals(2))}};
    for (const std::string& method : report::words(data, "method")) {
        const auto compared = exact_for(data, method);
        if (!compared || *compared == method || is_copy(data, method)) continue;
        bool first = true;
        for (const Place& place : places(data)) {
            const CostLine exact = line(data, *compared, place), own = line(data, method, place);
            const std::size_t common = common_points(exact, own);
            if (common < 2) continue;
            table.rows.push_back(
                {{method, *compared, place.visible, place.threads, report::averaged_entry(crossings(own, exact)),
                  own.lengths[common - 1], report::averaged_entry(last_ratios(exact, own))},
                 first});
            first = false;
        }
    }
    table.notes = {fmt::format(
        "Crossover: by straight lines between the logarithms of the ratio at neighbouring lengths, in each round that "
        "goes so far; mean ± half the {} % Student interval over rounds, which one round alone does not have. A dash: "
        "not between the lengths that both were measured at, in some round. exact / method: the ratio of times at the "
        "longest of these. Gradients are compared with those of exact attention, both with the forward pass before "
        "them; masked attention, with exact attention that is not masked.",
        100 * statistics::confidence)};
    return table;
}

report::Figure figure(const store::Dataset& data, const char* name, const char* title, const char* label,
                      const std::vector<Place>& shown, const std::function<double(const CostLine&, std::size_t)>& value,
                      const char* caption) {
    report::Figure result{.name = name, .title = title, .caption = caption, .columns = 2};
    for (const Place& place : shown) {
        report::Panel panel{.title = fmt::format("{}, {} thread{}", place.visible == "all" ? "all keys seen" : "causal",
                                                 place.threads, place.threads == 1 ? "" : "s")};
        panel.x = {.label = "L", .log = true};
        panel.y = {.label = label, .log = true};
        for (const std::string& method : report::words(data, "method")) {
            const CostLine own = line(data, method, place);
            if (own.points() == 0) continue;
            report::Series series{method, own.lengths, {}};
            for (std::size_t i = 0; i < own.points(); ++i) series.y.push_back(value(own, i));
            series.style = is_copy(data, method) ? report::Style::reference : report::Style::line_points;
            panel.series.push_back(std::move(series));
        }
        result.panels.push_back(std::move(panel));
    }
    return result;
}

/// From the fastest to the slowest round.
void add_ranges(report::Figure& times, const store::Dataset& data) {
    times.interval = "Bars: from the fastest to the slowest round";
    const std::vector<Place> shown = places(data);
    // Panels stand in the order of their places.
    for (std::size_t p = 0; p < times.panels.size(); ++p)
        for (report::Series& series : times.panels[p].series) {
            const CostLine own = line(data, series.label, shown[p]);
            for (std::size_t i = 0; i < own.points(); ++i) {
                series.low.push_back(own.times(i).front());
                series.high.push_back(own.times(i).back());
            }
            series.spread = report::Spread::bars;
        }
}

}  // namespace

Report cost_report(const store::Dataset& data) {
    std::vector<Place> widest;
    for (const Place& place : places(data))
        if (place.threads == report::numbers(data, "threads").back()) widest.push_back(place);
    Report result;
    result.figures = {
        figure(
            data, "attention-time", "Time of attention", "time / s", places(data),
            [](const CostLine& own, std::size_t i) { return own.median(i); },
            "Medians over rounds of one head in float. copy moves the values to the output: no attention takes less."),
        figure(
            data, "attention-memory", "Memory of attention", "peak memory / MiB", widest,
            [](const CostLine& own, std::size_t i) { return own.bytes[i] / mebi; },
            "The most bytes held at once beside queries, keys and values, the output among them.")};
    add_ranges(result.figures.front(), data);
    result.tables = {exponents(data)};
    if (report::Table table = crossovers(data); !table.rows.empty()) result.tables.push_back(std::move(table));
    return result;
}

}  // namespace rfbench::experiments
