#include "training/network_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace rfbench::experiments {

namespace {

/// Methods that can do this, whose features may be drawn again while a network is trained.
MethodKey with(Ability what) {
    return {.abilities = {what},
            .keys = {config::defaulted("redraw", config::integer(0, 1'000'000), "0",
                                       "steps after which features are drawn again; 0: never")},
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

std::vector<config::KeyRule> network_keys() {
    using namespace config;
    std::vector<std::string> schemes;
    for (const sampling::Scheme& scheme : sampling::catalogue()) schemes.push_back(scheme.name);
    return {
        defaulted("layers", integer(1, 100), "2", "of the Transformer"),
        defaulted("heads", integer(1, 256), "4", "of each layer"),
        defaulted("width", integer(1, 16384), "128", "of a token, a multiple of heads"),
        defaulted("inner", integer(1, 65536), "512", "width within the feed-forward part"),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head"),
        defaulted("sampling", one_of(schemes), "orthogonal", "how features that are not trained are drawn"),
        required("steps", integer(1, 1'000'000), "mini-batches of Adam"),
        defaulted("batch", integer(1, 65536), "16", "sequences a mini-batch"),
        defaulted("warm", integer(0, 1'000'000), "20", "steps over which the rate rises"),
        required("rates", numbers(above(0).at_most(10)),
                 "of Adam; a method is shown at the one that is best on validation data"),
        defaulted("longest_gradient", real(above(0)), "1", "longer gradients are shortened to this"),
        defaulted("looks", integer(1, 1000), "10", "how often validation data are looked at"),
        required("seeds", integer(2, 1000), "beginnings, orders of mini-batches and draws of features"),
    };
}

NetworkSetting::NetworkSetting(const config::Value& config, const MethodKey& taken, training::MaskGrid of_masks)
    : methods(method_axis(experiments::methods(config, taken), "attention")),
      rates(axis("rate", Key{config, "rates"}, "largest rate of Adam")),
      seeds(repeat_axis("seed", Key{config, "seeds"}, "beginning, mini-batches and draws of features")),
      descent{static_cast<int>(config.at("steps").integer()), static_cast<int>(config.at("batch").integer()), 1,
              config.at("longest_gradient").number()},
      warm(static_cast<int>(config.at("warm").integer())),
      columns(whole(config, "columns")),
      sampling(&sampling::find(config.at("sampling").text())),
      grid(std::move(of_masks)) {
    sizes.layers = whole(config, "layers");
    sizes.heads = whole(config, "heads");
    sizes.width = whole(config, "width");
    sizes.inner = whole(config, "inner");
    if (sizes.width % sizes.heads != 0)
        config.at("width").refuse(fmt::format("{} is not a multiple of heads, {}", sizes.width, sizes.heads));
    const auto count = std::min<std::int64_t>(config.at("looks").integer(), descent.steps);
    for (std::int64_t i = 1; i <= count; ++i) {
        // At equal distances to within a step; the last look is always after the last step.
        const std::int64_t step = i * descent.steps / count;
        looks.push_back(static_cast<double>(step));
    }
    const Index dimension = sizes.width / sizes.heads;
    for (const MethodChoice& choice : methods) {
        choice.require_dimension(dimension);
        try {
            choice->trained_map(dimension, choice.columns_within(columns));
        } catch (const std::invalid_argument& error) {
            choice.entry.refuse(error.what());
        }
        if (!masked(choice)) continue;
        // A layer of one token is enough to ask.
        const auto plain =
            choice->layer({1, dimension, choice.columns_within(columns)}, choice.scheme(*sampling), Stream(0));
        if (!plain->masked(grid))
            choice.entry.at("mask").refuse("'" + choice.info->name +
                                           "' takes no mask; softmax attention and features that are drawn do");
    }
}

networks::Heads NetworkSetting::heads(const MethodChoice& choice, Index length, const Stream& stream,
                                      std::uint64_t draw) const {
    networks::Heads all;
    const AttentionSize size{length, sizes.width / sizes.heads, choice.columns_within(columns)};
    for (Index h = 0; h < sizes.layers * sizes.heads; ++h) {
        all.push_back(
            // Keyed by the number of the draw: a training that was interrupted goes on with the same features.
            choice->layer(size, choice.scheme(*sampling), stream.child(static_cast<std::uint64_t>(h)).child(draw)));
        if (masked(choice)) all.back() = all.back()->masked(grid);
    }
    return all;
}

std::string words_of(Divergence what) {
    switch (what) {
        case Divergence::loss: return "the loss is not finite";
        case Divergence::gradient: return "the gradient is not finite";
        case Divergence::rows: return "queries, keys or values are not finite";
        default: return "";
    }
}

void NetworkRun::add(store::Dataset& data, const NetworkSetting& setting) const {
    std::vector<double> steps;
    for (std::size_t i = 0; i < losses.size(); ++i) steps.push_back(static_cast<double>(i));
    data.axes.push_back({"step", steps, "", "steps of training"});
    data.axes.push_back({"look", setting.looks, "", "steps after which validation data are looked at"});
    data.variables.push_back({"loss", {"step"}, losses, "", "of each step's mini-batch, before the step"});
    data.variables.push_back({"validation_loss", {"look"}, validation, "", "mean over targets of validation data"});
    data.variables.push_back({"validation_accuracy",
                              {"look"},
                              right,
                              "",
                              "share of targets of validation data that have the largest output"});
    if (!test.empty())
        data.variables.push_back({"test_accuracy", {"look"}, test, "", "the same of targets that are held out"});
    data.variables.push_back({"diverged_at", {}, {diverged_at}, "", "step at which training ended early"});
    data.variables.push_back({"divergence",
                              {},
                              {static_cast<double>(divergence)},
                              "",
                              "0: none; not finite were 1: the loss, 2: its gradient, 3: what attention was given"});
}

namespace {

/// What a training has come to, for the cell's draft.
store::Dataset drafted(const NetworkRun& run, const networks::Trainer<float>::State& state) {
    // Every float is a double, so that what goes on from a draft comes to the same bits.
    const auto numbers = [](const auto& column) { return std::vector<double>(column.begin(), column.end()); };
    return {{},
            {{"losses", {}, run.losses, "", ""},
             {"validation", {}, run.validation, "", ""},
             {"right", {}, run.right, "", ""},
             {"test", {}, run.test, "", ""},
             {"weights", {}, numbers(state.weights), "", ""},
             {"mean", {}, numbers(state.adam.mean), "", ""},
             {"square", {}, numbers(state.adam.square), "", ""},
             {"scalars", {}, {static_cast<double>(state.steps), state.adam.power1, state.adam.power2}, "", ""}},
            {}};
}

Index tokens_of(const std::vector<networks::Sequence<float>>& batch) {
    Index count = 0;
    for (const auto& sequence : batch) count += sequence.length();
    return count;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Takes up what drafted() has kept.
void go_on(const store::Dataset& draft, NetworkRun& run, networks::Trainer<float>& trainer) {
    const auto column = [&](const char* name) -> networks::Column<float> {
        const auto& values = draft.variable(name).values;
        return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).cast<float>();
    };
    const auto& scalars = draft.variable("scalars").values;
    trainer.resume(
        {static_cast<int>(scalars[0]), column("weights"), {column("mean"), column("square"), scalars[1], scalars[2]}});
    run.losses = draft.variable("losses").values;
    run.validation = draft.variable("validation").values;
    run.right = draft.variable("right").values;
    run.test = draft.variable("test").values;
}

}  // namespace

NetworkRun train_network(const NetworkSetting& setting, const networks::TransformerShape& shape,
                         const MethodChoice& method, double rate, const Stream& seed, engine::Draft& draft,
                         const Batch& batch, const Look& look,
                         const std::function<void(const networks::Transformer&, networks::Trainer<float>&)>& finish,
                         const Look& look_at_test) {
    // Draws of features are keyed by the method, beginnings and mini-batches are not: methods differ in nothing else.
    const Stream features = seed.child("features").child(method.label);
    const Index length = shape.positions + (shape.class_token ? 1 : 0);
    networks::Transformer network(shape, setting.heads(method, length, features, 0));
    training::Descent descent = setting.descent;
    descent.rate = rate;
    networks::Trainer<float> trainer(network, network.start(setting.beginning, seed.child("start")), descent,
                                     setting.warm);
    const int redraw = static_cast<int>(method.entry.at("redraw").integer());
    NetworkRun run{std::vector<double>(static_cast<std::size_t>(descent.steps), std::nan("")),
                   std::vector<double>(setting.looks.size(), std::nan("")),
                   std::vector<double>(setting.looks.size(), std::nan("")),
                   std::vector<double>(look_at_test ? setting.looks.size() : 0, std::nan(""))};
    const auto draw = [&](int step) {
        network.replace_heads(setting.heads(method, length, features, static_cast<std::uint64_t>(step / redraw)));
    };
    // A draft has what is trained. Features are not in it: they are drawn again from the number of the step.
    if (const auto last = draft.last()) {
        go_on(*last, run, trainer);
        if (redraw > 0) draw(trainer.steps());
    }
    const auto begin = std::chrono::steady_clock::now();
    Index tokens = 0;
    try {
        for (int step = trainer.steps(); step < descent.steps; ++step) {
            // Before anything of the step is done: whoever goes on from here begins with this step.
            draft.offer([&] { return drafted(run, trainer.state()); });
            if (redraw > 0 && step > 0 && step % redraw == 0) draw(step);
            if (setting.slicing) trainer.slice(setting.slicing(step));
            const auto mini_batch = batch(step);
            const networks::Loss loss = trainer.step(mini_batch).loss;
            const double mean = loss.sum / static_cast<double>(loss.targets);
            run.losses[static_cast<std::size_t>(step)] = mean;
            tokens += tokens_of(mini_batch);
            draft.tell(static_cast<double>(step + 1) / descent.steps,
                       fmt::format("step {} of {}, loss {:.3f}, {:.0f} tokens/s", step + 1, descent.steps, mean,
                                   static_cast<double>(tokens) / seconds_since(begin)));
            for (std::size_t i = 0; i < setting.looks.size(); ++i)
                if (setting.looks[i] == step + 1) {
                    const networks::Loss seen = look(trainer);
                    run.validation[i] = seen.sum / static_cast<double>(seen.targets);
                    run.right[i] = seen.accuracy();
                    if (look_at_test) run.test[i] = look_at_test(trainer).accuracy();
                }
        }
        // Within the try, since what was finite in training may not be on other data.
        finish(network, trainer);
    } catch (const std::domain_error& error) {
        // The sentence about the gradient names the loss as well, and so is looked for first; all others are of rows.
        const std::string said = error.what();
        run.diverged_at = trainer.steps();
        run.divergence = said.find("gradient of the loss") != std::string::npos ? Divergence::gradient
                         : said.find("the loss") != std::string::npos           ? Divergence::loss
                                                                                : Divergence::rows;
    }
    return run;
}

}  // namespace rfbench::experiments
