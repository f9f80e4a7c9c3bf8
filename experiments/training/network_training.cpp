#include "training/network_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sources/network_tasks.hpp"

namespace rfbench::experiments {

namespace {

/// Methods that can do this, whose features may be drawn again while a network is trained.
MethodKey with(Ability what) {
    return {
        .abilities = {what},
        .keys = {config::defaulted("redraw", config::integer(0, 1'000'000), "0",
                                   "steps after which features are drawn again; 0: never"),
                 config::defaulted("gate", config::boolean(), "false",
                                   "whether the output of attention is multiplied by a learned gate, swish(x G + g)"),
                 config::defaulted("convolution", config::integer(0, 63), "0",
                                   "tokens of a depthwise convolution of values that is added to attention")},
        .columns = true,
        .sampling = EntrySampling::drawn};
}

}  // namespace

const MethodKey network_methods = with(Ability::causal_layer), encoder_methods = with(Ability::layer);

const MethodKey masked_methods = [] {
    MethodKey key = encoder_methods;
    key.keys.push_back(config::optional("mask", config::one_of({"toeplitz"}),
                                        "weights of relative places that are learned, in each head"));
    return key;
}();

std::vector<config::KeyRule> initialization_keys() {
    using namespace config;
    return {defaulted("initial_scale", real(above(0)), "0.02",
                      "standard deviation of tables, positions and the read-out at first"),
            initial_positions_key()};
}

networks::Initialization initialization_of(const config::Value& config) {
    networks::Initialization result;
    result.embedding = config.at("initial_scale").number();
    result.positions = initial_positions_of(config);
    return result;
}

std::vector<config::KeyRule> network_keys() {
    using namespace config;
    std::vector<std::string> schemes;
    for (const sampling::Scheme& scheme : sampling::catalogue()) schemes.push_back(scheme.name);
    std::vector<KeyRule> all{
        defaulted("layers", integer(1, 100), "2", "of the Transformer"),
        defaulted("heads", integer(1, 256), "4", "of each layer"),
        defaulted("width", integer(1, 16384), "128", "of a token, a multiple of heads"),
        defaulted("inner", integer(1, 65536), "512", "width within the feed-forward part"),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head"),
        defaulted("sampling", one_of(schemes), "orthogonal", "how features that are not trained are drawn"),
        required("steps", integer(1, 1'000'000), "mini-batches of Adam"),
        defaulted("batch", integer(1, 65536), "16", "sequences a mini-batch"),
        defaulted("warmup_steps", integer(0, 1'000'000), "20", "steps over which the rate rises"),
        required("rates", numbers(above(0).at_most(10)),
                 "of Adam; each method is trained at the one that is best on validation data"),
        defaulted("trial_share", real(above(0).at_most(1)), "0.2",
                  "share of the steps that a training has by which the rate is chosen"),
        defaulted("max_gradient_norm", real(above(0)), "1", "longer gradients are shortened to this"),
        defaulted("evaluations", integer(1, 1000), "10", "how often validation data are evaluated"),
        required("seeds", integer(2, 1000), "initial weights, orders of mini-batches and draws of features"),
    };
    for (KeyRule& rule : initialization_keys()) all.push_back(std::move(rule));
    return all;
}

NetworkSetting::NetworkSetting(const config::Value& config, const MethodKey& taken, training::MaskGrid of_masks)
    : methods(method_axis(experiments::methods(config, taken), "attention")),
      seeds(repeat_axis("seed", Key{config, "seeds"}, "initial weights, mini-batches and draws of features")),
      rates(config.at("rates").numbers()),
      trial_steps(std::max(1, static_cast<int>(std::lround(config.at("trial_share").number() *
                                                           static_cast<double>(config.at("steps").integer()))))),
      descent{static_cast<int>(config.at("steps").integer()), static_cast<int>(config.at("batch").integer()), 1,
              config.at("max_gradient_norm").number()},
      warmup_steps(static_cast<int>(config.at("warmup_steps").integer())),
      columns(whole(config, "columns")),
      sampling(&sampling::find(config.at("sampling").text())),
      initialization(initialization_of(config)),
      grid(std::move(of_masks)) {
    sizes.layers = whole(config, "layers");
    sizes.heads = whole(config, "heads");
    sizes.width = whole(config, "width");
    sizes.inner = whole(config, "inner");
    if (sizes.width % sizes.heads != 0)
        config.at("width").refuse(fmt::format("{} is not a multiple of heads, {}", sizes.width, sizes.heads));
    const auto count = std::min<std::int64_t>(config.at("evaluations").integer(), descent.steps);
    for (std::int64_t i = 1; i <= count; ++i) {
        // At equal distances to within a step; the last evaluation is always after the last step.
        const std::int64_t step = i * descent.steps / count;
        evaluated_at.push_back(static_cast<double>(step));
    }
    const Index dimension = sizes.width / sizes.heads;
    for (const MethodChoice& choice : methods) {
        choice.require_dimension(dimension);
        choice.require_heads({sizes.layers, sizes.heads});
        choice.require_columns(dimension, columns);
        if (choice.entry.at("redraw").integer() > 0 && !choice->layers()->redraws())
            choice.entry.at("redraw").refuse("nothing of '" + choice.info->name +
                                             "' is drawn that could be drawn anew");
        if (!masked(choice)) continue;
        // A layer of one token is enough to ask.
        const auto plain = choice->layers()->layer({1, dimension, choice.columns_within(columns)},
                                                   choice.scheme(*sampling), Stream(0));
        if (!plain->masked(grid))
            choice.entry.at("mask").refuse("'" + choice.info->name +
                                           "' takes no mask; softmax attention and features that are drawn do");
    }
}

networks::BesideHeads NetworkSetting::beside(const MethodChoice& choice) const {
    return {choice.entry.at("gate").boolean(), static_cast<Index>(choice.entry.at("convolution").integer())};
}

networks::Heads NetworkSetting::heads(const MethodChoice& choice, Index length, const Stream& stream,
                                      std::uint64_t draw) const {
    networks::Heads all;
    AttentionSize size{length, sizes.width / sizes.heads, choice.columns_within(columns)};
    for (Index h = 0; h < sizes.layers * sizes.heads; ++h) {
        size.layer = h / sizes.heads;
        size.head = h % sizes.heads;
        all.push_back(
            // Keyed by the number of the draw: a training that was interrupted goes on with the same features.
            choice->layers()->layer(size, choice.scheme(*sampling),
                                    stream.child(static_cast<std::uint64_t>(h)).child(draw)));
        if (masked(choice)) all.back() = all.back()->masked(grid);
    }
    return all;
}

}  // namespace rfbench::experiments
