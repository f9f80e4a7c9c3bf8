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

/// One method, seen one way on so many threads, up to the longest length it was measured at. The longer a run takes,
/// the fewer rounds there are of it: a length has the first of them, and NaN in all others.
struct Line {
    std::vector<double> lengths;
    std::vector<std::vector<double>> seconds;  // [round][length]
    std::vector<double> bytes;                 // [length]

    std::size_t points() const { return bytes.size(); }
    /// Those in which all lengths from this one on were measured.
    std::size_t rounds_from(std::size_t first) const {
        const auto whole = [&](const auto& round) {
            return std::none_of(round.begin() + static_cast<std::ptrdiff_t>(first), round.end(),
                                [](double time) { return std::isnan(time); });
        };
        return static_cast<std::size_t>(std::find_if_not(seconds.begin(), seconds.end(), whole) - seconds.begin());
    }
    /// Seconds in ascending order.
    std::vector<double> times(std::size_t point) const {
        std::vector<double> all;
        for (const auto& round : seconds)
            if (!std::isnan(round[point])) all.push_back(round[point]);
        std::sort(all.begin(), all.end());
        return all;
    }
    double median(std::size_t point) const {
        const std::vector<double> all = times(point);
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
                                    {"rounds"},
                                    report::number_column("exponent of time", two),
                                    {"time", "ms"},
                                    report::number_column("exponent of memory", two),
                                    {"memory", "MiB"}}};
    for (const std::string& method : report::words(data, "method")) {
        bool first = true;
        for (const Place& place : places(data)) {
            const Line own = line(data, method, place);
            if (own.points() < 2) continue;
            const std::size_t last = own.points() - 1;
            const std::size_t from = own.points() - std::min(fitted_lengths, own.points());
            const std::size_t rounds = own.rounds_from(from);
            std::vector<double> slopes;
            for (std::size_t r = 0; r < rounds; ++r) slopes.push_back(exponent(own, own.seconds[r]));
            table.rows.push_back({{method, place.visible, place.threads, own.lengths[from], own.lengths[last],
                                   static_cast<double>(rounds), interval(slopes), 1e3 * own.median(last),
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
            fitted_lengths, 100 * level),
        "Memory: the most bytes held at once beside queries, keys and values, the output among them, as allocated. "
        "sees: all keys, or (causal) those up to its own place."};
    return table;
}

/// Of two methods' times in one round, up to where both were measured in it.
std::vector<double> ratios(const Line& over, const Line& under, std::size_t round) {
    std::vector<double> result;
    for (std::size_t i = 0; i < std::min(over.points(), under.points()); ++i) {
        result.push_back(over.seconds[round][i] / under.seconds[round][i]);
        if (std::isnan(result.back())) return {result.begin(), result.end() - 1};
    }
    return result;
}

/// Where one method is no more the slower, in each round that goes as far as the first one's crossing.
std::vector<double> crossings(const Line& own, const Line& exact) {
    std::vector<double> all;
    std::size_t needed = 1;
    for (std::size_t r = 0; r < own.seconds.size(); ++r) {
        const auto ratio = ratios(own, exact, r);
        if (ratio.size() < needed) continue;
        const auto end = own.lengths.begin() + static_cast<std::ptrdiff_t>(ratio.size());
        all.push_back(statistics::log_crossing({own.lengths.begin(), end}, ratio, 1));
        if (r == 0)
            needed =
                1 + static_cast<std::size_t>(std::lower_bound(own.lengths.begin(), end, all[0]) - own.lengths.begin());
    }
    return all;
}

/// exact / method at the longest length that both were measured at, in each round of it.
std::vector<double> last_ratios(const Line& own, const Line& exact, std::size_t common) {
    std::vector<double> all;
    for (std::size_t r = 0; r < own.seconds.size(); ++r)
        if (const auto ratio = ratios(exact, own, r); ratio.size() == common) all.push_back(ratio.back());
    return all;
}

report::Table crossovers(const store::Dataset& data) {
    report::Table table{.name = "cost-crossover",
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
            table.rows.push_back({{method, place.visible, place.threads, interval(crossings(own, exact)),
                                   own.lengths[common - 1], interval(last_ratios(own, exact, common))},
                                  first});
            first = false;
        }
    }
    table.notes = {fmt::format(
        "Crossover: by straight lines between the logarithms of the ratio at neighbouring lengths, in each round that "
        "goes so far; mean ± half the {} % Student interval over rounds, which one round alone does not have. A dash: "
        "not between the lengths that both were measured at, in some round. exact / method: the ratio of times at the "
        "longest of these.",
        100 * level)};
    return table;
}

report::Figure figure(const store::Dataset& data, const char* name, const char* title, const char* label,
                      const std::vector<Place>& shown, const std::function<double(const Line&, std::size_t)>& value,
                      const char* caption) {
    report::Figure result{.name = name, .title = title, .caption = caption, .columns = 2};
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

/// From the fastest to the slowest round.
void add_ranges(report::Figure& times, const store::Dataset& data) {
    times.interval = "Bars: from the fastest to the slowest round";
    const std::vector<Place> shown = places(data);
    for (std::size_t p = 0; p < times.panels.size(); ++p)
        for (report::Series& series : times.panels[p].series) {
            const Line own = line(data, series.label, shown[p]);
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
            data, "cost-time", "Time of attention", "time / s", places(data),
            [](const Line& own, std::size_t i) { return own.median(i); },
            "Medians over rounds of one head in float. copy moves the values to the output: no attention takes less."),
        figure(
            data, "cost-memory", "Memory of attention", "peak memory / MiB", widest,
            [](const Line& own, std::size_t i) { return own.bytes[i] / mebi; },
            "The most bytes held at once beside queries, keys and values, the output among them.")};
    add_ranges(result.figures.front(), data);
    result.tables = {exponents(data)};
    if (report::has_word(data, "method", "exact")) result.tables.push_back(crossovers(data));
    return result;
}

}  // namespace rfbench::experiments
