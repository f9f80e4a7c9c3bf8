#include "cost/low_memory_counts.hpp"

#include <algorithm>
#include <cmath>

#include "cost/low_memory_lines.hpp"
#include "cost/low_memory_report.hpp"
#include "report/cost_lines.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/training/stateful_head.hpp"

namespace rfbench::experiments {
namespace {

/// Multiply-adds of a token in the matrices of all layers.
double layer_operations(const networks::Transformer& network) {
    double all = 0;
    for (const networks::Parameter& one : network.layout().all())
        if (one.factor >= 0 && one.name.starts_with("h.")) all += static_cast<double>(one.size());
    return all;
}

/// A count of one way; NaN where it was left out.
double count(const store::Dataset& data, const char* name, const report::Fixed& cell, const std::string& way) {
    return report::slice(data, name, report::joined(cell, {{"way", way}})).values.front();
}

}  // namespace

std::vector<store::Variable> counts_of(const networks::Transformer& network, Index length,
                                       const std::vector<networks::SlicedWork>& work) {
    const networks::TransformerShape& shape = network.shape();
    const double tokens = static_cast<double>(length), s = static_cast<double>(shape.layers),
                 d_hid = static_cast<double>(shape.width);
    // One state of all layers and heads: s M (d + 1) h numbers.
    const double numbers = networks::state_bytes(network) / sizeof(double);
    const double m = numbers / (s * (d_hid + static_cast<double>(shape.heads)));
    const auto scalar = [](const char* name, double value, const char* unit, const char* description) {
        return store::Variable{name, {}, {value}, unit, description};
    };
    const auto by_way = [&](const char* name, const char* description, auto value) {
        store::Variable all{name, {"way"}, {}, "", description};
        for (const networks::SlicedWork& one : work)
            all.values.push_back(one.forward == 0 ? std::nan("") : static_cast<double>(value(one)));
        return all;
    };
    using Work = networks::SlicedWork;
    return {
        scalar("length", tokens, "", "tokens"),
        scalar("layers", s, "", "of the network"),
        scalar("width", d_hid, "", "of the network"),
        scalar("parameters", static_cast<double>(network.layout().size()), "", "of the network"),
        by_way("forward_passes", "tokens that went forwards, over those of the sequence; section 5.5 has 2",
               [&](const Work& one) { return static_cast<double>(one.forward) / tokens; }),
        by_way("backward_passes", "tokens that went backwards, over those of the sequence; section 5.5 has 1",
               [&](const Work& one) { return static_cast<double>(one.backward) / tokens; }),
        by_way("additions", "entries of states that were taken back, token by token as (5.9) counts them",
               [&](const Work& one) { return static_cast<double>(one.subtracted) * numbers; }),
        scalar("printed_additions", tokens * numbers, "", "L s M (d + 1) h, of section 5.5"),
        scalar("layer_operations", tokens * layer_operations(network), "",
               "multiply-adds of one forward pass in the matrices of all layers, counted"),
        scalar("printed_layer_operations", 11 * tokens * s * d_hid * d_hid, "", "11 L s d_hid^2, of section 5.5"),
        scalar("state_bytes", 2 * networks::state_bytes(network), "B", "of a state and its gradient, as they are held"),
        scalar("printed_state_bytes", 2 * s * d_hid * (m + 1) * sizeof(float), "B",
               "2 s d_hid (M + 1) floats, of section 5.5"),
        scalar("printed_sum_bytes", tokens * numbers * sizeof(float), "B",
               "L s M (d + 1) h floats: all prefix sums of all layers and heads"),
    };
}

report::Table count_table(const store::Dataset& data) {
    const report::Format one = report::decimals(1), two = report::decimals(2), three = report::decimals(3);
    report::Table table{
        .name = "low-memory-counts",
        .caption =
            "Section 5.5 beside what was counted and measured. Passes: of the sequence forwards, by subtraction and "
            "with checkpoints; printed is 2. Additions: by subtraction, printed L s M (d + 1) h. Layers: multiply-adds "
            "of a forward pass in matrices, printed 11 L s d_hid^2. State: printed 2 s d_hid (M + 1) floats. Prefix "
            "sums: printed L M (d + 1) floats a head.",
        .columns = {report::word_column("network"),
                    report::word_column("method"),
                    {"E"},
                    report::number_column("passes, subtraction", two),
                    report::number_column("passes, checkpoints", two),
                    report::number_column("additions / printed", three),
                    report::number_column("printed additions / layers", three),
                    report::number_column("layers / printed", three),
                    {"printed state", "KiB", report::Alignment::right, one},
                    report::number_column("measured / printed state", two),
                    {"printed prefix sums", "MiB", report::Alignment::right, one},
                    report::number_column("measured / printed prefix sums", three)}};
    // Results of version 1 of the study have no counts.
    if (!report::has_word(data, "way", whole_prefix_sums)) return table;
    for (const std::string& network : report::words(data, "network"))
        for (const std::string& method : report::words(data, "method")) {
            const SliceLine line = slice_line(data, method, network, whole_sequence);
            for (std::size_t i = 0; i < line.slices.size(); ++i) {
                const report::Fixed cell{{"method", method}, {"network", network}, {"slice", line.slices[i]}};
                const auto of = [&](const char* name, const std::string& way) { return count(data, name, cell, way); };
                const auto value = [&](const char* name) { return report::slice(data, name, cell).values.front(); };
                const double sums = of("peak_bytes", whole_prefix_sums) - of("peak_bytes", whole_sequence);
                const double state = of("peak_bytes", "subtraction") - of("peak_bytes", one_slice_alone);
                table.rows.push_back(
                    {{network, method, line.slices[i], of("forward_passes", "subtraction"),
                      of("forward_passes", "checkpoints"), of("additions", "subtraction") / value("printed_additions"),
                      value("printed_additions") / value("layer_operations"),
                      value("layer_operations") / value("printed_layer_operations"),
                      value("printed_state_bytes") / 1024, state / value("printed_state_bytes"),
                      value("printed_sum_bytes") / mebi, sums / value("printed_sum_bytes")}});
            }
        }
    report::group_by_first(table, 2);
    table.notes = {
        "Counted: tokens that went through the network, and those whose sums were taken back: neither the first slice "
        "nor the last has to be. Measured: memory by subtraction beyond that of one slice alone; and that of the whole "
        "sequence with prefix sums beyond that without."};
    return table;
}

}  // namespace rfbench::experiments
