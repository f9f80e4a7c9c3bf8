#include "cost/decoding_report.hpp"

#include <fmt/format.h>

#include <functional>

#include "report/cost_lines.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"

namespace rfbench::experiments {
namespace {

CostLine line(const store::Dataset& data, const Shown& shown) {
    // Positions stand where other reports of costs have lengths, and the state where they have peaks.
    return {data, shown.fixed(), "position", "state_bytes"};
}

std::string thread_words(double threads) { return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"); }

/// "one head", or a network in words.
std::string decoded(const store::Dataset& data) {
    const auto found = data.attributes.find("decoded");
    return found == data.attributes.end() ? "one head" : found->second;
}

report::Panel panel(const store::Dataset& data, double threads, const char* label,
                    const std::function<CostValue(const CostLine&, std::size_t)>& value) {
    return cost_panel(data, {{"threads", threads}},
                      {"position", label, [&](const Shown& shown) { return line(data, shown); }, value});
}

report::Figure speed(const store::Dataset& data) {
    report::Figure result{.name = "decoding-speed",
                          .title = "Decoding " + decoded(data),
                          .caption =
                              "Tokens a second against the number of tokens before them, medians over "
                              "sequences, of " +
                              decoded(data) + " in float. exact reads all keys and values again.",
                          .interval = "Bars: from the slowest to the fastest sequence",
                          .columns = 2};
    for (const double threads : report::numbers(data, "threads")) {
        report::Panel own = panel(data, threads, "tokens / s", [](const CostLine& one, std::size_t i) {
            // Times ascend: the longest is the slowest.
            return CostValue{1 / one.median(i), 1 / one.times(i).back(), 1 / one.times(i).front()};
        });
        own.title = thread_words(threads);
        result.panels.push_back(std::move(own));
    }
    return result;
}

report::Figure state(const store::Dataset& data) {
    report::Figure result{
        .name = "decoding-state",
        .title = "What is remembered",
        .caption = "Bytes of state of " + decoded(data) +
                   ", counted in float, against the number of tokens that it has seen: keys and values of "
                   "exact attention, sums of linear attention, which networks here hold in double."};
    // The size of the state does not depend on threads.
    result.panels.push_back(panel(data, report::numbers(data, "threads").front(), "state / KiB",
                                  [](const CostLine& own, std::size_t i) { return CostValue{own.bytes[i] / 1024}; }));
    return result;
}

report::Table table(const store::Dataset& data) {
    report::Table result{
        .name = "decoding",
        .caption =
            "Tokens a second after the first and the last position, what is remembered at the last, and from "
            "which position on exact attention is the slower.",
        .columns = {report::word_column("method"),
                    {"threads"},
                    {"from"},
                    {"tokens / s there"},
                    {"to"},
                    {"tokens / s at last"},
                    {"state", "KiB"},
                    {"crossover"},
                    report::number_column("exact / method at last", report::decimals(2))}};
    const auto exact = exact_of(data);
    for (const Shown& one : all_shown(data, {"threads"})) {
        const CostLine own = line(data, one);
        // A sweep that is not finished lacks some numbers of threads.
        if (own.points() == 0) continue;
        const std::size_t last = own.points() - 1;
        report::Entry crossing = report::Missing{}, ratio = crossing;
        if (exact && one.method != *exact) {
            const CostLine other = line(data, one.of(*exact));
            crossing = report::averaged_entry(crossings(own, other));
            ratio = report::averaged_entry(last_ratios(other, own));
        }
        result.rows.push_back({{one.method, one.number("threads"), own.lengths.front(), 1 / own.median(0),
                                own.lengths[last], 1 / own.median(last), own.bytes[last] / 1024, crossing, ratio}});
    }
    report::group_by_first(result);
    result.notes = {fmt::format(
        "Medians over sequences. Crossover: from which position on a step takes no longer than one of exact attention, "
        "by straight lines between the logarithms of the ratio at neighbouring positions, and exact / method, the "
        "ratio "
        "of times: mean ± half the {} % Student interval over sequences. A dash: not between the positions, in some "
        "sequence.",
        100 * statistics::confidence)};
    return result;
}

}  // namespace

Report decoding_report(const store::Dataset& data) { return {{speed(data), state(data)}, {table(data)}}; }

}  // namespace rfbench::experiments
