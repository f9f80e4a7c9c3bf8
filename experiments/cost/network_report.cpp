#include "cost/network_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "report/cost_lines.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

const std::vector<std::string> place_axes{"batch", "layers", "pass"};

CostLine line(const store::Dataset& data, const Shown& shown) { return {data, shown.fixed()}; }

std::string layer_words(double layers) { return fmt::format("{} layer{}", layers, layers == 1 ? "" : "s"); }

/// Panels of the smallest batch, a row for each number of layers, a column for each pass.
report::Figure figure(const store::Dataset& data, const char* name, const char* title, const char* label,
                      const std::function<CostValue(const CostLine&, std::size_t)>& value, const std::string& caption) {
    report::Figure result{.name = name, .title = title, .caption = caption, .columns = 2};
    const auto& batches = report::numbers(data, "batch");
    // Figures show one size of batches; tables have all.
    const report::Fixed smallest{{"batch", *std::min_element(batches.begin(), batches.end())}};
    const CostCurves curves{"L", label, [&](const Shown& shown) { return line(data, shown); }, value};
    for (const report::Fixed& place : report::places(data, {"layers", "pass"})) {
        result.panels.push_back(cost_panel(data, report::joined(place, smallest), curves));
        result.panels.back().title =
            fmt::format("{}, {}", report::word_at(place, "pass"), layer_words(report::number_at(place, "layers")));
    }
    return result;
}

/// At the longest length that both were measured at; a dash where there is none.
report::Entry bytes_ratio(const CostLine& own, const CostLine& other) {
    const std::size_t common = common_points(own, other);
    if (common == 0) return report::Missing{};
    // Memory is the same in every round: no interval.
    return own.bytes[common - 1] / other.bytes[common - 1];
}

report::Table table(const store::Dataset& data) {
    const auto exact_label = exact_of(data);
    const report::Format two = report::decimals(2);
    report::Table result{
        .name = "network",
        .caption =
            "Time and peak memory of the longest sequences measured, beside networks whose attention copies the "
            "values, and from which length on networks with exact attention take longer.",
        .columns = {report::word_column("method"),
                    {"layers"},
                    {"batch"},
                    report::word_column("pass"),
                    {"to L"},
                    {"rounds"},
                    {"time", "s"},
                    report::number_column("time / copy", two),
                    {"memory", "MiB"},
                    report::number_column("memory / copy", two),
                    {"crossover L"},
                    {"both to L"},
                    report::number_column("exact / method", two)}};
    const std::optional<std::string> bound = label_of(data, "copy");
    for (const Shown& one : all_shown(data, place_axes)) {
        const CostLine own = line(data, one);
        if (own.points() == 0) continue;
        const std::size_t last = own.points() - 1;
        report::Entry time = report::Missing{}, memory = time, crossing = time, common = time, ratio = time;
        if (bound && one.method != bound) {
            const CostLine copy = line(data, one.of(*bound));
            if (copy.points() > 0) time = report::averaged_entry(last_ratios(own, copy));
            memory = bytes_ratio(own, copy);
        }
        if (exact_label && one.method != bound && one.method != *exact_label) {
            const CostLine exact = line(data, one.of(*exact_label));
            const std::size_t both = common_points(exact, own);
            // A crossing lies between two lengths.
            if (both > 1) crossing = report::averaged_entry(crossings(own, exact));
            if (both > 0) {
                common = own.lengths[both - 1];
                ratio = report::averaged_entry(last_ratios(exact, own));
            }
        }
        result.rows.push_back({{one.method, one.number("layers"), one.number("batch"), one.word("pass"),
                                own.lengths[last], static_cast<double>(own.times(last).size()), own.median(last), time,
                                own.bytes[last] / mebi, memory, crossing, common, ratio}});
    }
    report::group_by_first(result);
    result.notes = {
        fmt::format("Times are medians over rounds, on {} threads; ratios and crossovers are means over rounds ± half "
                    "the {} % Student interval, which one round alone does not have. gradient: forward and backward. "
                    "time / copy and memory / copy: at the longest length that both were measured at; exact / method, "
                    "at the length named before it. A dash at a crossover: not between the lengths that both were "
                    "measured at, in some round.",
                    data.attributes.at("threads"), 100 * statistics::confidence),
        "Memory: the most bytes held at once beside parameters and tokens, as allocated."};
    return result;
}

std::string words_of(LeftOut why) {
    switch (why) {
        case LeftOut::length: return "beyond the method's longest sequence";
        case LeftOut::memory: return "a gradient would hold more than max_bytes";
        case LeftOut::time: return "a run would take longer than max_run_seconds";
        default: return "";
    }
}

/// From which length on networks were not measured, and why.
report::Table left_out(const store::Dataset& data) {
    report::Table result{.name = "network-left-out",
                         .caption =
                             "Networks that were not measured, and why: shortest sequences that were left out "
                             "for a reason, and those of all lengths for the same.",
                         .columns = {report::word_column("method"),
                                     {"layers"},
                                     {"batch"},
                                     report::word_column("pass"),
                                     {"from L"},
                                     {"lengths"},
                                     report::word_column("why")}};
    for (const Shown& one : all_shown(data, place_axes)) {
        const auto codes = report::slice(data, "left_out", one.fixed(), {"length"}).values;
        // One network may be left out for different reasons at different lengths: a row for each.
        for (const LeftOut why : {LeftOut::length, LeftOut::memory, LeftOut::time}) {
            const auto code = static_cast<double>(why);
            const auto count = std::count(codes.begin(), codes.end(), code);
            if (count == 0) continue;
            // Lengths stand in the order of the configuration.
            double from = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < codes.size(); ++i)
                if (codes[i] == code) from = std::min(from, report::numbers(data, "length")[i]);
            result.rows.push_back({{one.method, one.number("layers"), one.number("batch"), one.word("pass"), from,
                                    static_cast<double>(count), words_of(why)}});
        }
    }
    report::group_by_first(result);
    result.notes = {
        "The memory of a gradient is computed from the sizes of a network, and that of its forward pass is "
        "not measured either; the time of a run is expected from that of fewer layers, in proportion."};
    return result;
}

}  // namespace

Report network_cost_report(const store::Dataset& data) {
    Report result;
    result.figures = {
        figure(
            data, "network-time", "Time of whole networks", "time / s",
            [](const CostLine& own, std::size_t i) { return CostValue{own.median(i)}; },
            "Medians over rounds; gradient: forward and backward. copy stands for attention that returns the values: "
            "no network of this shape takes less. A curve ends where longer sequences were left out."),
        figure(
            data, "network-memory", "Memory of whole networks", "peak memory / MiB",
            [](const CostLine& own, std::size_t i) { return CostValue{own.bytes[i] / mebi}; },
            "The most bytes held at once beside parameters and tokens. A curve ends where longer sequences were left "
            "out.")};
    result.tables = {table(data)};
    if (report::Table rest = left_out(data); !rest.rows.empty()) result.tables.push_back(std::move(rest));
    return result;
}

}  // namespace rfbench::experiments
