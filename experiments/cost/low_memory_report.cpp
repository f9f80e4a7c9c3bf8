#include "cost/low_memory_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/low_memory_counts.hpp"
#include "cost/low_memory_lines.hpp"
#include "cost/low_memory_thesis.hpp"
#include "report/cost_lines.hpp"
#include "rfbench/report/slice.hpp"

namespace rfbench::experiments {
namespace {

/// "I: 8192 tokens, 1 layer, width 1024".
std::string title(const store::Dataset& data, const std::string& method, const std::string& network) {
    const auto value = [&](const char* name) { return network_value(data, name, method, network); };
    const double layers = value("layers");
    return fmt::format("{}: {} tokens, {} layer{}, width {}", network, value("length"), layers, layers == 1 ? "" : "s",
                       value("width"));
}

/// Ways whose times stand in no line of their own.
bool compared(const std::string& way) { return way == whole_sequence || way == one_slice_alone; }

std::vector<std::string> ways_of(const store::Dataset& data) { return report::words(data, "way"); }

report::Figure figure(const store::Dataset& data, bool time) {
    report::Figure result{
        .name = time ? "low-memory-time" : "low-memory-memory",
        .title = time ? "Time of a gradient slice by slice" : "Memory of a gradient slice by slice",
        .caption = time
                       ? "Time over that of the gradient of the whole sequence, measured in turns with it. Two forward "
                         "passes and one backward are 4/3 of one and one; Table 5.2 of the thesis prints 1.7 to 2.2."
                       : "The most bytes held at once beside parameters, their packed copies and the text. No "
                         "algorithm takes less than a slice alone.",
        .columns = 2};
    if (time) result.interval = "Bars: from the fastest to the slowest round, over the median of the whole sequence";
    for (const std::string& method : report::words(data, "method"))
        for (const std::string& network : report::words(data, "network")) {
            report::Panel panel{.title = title(data, method, network)};
            if (report::words(data, "method").size() > 1) panel.title += ", " + method;
            panel.x = {.label = "E, tokens of a slice", .log = true};
            panel.y = {.label = time ? "time / that of the whole" : "peak memory / MiB", .log = !time};
            const SliceLine whole = slice_line(data, method, network, whole_sequence);
            if (time) panel.horizontal = {{1, ""}, {4.0 / 3, "4/3"}, {1.7, "1.7"}, {2.2, "2.2"}};
            for (const std::string& way : ways_of(data)) {
                if (time && compared(way)) continue;
                const SliceLine own = slice_line(data, method, network, way);
                report::Series series{way, own.slices, time ? own.seconds : own.bytes};
                if (time) {
                    series.low = own.low;
                    series.high = own.high;
                    series.spread = report::Spread::bars;
                }
                const auto scale = [&](std::vector<double>& values) {
                    // All ways of a network were measured with the same slices: numbers stand at the same places.
                    for (std::size_t i = 0; i < values.size(); ++i) values[i] /= time ? whole.seconds[i] : mebi;
                };
                scale(series.y);
                scale(series.low);
                scale(series.high);
                series.style =
                    compared(way) || way == whole_prefix_sums ? report::Style::line : report::Style::line_points;
                panel.series.push_back(std::move(series));
            }
            result.panels.push_back(std::move(panel));
        }
    return result;
}

report::Table gradient_table(const store::Dataset& data) {
    report::Table result{
        .name = "low-memory",
        .caption =
            "Time and peak memory of one gradient, of the whole sequence and slice by slice; times "
            "slice by slice over that of the whole, in theory 4/3 and 1.7 to 2.2 in Table 5.2.",
        .columns = {report::word_column("network"), report::word_column("method"), {"slice"}, {"whole", "s"}}};
    const std::vector<std::string> ways = ways_of(data);
    for (const std::string& way : ways)
        if (!compared(way)) result.columns.push_back(report::number_column(way, report::decimals(2)));
    for (const std::string& way : ways)
        result.columns.push_back({way + ", memory", "MiB", report::Alignment::right, report::decimals(1)});
    for (const std::string& network : report::words(data, "network"))
        for (const std::string& method : report::words(data, "method")) {
            const SliceLine whole = slice_line(data, method, network, whole_sequence);
            for (std::size_t i = 0; i < whole.slices.size(); ++i) {
                report::Row row{{network, method, whole.slices[i], whole.seconds[i]}};
                std::vector<report::Entry> memory;
                for (const std::string& way : ways) {
                    const SliceLine own = slice_line(data, method, network, way);
                    if (!compared(way)) row.entries.push_back(own.seconds[i] / whole.seconds[i]);
                    memory.push_back(own.bytes[i] / mebi);
                }
                row.entries.insert(row.entries.end(), memory.begin(), memory.end());
                result.rows.push_back(std::move(row));
            }
        }
    report::group_by_first(result, 2);
    result.notes = {
        "Memory: the most bytes held at once beside parameters, their packed copies and the text; the gradient of all "
        "parameters is among them. one slice alone: the gradient of the first slice as a whole sequence, below which "
        "no algorithm gets. Times are medians over rounds."};
    if (report::has_word(data, "way", whole_prefix_sums))
        result.notes.emplace_back("prefix sums: attention stores the sums of all tokens.");
    return result;
}

}  // namespace

SliceLine slice_line(const store::Dataset& data, const std::string& method, const std::string& network,
                     const std::string& way) {
    SliceLine result;
    for (const double slice : report::numbers(data, "slice")) {
        const report::Fixed cell{{"method", method}, {"network", network}, {"slice", slice}};
        if (std::isnan(report::slice(data, "length", cell).values.front())) continue;
        const report::Fixed fixed = report::joined(cell, {{"way", way}});
        std::vector<double> times = report::slice(data, "seconds", fixed).values;
        std::erase_if(times, [](double time) { return std::isnan(time); });
        // A way that was left out has its place in the line, so that numbers of all ways stand side by side.
        if (times.empty()) times.push_back(std::nan(""));
        std::sort(times.begin(), times.end());
        const std::size_t n = times.size();
        result.slices.push_back(slice);
        result.seconds.push_back((times[(n - 1) / 2] + times[n / 2]) / 2);
        result.low.push_back(times.front());
        result.high.push_back(times.back());
        result.bytes.push_back(report::slice(data, "peak_bytes", fixed).values.front());
    }
    return result;
}

double network_value(const store::Dataset& data, const char* name, const std::string& method,
                     const std::string& network) {
    // NaN stands at slices that it was not measured with.
    for (const double one : report::slice(data, name, {{"method", method}, {"network", network}}).values)
        if (!std::isnan(one)) return one;
    return std::nan("");
}

Report low_memory_report(const store::Dataset& data) {
    Report result{{figure(data, true), figure(data, false)}, {gradient_table(data)}};
    for (const report::Table& table : {printed_table(data), exponent_table(data), count_table(data)})
        if (!table.rows.empty()) result.tables.push_back(table);
    return result;
}

}  // namespace rfbench::experiments
