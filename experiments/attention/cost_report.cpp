#include "attention/cost_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "interval_entry.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/crossing.hpp"
#include "rfbench/statistics/linear_fit.hpp"

namespace rfbench::experiments {
namespace {

constexpr double level = 0.95, mebi = 1 << 20;
/// Exponents are those of the largest lengths of each method, where what does not grow counts least.
constexpr std::size_t fitted_lengths = 4;

/// One method, seen one way on so many threads: its times in each round, up to the longest length it was measured at.
struct Line {
    std::vector<double> lengths;
    std::vector<std::vector<double>> seconds;  // [round][length]
    std::vector<double> bytes;                 // [length]

    std::size_t points() const { return bytes.size(); }
    double median(std::size_t point) const {
        std::vector<double> all;
        for (const auto& round : seconds) all.push_back(round[point]);
        std::sort(all.begin(), all.end());
        return all.size() % 2 == 1 ? all[all.size() / 2] : 0.5 * (all[all.size() / 2 - 1] + all[all.size() / 2]);
    }
};

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

Line line(const store::Dataset& data, const std::string& method, const Place& place) {
    const report::Fixed fixed{{"method", method}, {"visible", place.visible}, {"threads", place.threads}};
    const auto seconds = report::slice(data, "seconds", fixed, {"repeat", "length"}).values;
    const auto bytes = report::slice(data, "bytes", fixed).values;
    const auto& lengths = report::numbers(data, "length");
    const std::size_t rounds = report::numbers(data, "repeat").size();
    Line result;
    result.seconds.resize(rounds);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (std::isnan(bytes[i])) continue;
        result.lengths.push_back(lengths[i]);
        result.bytes.push_back(bytes[i]);
        for (std::size_t r = 0; r < rounds; ++r) result.seconds[r].push_back(seconds[r * lengths.size() + i]);
    }
    return result;
}

/// That of y in L over the largest lengths.
double exponent(const Line& line, const std::vector<double>& y) {
    const auto fitted = static_cast<std::ptrdiff_t>(std::min(fitted_lengths, line.points()));
    return statistics::exponent({line.lengths.end() - fitted, line.lengths.end()}, {y.end() - fitted, y.end()});
}

report::Entry interval(const std::vector<double>& values) {
    return interval_entry(statistics::mean_interval(values, level));
}

report::Table exponents(const store::Dataset& data) {
    const report::Format two = report::decimals(2);
    report::Table table{.name = "cost",
                        .caption = "How time and memory grow with the length L, and what the longest sequence costs.",
                        .columns = {report::word_column("method"),
                                    report::word_column("sees"),
                                    {"threads"},
                                    {"from L"},
                                    {"to L"},
                                    report::number_column("exponent of time", two),
                                    {"time", "ms"},
                                    report::number_column("exponent of memory", two),
                                    {"memory", "MiB"}}};
    for (const std::string& method : report::words(data, "method")) {
        bool first = true;
        for (const Place& place : places(data)) {
            const Line own = line(data, method, place);
            if (own.points() < 2) continue;
            std::vector<double> slopes;
            for (const auto& round : own.seconds) slopes.push_back(exponent(own, round));
            const std::size_t last = own.points() - 1;
            table.rows.push_back(
                {{method, place.visible, place.threads,
                  own.lengths[own.points() - std::min(fitted_lengths, own.points())], own.lengths[last],
                  interval(slopes), 1e3 * own.median(last), exponent(own, own.bytes), own.bytes[last] / mebi},
                 first});
            first = false;
        }
    }
    table.notes = {
        fmt::format(
            "Exponents: slopes of logarithms over the {} largest lengths that each method was measured at (from L to "
            "L), fitted in each of {} rounds; their mean ± half the {} % Student interval. Times are medians.",
            fitted_lengths, report::numbers(data, "repeat").size(), 100 * level),
        "Memory: the most bytes held at once beside queries, keys and values, the output among them, as allocated. "
        "sees: all keys, or (causal) those up to its own place."};
    return table;
}

/// Both measured in the same rounds: their ratio, by round.
std::vector<std::vector<double>> ratios(const Line& over, const Line& under) {
    std::vector<std::vector<double>> result(over.seconds.size());
    for (std::size_t r = 0; r < result.size(); ++r)
        for (std::size_t i = 0; i < std::min(over.points(), under.points()); ++i)
            result[r].push_back(over.seconds[r][i] / under.seconds[r][i]);
    return result;
}

report::Table crossovers(const store::Dataset& data) {
    report::Table table{
        .name = "cost-crossover",
        .caption = "From which length on exact attention takes longer than each other method.",
        .columns = {report::word_column("method"),
                    report::word_column("sees"),
                    {"threads"},
                    {"crossover L"},
                    {"at L"},
                    report::number_column("exact / method", report::decimals(2))}};
    for (const std::string& method : report::words(data, "method")) {
        if (method == "exact" || method == "copy") continue;
        bool first = true;
        for (const Place& place : places(data)) {
            const Line exact = line(data, "exact", place), own = line(data, method, place);
            const std::size_t common = std::min(exact.points(), own.points());
            if (common < 2) continue;
            const std::vector<double> lengths(own.lengths.begin(),
                                              own.lengths.begin() + static_cast<std::ptrdiff_t>(common));
            std::vector<double> crossings, last;
            for (const auto& round : ratios(own, exact)) {
                crossings.push_back(statistics::log_crossing(lengths, round, 1));
                last.push_back(1 / round.back());
            }
            table.rows.push_back(
                {{method, place.visible, place.threads, interval(crossings), lengths.back(), interval(last)}, first});
            first = false;
        }
    }
    table.notes = {fmt::format(
        "Crossover: by straight lines between the logarithms of the ratio at neighbouring lengths, in each round; "
        "mean ± half the {} % Student interval over rounds. A dash: not between the lengths that both were measured "
        "at, in some round. exact / method: the ratio of times at the longest of these.",
        100 * level)};
    return table;
}

report::Figure figure(const store::Dataset& data, const char* name, const char* title, const char* label,
                      const std::vector<Place>& shown, const std::function<double(const Line&, std::size_t)>& value,
                      const char* caption) {
    report::Figure result{.name = name,
                          .title = title,
                          .caption = caption,
                          .columns = 2,
                          .names = report::words(data, "method")};
    for (const Place& place : shown) {
        report::Panel panel{.title = fmt::format("{}, {} thread{}", place.visible == "all" ? "all keys seen" : "causal",
                                                 place.threads, place.threads == 1 ? "" : "s")};
        panel.x = {.label = "L", .log = true};
        panel.y = {.label = label, .log = true};
        for (const std::string& method : report::words(data, "method")) {
            const Line own = line(data, method, place);
            if (own.points() == 0) continue;
            report::Series series{method, own.lengths, {}};
            for (std::size_t i = 0; i < own.points(); ++i) series.y.push_back(value(own, i));
            series.style = method == "copy" ? report::Style::reference : report::Style::line_points;
            panel.series.push_back(std::move(series));
        }
        result.panels.push_back(std::move(panel));
    }
    return result;
}

}  // namespace

Report cost_report(const store::Dataset& data) {
    std::vector<Place> widest;
    for (const Place& place : places(data))
        if (place.threads == report::numbers(data, "threads").back()) widest.push_back(place);
    Report result;
    result.figures = {
        figure(
            data, "cost-time", "Time of attention", "time / s", places(data),
            [](const Line& own, std::size_t i) { return own.median(i); },
            "Medians over rounds of one head in float. copy moves the values to the output: no attention takes less."),
        figure(
            data, "cost-memory", "Memory of attention", "peak memory / MiB", widest,
            [](const Line& own, std::size_t i) { return own.bytes[i] / mebi; },
            "The most bytes held at once beside queries, keys and values, the output among them.")};
    result.tables = {exponents(data)};
    if (report::has_word(data, "method", "exact")) result.tables.push_back(crossovers(data));
    return result;
}

}  // namespace rfbench::experiments
