#include "cost/products_report.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

/// One task with its products formed in one way.
struct ProductLine {
    double error, milliseconds;  ///< the median over rounds; NaN: not timed
    bool emulated;
    std::vector<double> seconds;  ///< of each round

    ProductLine(const store::Dataset& data, const std::string& task, const std::string& way)
        : error(value(data, "error", task, way)),
          milliseconds(1e3 * report::quartiles(seconds_of(data, task, way), "repeat").median.front()),
          emulated(value(data, "emulated", task, way) > 0),
          seconds(seconds_of(data, task, way).values) {}

    /// How many times as fast as `other`, in each round that both were timed in.
    std::vector<double> speeds(const ProductLine& other) const {
        std::vector<double> all;
        for (std::size_t r = 0; r < seconds.size(); ++r)
            if (!std::isnan(seconds[r]) && !std::isnan(other.seconds[r])) all.push_back(other.seconds[r] / seconds[r]);
        return all;
    }

private:
    static report::Fixed place(const std::string& task, const std::string& way) {
        return {{"task", task}, {"products", way}};
    }
    static double value(const store::Dataset& data, const char* name, const std::string& task, const std::string& way) {
        return report::slice(data, name, place(task, way)).values.front();
    }
    static report::Slice seconds_of(const store::Dataset& data, const std::string& task, const std::string& way) {
        return report::slice(data, "seconds", place(task, way));
    }
};

/// The first way, which others are compared with.
const std::string& first_way(const store::Dataset& data) { return report::words(data, "products").front(); }

/// "2 parts" of "matrix units, 2 parts".
std::string short_name(const std::string& way) {
    const std::size_t comma = way.find(", ");
    return comma == std::string::npos ? way : way.substr(comma + 2);
}

/// A panel over all ways, which has `value` (task, way) of each task.
template <class Value>
report::Panel panel(const store::Dataset& data, report::Axis axis, Value value) {
    report::Panel panel;
    panel.y = std::move(axis);
    const std::vector<std::string>& ways = report::words(data, "products");
    panel.x = {.label = "products", .range = {{-0.3, static_cast<double>(ways.size()) - 0.7}}};
    for (std::size_t i = 0; i < ways.size(); ++i)
        panel.x.ticks.push_back({static_cast<double>(i), short_name(ways[i])});
    for (const std::string& task : report::words(data, "task")) {
        report::Series series{.label = task, .x = {}, .y = {}, .style = report::Style::line_points};
        for (std::size_t i = 0; i < ways.size(); ++i) {
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(value(task, ways[i]));
        }
        panel.series.push_back(std::move(series));
    }
    return panel;
}

report::Figure figure(const store::Dataset& data) {
    const auto error = [&](const std::string& task, const std::string& way) {
        return ProductLine(data, task, way).error;
    };
    const auto speed = [&](const std::string& task, const std::string& way) {
        const std::vector<double> all = ProductLine(data, task, way).speeds({data, task, first_way(data)});
        // The first way is the line at 1.
        return all.empty() || way == first_way(data) ? std::nan("") : statistics::mean_interval(all).value;
    };
    report::Figure figure{.name = "products",
                          .title = "Products by vector registers and by matrix units",
                          .caption =
                              "Error beside double, and speed, by what forms products of float: vector registers, or "
                              "matrix units that take every entry in so many parts of bfloat16.",
                          .columns = 2};
    figure.panels = {panel(data, {.label = "relative error", .log = true}, error)};
    report::Panel speeds = panel(data, {.label = "speed / that of " + first_way(data)}, speed);
    speeds.horizontal = {{1, first_way(data)}};
    const bool any = std::any_of(speeds.series.begin(), speeds.series.end(),
                                 [](const report::Series& series) { return !report::all_missing(series.y); });
    if (any) figure.panels.push_back(std::move(speeds));
    return figure;
}

report::Table table(const store::Dataset& data) {
    report::Table table{.name = "products",
                        .caption = "Errors beside double, and times, by what forms products of float.",
                        .columns = {report::word_column("task"),
                                    report::word_column("products"),
                                    report::number_column("error", {.digits = 2}),
                                    {"time", "ms"},
                                    report::number_column("times as fast", report::decimals(2))}};
    bool emulated = false;
    for (const std::string& task : report::words(data, "task")) {
        const ProductLine first(data, task, first_way(data));
        for (const std::string& way : report::words(data, "products")) {
            const ProductLine own(data, task, way);
            emulated = emulated || own.emulated;
            const bool compared = way != first_way(data) && !own.speeds(first).empty();
            table.rows.push_back({{task, way, own.error, own.milliseconds,
                                   compared ? report::averaged_entry(own.speeds(first)) : report::Missing{}}});
        }
    }
    report::group_by_first(table);
    table.notes = {
        "Error: Frobenius norm of the difference from the same in double, over that of the result. Time: median over "
        "rounds. Times as fast: as the first row of a task, mean ± half the 95 % Student interval over rounds."};
    if (emulated)
        table.notes.emplace_back(
            "The processor had no matrix units: an emulation with their bits computed the errors, and there are no "
            "times.");
    return table;
}

}  // namespace

Report products_report(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace rfbench::experiments
