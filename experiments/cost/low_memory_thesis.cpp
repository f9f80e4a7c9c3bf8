#include "cost/low_memory_thesis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "cost/low_memory_lines.hpp"
#include "cost/low_memory_report.hpp"
#include "report/reduction.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/linear_fit.hpp"

namespace rfbench::experiments {
namespace {

/// A row of Table 5.2; E of 0 is the whole sequence.
struct PrintedCost {
    const char *setup, *network;
    double slice, seconds, gigabytes;
};
constexpr PrintedCost printed_costs[] = {
    {"copying", "I", 0, 0.3008, 0.938},          {"copying", "I", 4096, 0.5372, 0.595},
    {"copying", "I", 2048, 0.6002, 0.436},       {"Penn treebank", "II", 0, 0.1377, 0.300},
    {"Penn treebank", "II", 512, 0.2526, 0.257}, {"Penn treebank", "II", 256, 0.3060, 0.231},
    {"enwik8", "III", 0, 0.4598, 1.513},         {"enwik8", "III", 2048, 0.7922, 1.085},
    {"enwik8", "III", 1366, 0.8654, 0.909},
};

/// Place of a slice; nothing where the line lacks it.
std::optional<std::size_t> place_of_slice(const SliceLine& line, double slice) {
    const auto found = std::find(line.slices.begin(), line.slices.end(), slice);
    if (found == line.slices.end()) return std::nullopt;
    return static_cast<std::size_t>(found - line.slices.begin());
}

}  // namespace

report::Table printed_table(const store::Dataset& data) {
    const report::Format two = report::decimals(2), three = report::decimals(3);
    report::Table table{.name = "low-memory-printed",
                        .caption =
                            "Table 5.2 beside ours, by subtraction: time over that of the whole sequence, and peak "
                            "memory of a step with parameters and Adam's state, in GB.",
                        .columns = {report::word_column("setup"),
                                    report::word_column("network"),
                                    report::word_column("method"),
                                    {"E"},
                                    report::number_column("time, printed", two),
                                    report::number_column("time, ours", two),
                                    report::number_column("memory, printed", three),
                                    report::number_column("memory, ours", three)}};
    if (!is_of(data, {"cost/low-memory.yaml"})) return table;
    double whole_printed = 0;
    for (const PrintedCost& printed : printed_costs) {
        if (printed.slice == 0) whole_printed = printed.seconds;
        if (!report::has_word(data, "network", printed.network)) continue;
        for (const std::string& method : report::words(data, "method")) {
            const auto whole = slice_line(data, method, printed.network, whole_sequence);
            const auto own = printed.slice == 0 ? whole : slice_line(data, method, printed.network, "subtraction");
            // The whole sequence was measured with every slice: the longest is as good as any.
            const auto at =
                printed.slice == 0 ? std::optional(whole.slices.size() - 1) : place_of_slice(own, printed.slice);
            if (own.slices.empty() || !at) continue;
            // Parameters and both of Adam's moments, in float.
            const double kept = 3 * sizeof(float) * network_value(data, "parameters", method, printed.network);
            table.rows.push_back({{printed.setup, printed.network, method,
                                   printed.slice == 0 ? report::Entry("whole") : report::Entry(printed.slice),
                                   printed.seconds / whole_printed, own.seconds[*at] / whole.seconds[*at],
                                   printed.gigabytes, (own.bytes[*at] + kept) / 1e9},
                                  printed.slice == 0});
        }
    }
    table.notes = {
        "Printed: seconds and memory on a GPU. Ours: gradients of random text, with 12 bytes a parameter for weights "
        "and "
        "Adam's moments; without packed copies of weights, which a program for CPUs has."};
    return table;
}

report::Table exponent_table(const store::Dataset& data) {
    const report::Format two = report::decimals(2);
    report::Table table{
        .name = "low-memory-exponents",
        .caption =
            "Exponents in L of time and of memory beside parameters, of networks that differ in their length alone; "
            "Table 5.1 has 1 and 1 for the whole sequence, 1 and 0 for slices of a given E.",
        .columns = {report::word_column("networks"),
                    report::word_column("method"),
                    {"E"},
                    report::word_column("way"),
                    report::number_column("time", two),
                    report::number_column("memory", two)}};
    for (const std::string& method : report::words(data, "method")) {
        std::map<std::pair<double, double>, std::vector<std::string>> alike;
        for (const std::string& network : report::words(data, "network"))
            alike[{network_value(data, "layers", method, network), network_value(data, "width", method, network)}]
                .push_back(network);
        for (const auto& [size, networks] : alike)
            for (const double slice : report::numbers(data, "slice")) {
                std::vector<std::string> with_slice;
                for (const std::string& network : networks)
                    if (place_of_slice(slice_line(data, method, network, whole_sequence), slice))
                        with_slice.push_back(network);
                if (with_slice.size() < 2) continue;
                std::string label;
                for (const std::string& network : with_slice) label += (label.empty() ? "" : "; ") + network;
                for (const std::string& way : report::words(data, "way")) {
                    if (way == one_slice_alone) continue;
                    std::vector<double> lengths, seconds, bytes;
                    // The gradient of all parameters is in every peak, and does not grow.
                    for (const std::string& network : with_slice) {
                        const auto line = slice_line(data, method, network, way);
                        const std::size_t at = *place_of_slice(line, slice);
                        const double gradient = sizeof(float) * network_value(data, "parameters", method, network);
                        lengths.push_back(network_value(data, "length", method, network));
                        seconds.push_back(line.seconds[at]);
                        bytes.push_back(std::max(line.bytes[at] - gradient, 1.0));
                    }
                    // Left out where its sums take too much.
                    if (std::any_of(seconds.begin(), seconds.end(), [](double one) { return std::isnan(one); }))
                        continue;
                    table.rows.push_back({{label, method, slice, way, statistics::exponent(lengths, seconds),
                                           statistics::exponent(lengths, bytes)}});
                }
            }
    }
    report::group_by_first(table, 3);
    return table;
}

}  // namespace rfbench::experiments
