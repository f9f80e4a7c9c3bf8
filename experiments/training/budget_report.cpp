#include "training/budget_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "report/cost_lines.hpp"
#include "sources/least_margins.hpp"
#include "training/baselines.hpp"
#include "training/network_budget.hpp"

namespace rfbench::experiments {
namespace {

double largest(const store::Dataset& data, const char* axis) {
    const auto& all = report::numbers(data, axis);
    return *std::max_element(all.begin(), all.end());
}
std::vector<double> ascending(const store::Dataset& data, const char* axis) {
    std::vector<double> all = report::numbers(data, axis);
    std::sort(all.begin(), all.end());
    return all;
}

/// One method within one budget.
struct Place {
    std::string method;
    double seconds, bytes;

    report::Fixed fixed() const { return {{"method", method}, {"seconds", seconds}, {"bytes", bytes}}; }
    report::Fixed of_seed(double seed) const { return report::joined(fixed(), {{"seed", seed}}); }
};

/// Each time with the most memory.
std::vector<Place> times(const store::Dataset& data, const std::string& method) {
    std::vector<Place> all;
    for (const double seconds : ascending(data, "seconds")) all.push_back({method, seconds, largest(data, "bytes")});
    return all;
}
/// Each memory with the most time.
std::vector<Place> memories(const store::Dataset& data, const std::string& method) {
    std::vector<Place> all;
    for (const double bytes : ascending(data, "bytes")) all.push_back({method, largest(data, "seconds"), bytes});
    return all;
}
/// All that were trained by. The last of either is the same.
std::vector<Place> places(const store::Dataset& data, const std::string& method) {
    std::vector<Place> all = times(data, method), more = memories(data, method);
    all.insert(all.end(), more.begin(), more.end() - 1);
    return all;
}

double at(const store::Dataset& data, const char* variable, const report::Fixed& fixed) {
    return report::slice(data, variable, fixed).values.front();
}

/// The network that one seed trained, as the grid was measured then.
struct Chosen {
    double layers, width;
    report::Fixed in_grid;
};
std::optional<Chosen> chosen(const store::Dataset& data, const Place& place, double seed) {
    const double layers = at(data, "chosen_layers", place.of_seed(seed));
    if (std::isnan(layers)) return {};
    const double width = at(data, "chosen_width", place.of_seed(seed));
    return Chosen{layers, width, report::joined(place.of_seed(seed), {{"layers", layers}, {"width", width}})};
}

/// Seeds that are done there: a sweep that is not finished lacks some.
std::vector<double> seeds_done(const store::Dataset& data, const Place& place) {
    std::vector<double> all;
    for (const double seed : report::numbers(data, "seed"))
        if (!report::all_missing(report::slice(data, "parameters", place.of_seed(seed)).values)) all.push_back(seed);
    return all;
}

/// "2 x 128", all that seeds trained: an interrupted run measures the grid again, and may choose another.
report::Entry sizes(const store::Dataset& data, const Place& place) {
    std::vector<std::string> all;
    for (const double seed : seeds_done(data, place)) {
        const auto one = chosen(data, place, seed);
        const std::string words = one ? fmt::format("{} x {}", one->layers, one->width) : "none fits";
        if (std::find(all.begin(), all.end(), words) == all.end()) all.push_back(words);
    }
    if (all.empty()) return report::Missing{};
    std::string joined;
    for (const std::string& one : all) joined += (joined.empty() ? "" : ", ") + one;
    return joined;
}

/// A variable of the grid at the networks that were trained, their mean over seeds.
report::Entry of_chosen(const store::Dataset& data, const char* variable, const Place& place, double unit = 1) {
    std::vector<double> all;
    for (const double seed : report::numbers(data, "seed"))
        if (const auto one = chosen(data, place, seed)) all.push_back(at(data, variable, one->in_grid));
    if (all.empty()) return report::Missing{};
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()) / unit;
}

report::Entry mean(const store::Dataset& data, const char* variable, const Place& place) {
    const report::Averages all = report::average(data, variable, place.fixed(), "seed");
    return all.empty() ? report::Entry(report::Missing{}) : report::Entry(all.mean[0]);
}

/// Seconds of trainings that came to their end: one that diverged has no bits to stand beside its time.
std::vector<double> trained_seconds(const store::Dataset& data, const Place& place) {
    const auto seconds = report::slice(data, "trained_seconds", place.fixed()).values,
               diverged = report::slice(data, "diverged_at", place.fixed()).values;
    std::vector<double> all;
    for (std::size_t s = 0; s < seconds.size(); ++s)
        if (!std::isnan(seconds[s]) && std::isnan(diverged[s])) all.push_back(seconds[s]);
    return all;
}

report::Entry mean_seconds(const store::Dataset& data, const Place& place) {
    const std::vector<double> all = trained_seconds(data, place);
    if (all.empty()) return report::Missing{};
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

/// Why no larger network was trained: the first seed's reason of the next larger one.
report::Entry limit(const store::Dataset& data, const Place& place) {
    const std::vector<double> seeds = seeds_done(data, place);
    if (seeds.empty()) return report::Missing{};
    const double seed = seeds.front();
    const auto one = chosen(data, place, seed);
    const double own = one ? at(data, "parameters", one->in_grid) : 0;
    double next = std::numeric_limits<double>::infinity();
    Beyond why = Beyond::none;
    for (const double layers : report::numbers(data, "layers"))
        for (const double width : report::numbers(data, "width")) {
            const auto there = report::joined(place.of_seed(seed), {{"layers", layers}, {"width", width}});
            const double parameters = at(data, "parameters", there);
            if (!(parameters > own && parameters < next)) continue;
            next = parameters;
            why = static_cast<Beyond>(static_cast<int>(at(data, "beyond", there)));
        }
    switch (why) {
        case Beyond::time: return "time";
        case Beyond::memory: return "memory";
        case Beyond::both: return "time and memory";
        default: return "the grid";
    }
}

/// Baselines, the last of which softmax attention is compared with.
std::vector<Baseline> counts(const store::Dataset& data) {
    std::vector<Baseline> all;
    for (const char* name : {"unigrams", "bigrams", "trigrams"})
        all.push_back({name, shared_value(data, "counts_bits", {{"order", static_cast<double>(all.size())}})});
    return all;
}

/// How far softmax attention is beyond trigrams where it has the fewest bits of validation text: the largest network
/// that fits into a budget need not be the best one, and the text held out must not choose it.
std::string margin(const store::Dataset& data) {
    const auto words = [&](const report::Fixed& budget) {
        return margin_words(data, {"bits_per_character", true, least_margin::text, 1, "bits per character"},
                            counts(data).back(), budget);
    };
    const auto softmax = data.attributes.find("softmax");
    if (softmax == data.attributes.end()) return words({});
    const std::vector<Place> all = places(data, softmax->second);
    const report::Fixed of_softmax{{"method", softmax->second}};
    if (!report::all_missing(report::slice(data, "parameters", of_softmax).values) &&
        report::all_missing(report::slice(data, "chosen_layers", of_softmax).values))
        return "No network with softmax attention fits into a budget: this run cannot judge attention.";
    Place best = all.front();
    double fewest = std::numeric_limits<double>::infinity();
    const report::Fixed at_last{{"share", report::numbers(data, "share").back()}};
    for (const Place& place : all) {
        const report::Averages bits =
            report::average(data, "validation_bits", report::joined(place.fixed(), at_last), "seed");
        if (bits.empty() || bits.mean.front() >= fewest) continue;
        best = place;
        fewest = bits.mean.front();
    }
    std::string said = words({{"seconds", best.seconds}, {"bytes", best.bytes}});
    if (std::isinf(fewest)) return said;  // that none is trained, or that all diverged
    return said + fmt::format(" This is in {:g} s and {:.4g} MiB, where it has the fewest bits on validation text.",
                              best.seconds, best.bytes / mebi);
}

/// How far trainings were from their budgets of time: steps were measured before, and may take longer later.
std::string time_words(const store::Dataset& data) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const std::string& method : report::words(data, "method"))
        for (const Place& place : places(data, method))
            for (const double seconds : trained_seconds(data, place)) {
                least = std::min(least, seconds / place.seconds);
                most = std::max(most, seconds / place.seconds);
            }
    if (most == 0) return "";
    return fmt::format("Trainings took {:.2f} to {:.2f} times their budgets of time.", least, most);
}

/// Bits of trainings against what they took, means over seeds.
report::Panel panel(const store::Dataset& data, const char* label,
                    std::vector<Place> (*budgets)(const store::Dataset&, const std::string& method),
                    const std::function<report::Entry(const Place&)>& taken) {
    report::Panel result{.x = {.label = label, .log = true}, .y = {.label = "bits per character"}};
    for (const std::string& method : report::words(data, "method")) {
        report::Series series{.label = method, .x = {}, .y = {}, .style = report::Style::line_points};
        for (const Place& place : budgets(data, method)) {
            const report::Averages bits = report::average(data, "bits_per_character", place.fixed(), "seed");
            const report::Entry x = taken(place);
            if (bits.empty() || !std::holds_alternative<double>(x)) continue;
            const report::Series point = report::averaged_series(method, {std::get<double>(x)}, bits, series.style);
            series.x.push_back(point.x.front());
            series.y.push_back(point.y.front());
            series.low.push_back(point.low.front());
            series.high.push_back(point.high.front());
        }
        result.series.push_back(std::move(series));
    }
    add_lines(result, counts(data));
    return result;
}

report::Figure figure(const store::Dataset& data) {
    return {
        .name = "budget",
        .title = "The largest network within a budget",
        .caption = fmt::format(
            "Bits per character of the text held out, by the largest network of each attention that fits into a budget "
            "of time and memory, trained for that time; means over seeds. Left: against the time that trainings took, "
            "within {:.4g} MiB; right: against the most that they held, within {:g} s. Dashed: counts. {}",
            largest(data, "bytes") / mebi, largest(data, "seconds"), margin(data)),
        .interval = "Bands: " + report::interval_words("seeds"),
        .panels = {panel(data, "time / s", times, [&](const Place& place) { return mean_seconds(data, place); }),
                   panel(data, "memory / MiB", memories,
                         [&](const Place& place) { return of_chosen(data, "peak_bytes", place, mebi); })},
        .columns = 2};
}

report::Table table(const store::Dataset& data) {
    report::Table result{
        .name = "budget",
        .caption =
            "The largest network within a budget of time and memory, trained for that time: layers x width, "
            "parameters, the time of a step and what a training holds as they were measured before; steps; the time "
            "that they took; bits per character of the text held out, mean over seeds ± half its 95 % interval; and "
            "what the next larger network would have too much of.",
        .columns = {report::word_column("method"),
                    {"time", "s"},
                    {"memory", "MiB"},
                    report::word_column("network"),
                    {"parameters"},
                    {"step", "ms"},
                    {"holds", "MiB"},
                    {"steps"},
                    {"took", "s"},
                    {"bits per character"},
                    report::word_column("limit"),
                    report::word_column("diverged")}};
    for (const std::string& method : report::words(data, "method"))
        for (const Place& place : places(data, method)) {
            const auto ends = report::slice(data, "diverged_at", place.fixed()).values;
            const auto ended = std::count_if(ends.begin(), ends.end(), [](double step) { return !std::isnan(step); });
            result.rows.push_back(
                {{method, place.seconds, place.bytes / mebi, sizes(data, place), of_chosen(data, "parameters", place),
                  of_chosen(data, "step_seconds", place, 1e-3), of_chosen(data, "peak_bytes", place, mebi),
                  mean(data, "steps", place), mean_seconds(data, place),
                  report::averaged_entry(report::average(data, "bits_per_character", place.fixed(), "seed")),
                  limit(data, place), ended == 0 ? "" : fmt::format("{} of {} seeds", ended, ends.size())}});
        }
    report::group_by_first(result);
    bool rule = true;
    for (const auto& [name, bits, more] : counts(data)) {
        report::Row row{{"without attention: " + name}, std::exchange(rule, false)};
        row.entries.resize(result.columns.size());
        row.entries[9] = bits;
        result.rows.push_back(std::move(row));
    }
    result.notes = {margin(data), time_words(data),
                    fmt::format("On {} threads. All networks see as many tokens a step, so that time "
                                "and memory alone differ.",
                                data.attributes.at("threads"))};
    return result;
}

report::Table networks_table(const store::Dataset& data) {
    report::Table result{
        .name = "budget-networks",
        .caption =
            "The networks to choose from: parameters, the median time of a step of training, and the "
            "most that a training holds at once.",
        .columns = {
            report::word_column("method"), {"layers"}, {"width"}, {"parameters"}, {"step", "ms"}, {"holds", "MiB"}}};
    for (const std::string& method : report::words(data, "method")) {
        const Place place{method, largest(data, "seconds"), largest(data, "bytes")};
        for (const double layers : report::numbers(data, "layers"))
            for (const double width : report::numbers(data, "width")) {
                const auto there = report::joined(place.of_seed(report::numbers(data, "seed").front()),
                                                  {{"layers", layers}, {"width", width}});
                result.rows.push_back({{method, layers, width, at(data, "parameters", there),
                                        at(data, "step_seconds", there) * 1e3, at(data, "peak_bytes", there) / mebi}});
            }
    }
    report::group_by_first(result);
    return result;
}

}  // namespace

Report budget_report(const store::Dataset& data) { return {{figure(data)}, {table(data), networks_table(data)}}; }

}  // namespace rfbench::experiments
