#include "training/attention_picture.hpp"

#include <algorithm>
#include <cmath>

#include "training/network_report.hpp"

namespace rfbench::experiments {
namespace {

std::vector<double> numbers(Index count) {
    std::vector<double> all;
    for (Index i = 0; i < count; ++i) all.push_back(static_cast<double>(i));
    return all;
}

}  // namespace

AttentionPicture::AttentionPicture(const networks::TransformerShape& shape, Index tokens)
    : heads_(shape.heads),
      tokens_(tokens),
      visible_(shape.visible),
      weights_(static_cast<std::size_t>(heads_ * tokens * tokens), std::nan("")) {}

// The output of attention whose values are one at one token each is the matrix of its weights.
void AttentionPicture::take(const networks::Transformer& network, const networks::Weights<float>& weights,
                            const networks::Sequence<float>& sequence) {
    const auto rows = network.heads(weights, sequence).back();
    const networks::MultiHead& last = network.layer(network.shape().layers - 1).attention();
    const Rows<float> ones = Rows<float>::Identity(tokens_, tokens_);
    for (std::size_t h = 0; h < rows.size(); ++h) {
        const auto& parameter = last.head_parameters()[h];
        // Each head computes by its own method, so that estimated weights are shown as they are, signs and all.
        const Rows<float> all = last.heads()[h]
                                    ->forward(weights.values().segment(parameter.first, parameter.size()),
                                              {rows[h].queries, rows[h].keys, ones}, visible_)
                                    ->output;
        std::copy_n(all.data(), all.size(), weights_.begin() + static_cast<Index>(h) * all.size());
    }
}

void AttentionPicture::add(store::Dataset& data, const std::string& sequence) const {
    data.axes.push_back({"head", numbers(heads_), "", "of the last layer"});
    data.axes.push_back({"query", numbers(tokens_), "", "token"});
    data.axes.push_back({"key", numbers(tokens_), "", "token"});
    data.variables.push_back(
        {"attention", {"head", "query", "key"}, weights_, "", "weights of the last layer's heads for " + sequence});
}

std::optional<report::Figure> attention_figure(const store::Dataset& data, const std::string& name,
                                               const std::string& caption) {
    report::Figure result{.name = name, .title = "Attention of trained heads", .caption = caption, .columns = 3};
    for (const std::string& method : report::words(data, "method")) {
        const auto weights = report::slice(data, "attention",
                                           {{"method", method},
                                            {"rate", best_rate(data, {method})},
                                            {"head", 0.0},
                                            {"seed", report::numbers(data, "seed").front()}},
                                           {"key", "query"});
        // What diverged has no picture.
        if (report::all_missing(weights.values)) continue;
        report::Panel panel{.title = method};
        panel.x = {.label = "key"};
        panel.y = {.label = "query"};
        panel.map = report::HeatMap{
            .x = weights.numbers("key"), .y = weights.numbers("query"), .z = weights.values, .label = "weight"};
        result.panels.push_back(std::move(panel));
    }
    if (result.panels.empty()) return {};
    return result;
}

}  // namespace rfbench::experiments
