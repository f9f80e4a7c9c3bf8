#include "training/attention_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sources/head_weights.hpp"
#include "training/network_report.hpp"

namespace rfbench::experiments {
namespace {

std::vector<double> numbers(Index count, Index first) {
    std::vector<double> all;
    for (Index i = 0; i < count; ++i) all.push_back(static_cast<double>(first + i));
    return all;
}

/// Number of a layer or a head from 1, as configurations count them; some result files count from 0.
double from_one(const store::Dataset& data, const char* axis, double label) {
    return label - report::numbers(data, axis).front() + 1;
}

Points uniform(Index tokens, attention::Visible visible) {
    Points all = Points::Zero(tokens, tokens);
    for (Index i = 0; i < tokens; ++i) {
        const Index seen = visible == attention::Visible::causal ? i + 1 : tokens;
        all.row(i).head(seen).setConstant(1 / static_cast<double>(seen));
    }
    return all;
}

/// One head of one method with the first seed; nothing where its matrix is not stored.
std::optional<report::Panel> panel_of(const store::Dataset& data, const std::string& method, double layer,
                                      double head) {
    // A file may have been collected without its matrices, which are large.
    if (!data.has_variable("attention")) return {};
    const auto weights = report::slice(
        data, "attention",
        {{"method", method}, {"layer", layer}, {"head", head}, {"seed", report::numbers(data, "seed").front()}},
        {"key", "query"});
    // A training that diverged has no picture.
    if (report::all_missing(weights.values)) return {};
    report::Panel panel;
    panel.x = {.label = "key"};
    panel.y = {.label = "query"};
    panel.map = report::HeatMap{
        .x = weights.numbers("key"), .y = weights.numbers("query"), .z = weights.values, .label = "weight"};
    return panel;
}

/// 1 for each head with more than half of its weight in a pattern, 0 for the others.
report::Slice most_of_weight(report::Slice shares) {
    for (double& share : shares.values)
        if (!std::isnan(share)) share = share > 0.5 ? 1 : 0;
    return shares;
}

}  // namespace

double near_diagonal(const Points& weights) {
    double near = 0;
    for (Index i = 0; i < weights.rows(); ++i)
        for (Index j = std::max<Index>(0, i - 2); j < std::min(weights.cols(), i + 3); ++j)
            near += std::abs(weights(i, j));
    return near / weights.cwiseAbs().sum();
}

double largest_column(const Points& weights) {
    return weights.cwiseAbs().colwise().sum().maxCoeff() / weights.cwiseAbs().sum();
}

AttentionPicture::AttentionPicture(const networks::TransformerShape& shape, Index tokens, bool kept)
    : layers_(shape.layers),
      heads_(shape.heads),
      tokens_(tokens),
      visible_(shape.visible),
      kept_(kept),
      weights_(static_cast<std::size_t>(layers_ * heads_ * tokens * tokens), std::nan("")),
      near_(static_cast<std::size_t>(layers_ * heads_), std::nan("")),
      column_(near_) {}

void AttentionPicture::take(const networks::Transformer& network, const networks::Weights<float>& weights,
                            const networks::Sequence<float>& sequence) {
    const auto rows = network.heads(weights, sequence);
    for (Index number = 0; number < layers_ * heads_; ++number) {
        const Index layer = number / heads_, head = number % heads_;
        const Points matrix = head_weights(network, weights, layer, head,
                                           rows[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)]);
        near_[static_cast<std::size_t>(number)] = near_diagonal(matrix);
        column_[static_cast<std::size_t>(number)] = largest_column(matrix);
        if (!kept_) continue;
        std::transform(matrix.data(), matrix.data() + matrix.size(), weights_.begin() + number * matrix.size(),
                       [](double weight) { return std::round(weight * 1024) / 1024; });
    }
}

void AttentionPicture::add(store::Dataset& data, const std::string& sequence) const {
    const auto is_layer = [](const store::Axis& axis) { return axis.name == "layer"; };
    if (std::none_of(data.axes.begin(), data.axes.end(), is_layer))
        data.axes.push_back({"layer", numbers(layers_, 1), "", "of the network"});
    data.axes.push_back({"head", numbers(heads_, 1), "", "of a layer"});
    data.axes.push_back({"query", numbers(tokens_, 0), "", "token"});
    data.axes.push_back({"key", numbers(tokens_, 0), "", "token"});
    data.variables.push_back(
        {"attention", {"layer", "head", "query", "key"}, weights_, "", "weights of heads for " + sequence});
    data.variables.push_back(
        {"near_diagonal", {"layer", "head"}, near_, "", "share of these weights between tokens at most two apart"});
    data.variables.push_back(
        {"largest_column", {"layer", "head"}, column_, "", "largest share that one key has in these weights"});
    const Points even = uniform(tokens_, visible_);
    data.variables.push_back({"uniform_near_diagonal", {}, {near_diagonal(even)}, "", "of uniform attention"});
    data.variables.push_back({"uniform_largest_column", {}, {largest_column(even)}, "", "of uniform attention"});
}

std::optional<report::Figure> heads_figure(const store::Dataset& data, const std::string& name,
                                           const std::string& method, const std::string& caption) {
    report::Figure result{.name = name,
                          .title = "Attention of all heads, " + method,
                          .caption = caption,
                          .columns = static_cast<int>(report::numbers(data, "head").size())};
    for (const double layer : report::numbers(data, "layer"))
        for (const double head : report::numbers(data, "head"))
            if (auto panel = panel_of(data, method, layer, head)) {
                panel->title =
                    fmt::format("layer {}, head {}", from_one(data, "layer", layer), from_one(data, "head", head));
                result.panels.push_back(std::move(*panel));
            }
    if (result.panels.empty()) return {};
    return result;
}

std::optional<report::Figure> attention_figure(const store::Dataset& data, const std::string& name,
                                               const std::string& caption) {
    report::Figure result{.name = name, .title = "Attention of trained heads", .caption = caption, .columns = 3};
    for (const std::string& method : report::words(data, "method"))
        if (auto panel =
                panel_of(data, method, report::numbers(data, "layer").back(), report::numbers(data, "head").front())) {
            panel->title = method;
            result.panels.push_back(std::move(*panel));
        }
    if (result.panels.empty()) return {};
    return result;
}

report::Table patterns_table(const store::Dataset& data, const std::string& name) {
    const report::Format percent{report::Format::Kind::percent, 1};
    report::Table result{
        .name = name,
        .caption =
            "Patterns of attention in one sequence: the share of weights, without their signs, between tokens "
            "at most two apart, and the largest share that one key has; mean over a layer's heads, then over "
            "seeds ± half its 95 % interval. Diagonal and vertical heads: the share of heads that have more than "
            "half of their weight there. The last row has what uniform attention has.",
        .columns = {report::word_column("method"),
                    {"layer"},
                    report::number_column("near the diagonal", percent),
                    report::number_column("largest column", percent),
                    report::number_column("diagonal heads", percent),
                    report::number_column("vertical heads", percent)}};
    const auto heads = [&](const char* variable, const std::string& method, double layer) {
        return report::slice(data, variable, {{"method", method}, {"layer", layer}});
    };
    const auto entry = [](const report::Slice& all) {
        const auto by_seed = report::average(all, "head");
        return report::averaged_entry(report::average(report::Slice{by_seed.axes, by_seed.mean, ""}, "seed"));
    };
    const auto row = [&](const std::string& method, double layer) -> std::vector<report::Entry> {
        const report::Slice near = heads("near_diagonal", method, layer),
                            column = heads("largest_column", method, layer);
        return {method,        from_one(data, "layer", layer), entry(near),
                entry(column), entry(most_of_weight(near)),    entry(most_of_weight(column))};
    };
    // Two rows of a method need no rule between methods: with many of these a page has no room for them.
    const std::vector<double>& layers = report::numbers(data, "layer");
    for (const std::string& method : report::words(data, "method"))
        for (const double layer : layers)
            result.rows.push_back(
                {row(method, layer), layers.size() > 2 && layer == layers.front() && !result.rows.empty()});
    const auto even = [&](const char* variable) { return report::slice(data, variable).values.front(); };
    result.rows.push_back({{"uniform", report::Missing{}, even("uniform_near_diagonal"), even("uniform_largest_column"),
                            report::Missing{}, report::Missing{}},
                           true});
    return result;
}

}  // namespace rfbench::experiments
