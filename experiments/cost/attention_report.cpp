#include "cost/attention_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "report/cost_lines.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/linear_fit.hpp"

namespace rfbench::experiments {
namespace {

/// Exponents are those of the largest lengths of each method, where what does not grow counts least.
constexpr std::size_t fitted_lengths = 4;

const std::vector<std::string> place_axes{"visible", "threads"};

CostLine line(const store::Dataset& data, const Shown& shown) { return {data, shown.fixed()}; }

/// Index of the pass that is timed for a method (cost_passes): every cell has it for all methods.
std::size_t pass_of(const store::Dataset& data, const std::string& method) {
    return static_cast<std::size_t>(report::first_measured(report::slice(data, "pass", {{"method", method}}).values));
}

/// The softmax attention that a method is compared with: what is timed of it is the same, the forward pass for masked
/// attention; nothing where it was not measured.
std::optional<std::string> exact_for(const store::Dataset& data, const std::string& method) {
    // There is no masked softmax attention here: what decays is compared with what does not.
    const std::size_t pass = cost_passes.at(pass_of(data, method)) == "backward" ? 1 : 0;
    for (const std::string& other : report::words(data, "method"))
        if (is_exact(data, other) && pass_of(data, other) == pass) return other;
    return {};
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
    for (const Shown& one : all_shown(data, place_axes)) {
        const CostLine own = line(data, one);
        if (own.points() < 2) continue;
        const std::size_t last = own.points() - 1;
        const std::size_t from = own.points() - std::min(fitted_lengths, own.points());
        // Rounds that lack the longest lengths would have an exponent of shorter ones.
        const std::size_t rounds = own.rounds_from(from);
        std::vector<double> slopes;
        for (std::size_t r = 0; r < rounds; ++r) slopes.push_back(exponent(own, own.seconds[r]));
        table.rows.push_back({{one.method, one.word("visible"), one.number("threads"), own.lengths[from],
                               own.lengths[last], static_cast<double>(rounds), report::averaged_entry(slopes),
                               1e3 * own.median(last), exponent(own, own.bytes), own.bytes[last] / mebi}});
    }
    report::group_by_first(table);
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
    for (const Shown& one : all_shown(data, place_axes)) {
        const auto compared = exact_for(data, one.method);
        if (!compared || *compared == one.method || is_copy(data, one.method)) continue;
        const CostLine exact = line(data, one.of(*compared)), own = line(data, one);
        const std::size_t common = common_points(exact, own);
        if (common < 2) continue;
        table.rows.push_back({{one.method, *compared, one.word("visible"), one.number("threads"),
                               report::averaged_entry(crossings(own, exact)), own.lengths[common - 1],
                               report::averaged_entry(last_ratios(exact, own))}});
    }
    report::group_by_first(table);
    table.notes = {fmt::format(
        "Crossover: by straight lines between the logarithms of the ratio at neighbouring lengths, in each round that "
        "goes so far; mean ± half the {} % Student interval over rounds, which one round alone does not have. A dash: "
        "not between the lengths that both were measured at, in some round. exact / method: the ratio of times at the "
        "longest of these. Gradients are compared with those of exact attention, both with the forward pass before "
        "them; masked attention, with exact attention that is not masked.",
        100 * statistics::confidence)};
    return table;
}

report::Figure figure(const store::Dataset& data, const std::vector<report::Fixed>& places, report::Figure result,
                      const char* label, const std::function<CostValue(const CostLine&, std::size_t)>& value) {
    const CostCurves curves{"L", label, [&](const Shown& shown) { return line(data, shown); }, value};
    result.columns = 2;
    for (const report::Fixed& place : places) {
        const double threads = report::number_at(place, "threads");
        result.panels.push_back(cost_panel(data, place, curves));
        result.panels.back().title =
            fmt::format("{}, {} thread{}", report::word_at(place, "visible") == "all" ? "all keys seen" : "causal",
                        threads, threads == 1 ? "" : "s");
    }
    return result;
}

}  // namespace

Report cost_report(const store::Dataset& data) {
    std::vector<report::Fixed> widest = report::places(data, {"visible"});
    for (report::Fixed& place : widest) place.emplace_back("threads", report::numbers(data, "threads").back());
    Report result;
    result.figures = {
        figure(data, report::places(data, place_axes),
               {.name = "attention-time",
                .title = "Time of attention",
                .caption = "Medians over rounds of one head in float. copy moves the values to the output: no "
                           "attention takes less.",
                .interval = "Bars: from the fastest to the slowest round"},
               "time / s",
               [](const CostLine& own, std::size_t i) {
                   return CostValue{own.median(i), own.times(i).front(), own.times(i).back()};
               }),
        figure(data, widest,
               {.name = "attention-memory",
                .title = "Memory of attention",
                .caption = "The most bytes held at once beside queries, keys and values, the output among them."},
               "peak memory / MiB", [](const CostLine& own, std::size_t i) { return CostValue{own.bytes[i] / mebi}; })};
    result.tables = {exponents(data)};
    if (report::Table table = crossovers(data); !table.rows.empty()) result.tables.push_back(std::move(table));
    return result;
}

}  // namespace rfbench::experiments
