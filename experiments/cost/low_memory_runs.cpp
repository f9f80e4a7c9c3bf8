#include "cost/low_memory_runs.hpp"

#include "cost/low_memory_report.hpp"
#include "rfbench/training/stateful_head.hpp"
#include "training/sliced_networks.hpp"

namespace rfbench::experiments {

std::vector<GradientRun> gradient_runs(Index tokens, Index length) {
    std::vector<GradientRun> all{{.way = whole_sequence},
                                 {.way = whole_prefix_sums, .prefix_sums = true},
                                 {.way = one_slice_alone, .alone = true}};
    // Sums in double take the time and the memory of those in float: networks hold states in double.
    for (const GradientWay& way : sliced_ways())
        if (way.slicing.recovery != networks::Recovery::double_sums)
            all.push_back({.way = way.name, .slicing = sliced(way, tokens, length)});
    networks::Slicing subtraction{tokens, networks::Recovery::subtraction};
    all.push_back({.way = sliced_prefix_sums, .slicing = subtraction, .prefix_sums = true});
    return all;
}

Index stored_tokens(const GradientRun& run, Index length) {
    if (!run.prefix_sums) return 0;
    return run.slicing.tokens > 0 ? run.slicing.tokens : length;
}

networks::Heads with_prefix_sums(const networks::Heads& heads) {
    networks::Heads all;
    for (const auto& head : heads) all.push_back(head->stateful()->with_prefix_sums());
    return all;
}

networks::SlicedWork gradient_of(const GradientRun& run, const networks::Transformer& network,
                                 const networks::Weights<float>& weights, const networks::Sequence<float>& text) {
    networks::Column<float> out;
    if (run.slicing.tokens > 0) {
        networks::SlicedGradient<float> slices(network, run.slicing);
        slices(weights, {&text, 1}, out);
        return slices.work();
    }
    networks::Workspace<float> work;
    network.gradient<float>(weights, {&text, 1}, work, out);
    return {.forward = text.length(), .backward = text.length()};
}

}  // namespace rfbench::experiments
