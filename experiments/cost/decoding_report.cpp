#include "cost/decoding_report.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "report/cost_lines.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"

namespace rfbench::experiments {
namespace {

CostLine line(const store::Dataset& data, const std::string& method, double threads) {
    // Positions stand where other reports of costs have lengths, and the state where they have peaks.
    return {data, {{"method", method}, {"threads", threads}}, "position", "state_bytes"};
}

std::string thread_words(double threads) { return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"); }

/// "one head", or a network in words.
std::string decoded(const store::Dataset& data) {
    const auto found = data.attributes.find("decoded");
    return found == data.attributes.end() ? "one head" : found->second;
}

report::Panel panel(const store::Dataset& data, double threads, const char* label,
                    const std::function<double(const CostLine&, std::size_t)>& value) {
    report::Panel result;
    result.x = {.label = "position", .log = true};
    result.y = {.label = label, .log = true};
    for (const std::string& method : report::words(data, "method")) {
        const CostLine own = line(data, method, threads);
        report::Series series{method, own.lengths, {}};
        for (std::size_t i = 0; i < own.points(); ++i) series.y.push_back(value(own, i));
        series.style = report::Style::line_points;
        result.series.push_back(std::move(series));
    }
    return result;
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
        report::Panel own =
            panel(data, threads, "tokens / s", [](const CostLine& one, std::size_t i) { return 1 / one.median(i); });
        own.title = thread_words(threads);
        for (report::Series& series : own.series) {
            const CostLine one = line(data, series.label, threads);
            for (std::size_t i = 0; i < one.points(); ++i) {
                // Times ascend: the longest is the slowest.
                series.low.push_back(1 / one.times(i).back());
                series.high.push_back(1 / one.times(i).front());
            }
            series.spread = report::Spread::bars;
        }
        result.panels.push_back(std::move(own));
    }
    return result;
}

report::Figure state(const store::Dataset& data) {
    report::Figure result{.name = "decoding-state",
                          .title = "What is remembered",
                          .caption = "Bytes of state of " + decoded(data) +
                                     " in float against the number of tokens that it has seen: keys and values of "
                                     "exact attention, sums of linear attention."};
    // The size of the state does not depend on threads.
    result.panels.push_back(panel(data, report::numbers(data, "threads").front(), "state / KiB",
                                  [](const CostLine& own, std::size_t i) { return own.bytes[i] / 1024; }));
    return result;
}

report::Table table(const store::Dataset& data) {
    report::Table result{
        .name = "decoding",
        .caption =
            "Tokens a second behind the first and the last position, what is remembered at the last, and from "
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
    std::optional<std::string> exact;
    for (const std::string& method : report::words(data, "method"))
        if (!exact && report::slice(data, "exact", {{"method", method}}).values.front() == 1) exact = method;
    for (const std::string& method : report::words(data, "method")) {
        bool first = true;
        for (const double threads : report::numbers(data, "threads")) {
            const CostLine own = line(data, method, threads);
            const std::size_t last = own.points() - 1;
            report::Entry crossing = report::Missing{}, ratio = crossing;
            if (exact && method != *exact) {
                const CostLine other = line(data, *exact, threads);
                crossing = report::averaged_entry(crossings(own, other));
                ratio = report::averaged_entry(last_ratios(other, own));
            }
            result.rows.push_back({{method, threads, own.lengths.front(), 1 / own.median(0), own.lengths[last],
                                    1 / own.median(last), own.bytes[last] / 1024, crossing, ratio},
                                   first});
            first = false;
        }
    }
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
