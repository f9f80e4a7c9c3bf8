#include "conversion/picture_report.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace rfbench::experiments {
namespace {

/// Methods of a figure: more would be too many panels.
constexpr std::size_t max_methods = 4;

report::Slice weights_of(const Recovered& all, const std::string& source, const std::string& method,
                         const std::string& stage) {
    return report::slice(all.data(), "attention",
                         {{"source", source},
                          {"method", method},
                          {"stage", stage},
                          {"columns", all.tuned()},
                          {"seed", report::numbers(all.data(), "seed").front()}},
                         {"key", "query"});
}

/// The label of a source as part of a file's name.
std::string file_word(std::string label) {
    for (char& one : label)
        if (!std::isalnum(static_cast<unsigned char>(one)) && one != '-' && one != '_') one = '-';
    return label;
}

/// Tokens of the sequence that there are pictures of.
std::size_t tokens_in(const report::Slice& weights) {
    const std::size_t queries = weights.numbers("query").size();
    std::size_t tokens = 0;
    // A token sees itself: its weight is there, whatever it is.
    while (tokens < queries && !std::isnan(weights.values[tokens * queries + tokens])) ++tokens;
    return tokens;
}

report::Panel panel_of(const report::Slice& weights, const std::string& title, double largest) {
    const std::size_t all = weights.numbers("query").size(), tokens = tokens_in(weights);
    std::vector<double> places, z;
    for (std::size_t i = 0; i < tokens; ++i) {
        places.push_back(weights.numbers("key")[i]);
        for (std::size_t j = 0; j < tokens; ++j) z.push_back(weights.values[i * all + j]);
    }
    report::Panel panel{.title = title, .x = {.label = "key"}, .y = {.label = "query"}};
    // One scale for all panels, or what is sharp could not be told from what is even.
    panel.map = report::HeatMap{.x = places, .y = places, .z = z, .label = "weight", .range = {{0, largest}}};
    return panel;
}

/// The largest weight of softmax, but for the first tokens, which see few others.
double largest_weight(const report::Slice& softmax) {
    const std::size_t all = softmax.numbers("query").size(), tokens = tokens_in(softmax);
    double largest = 0;
    for (std::size_t key = 0; key < tokens; ++key)
        for (std::size_t query = std::min<std::size_t>(4, tokens / 2); query < tokens; ++query)
            largest = std::max(largest, softmax.values[key * all + query]);
    return largest;
}

}  // namespace

std::vector<report::Figure> picture_figures(const Recovered& all) {
    std::vector<report::Figure> figures;
    if (!all.data().has_variable("attention")) return figures;
    for (const std::string& source : all.sources()) {
        const report::Slice before = weights_of(all, source, all.exact(), "swapped");
        const double largest = largest_weight(before);
        if (tokens_in(before) < 2 || !(largest > 0)) continue;
        report::Figure figure{.name = "recovery-attention-" + file_word(source),
                              .title = "Attention before and after conversion, " + source,
                              .caption =
                                  "Weights of attention of the first sequence held out, mean over all heads of "
                                  "the network as it is at each stage, with the first seed. Softmax is that of "
                                  "the teacher. A weight beyond the scale has the colour of its end. At most the "
                                  "first four methods that have all stages.",
                              .columns = 4};
        std::size_t count = 0;
        for (const std::string& method : all.methods()) {
            if (method == all.exact() || method == all.uniform() || count == max_methods) continue;
            std::vector<report::Panel> row{panel_of(before, "softmax", largest)};
            for (const std::string stage : {"swapped", "distilled", "tuned"}) {
                const report::Slice weights = weights_of(all, source, method, stage);
                if (tokens_in(weights) >= 2) row.push_back(panel_of(weights, method + ", " + stage, largest));
            }
            // A method that begins with what it has found, or that diverged, lacks a stage.
            if (row.size() != 4) continue;
            figure.panels.insert(figure.panels.end(), row.begin(), row.end());
            ++count;
        }
        if (!figure.panels.empty()) figures.push_back(std::move(figure));
    }
    return figures;
}

}  // namespace rfbench::experiments
