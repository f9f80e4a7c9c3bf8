#pragma once
// Shared parts of studies of trained networks: sizes, how networks are trained, and one training.
#include <cmath>
#include <functional>

#include "rfbench/networks/trainer.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// Which methods these studies take: those with a causal form; all layers; all, with the key `mask` of each, where
/// tokens lie on a grid.
extern const MethodKey network_methods, encoder_methods, masked_methods;

/// The keys initial_scale and initial_positions, and what they say.
std::vector<config::KeyRule> initialization_keys();
networks::Initialization initialization_of(const config::Value&);

/// The keys of sizes, features, training and seeds.
std::vector<config::KeyRule> network_keys();

/// Settings of trained networks; methods and seeds are axes. For each method and seed there is one short training for
/// each learning rate, each with its own schedule to zero, and then one full training at the rate with the least
/// validation loss. The beginning of a full training could not choose the rate: its rate has hardly fallen there,
/// which favours small rates.
struct NetworkSetting {
    Axis<MethodChoice> methods;
    Axis<std::uint64_t> seeds;
    std::vector<double> rates;
    int trial_steps;                   ///< steps after which the rate is chosen
    networks::TransformerShape sizes;  ///< layers, heads, width, inner
    training::Descent descent;         ///< but for the rate
    int warmup_steps;
    Index columns;
    const sampling::Scheme* sampling;
    networks::Initialization initialization;
    std::vector<double> evaluated_at;  ///< steps after which validation data are evaluated; the last is the last step
    training::MaskGrid grid;           ///< of masks, for methods that have one
    std::function<std::optional<networks::Slicing>(int step)> slicing = {};  ///< of gradients; none: they have none

    /// Throws config::Error for a width that is not a multiple of heads, for methods that do not fit, and for a mask
    /// around a method that takes none.
    explicit NetworkSetting(const config::Value&, const MethodKey& taken = network_methods,
                            training::MaskGrid of_masks = {});

    /// Gate and convolution of its entry.
    networks::BesideHeads beside(const MethodChoice&) const;
    /// Whether its entry asks for a mask.
    bool masked(const MethodChoice& choice) const { return !grid.shape.empty() && choice.entry.has("mask"); }
    /// Attention of all heads and layers by this method, to sequences of at most `length` tokens; `draw` counts how
    /// often features were drawn before.
    networks::Heads heads(const MethodChoice&, Index length, const Stream&, std::uint64_t draw) const;
};

using networks::Divergence;
/// "the loss is not finite".
std::string words_of(Divergence);

/// One training, as far as it has come.
struct NetworkRun {
    std::vector<double> losses;      ///< of each step's mini-batch; NaN from where it diverged
    std::vector<double> validation;  ///< mean loss on validation data, at setting.evaluated_at; NaN likewise
    std::vector<double> right;       ///< share of targets that had the largest output there
    std::vector<double> test;        ///< the same of what is held out, where that is evaluated, too
    double diverged_at = std::nan("");
    Divergence divergence = Divergence::none;
};

/// Outcome of a short training at one rate; a loss of NaN where it diverged, and where there was one rate alone.
struct Trial {
    double loss = std::nan(""), diverged_at = std::nan("");
    Divergence divergence = Divergence::none;
};

/// The place of the least loss; the first, where all diverged or there are none.
std::size_t best_trial(const std::vector<Trial>&);

/// Everything that is stored of a method with one seed.
struct TrainedNetwork {
    NetworkRun run;             ///< at the rate that was chosen
    double rate;                ///< which that is
    std::vector<Trial> trials;  ///< at every rate

    /// A value that the network was judged to have; NaN where training diverged, or an evaluation after it.
    double judged(double value) const { return std::isnan(run.diverged_at) ? value : std::nan(""); }
    /// Adds the axes rate and step, and the variables loss, validation_loss, validation_accuracy, diverged_at,
    /// divergence and chosen_rate; trial_loss, trial_diverged_at and trial_divergence over rates; and test_accuracy
    /// where what is held out was evaluated.
    void add(store::Dataset&, const NetworkSetting&) const;
};

/// The task that a network is trained on.
struct TrainingTask {
    using Trainer = networks::Trainer<float>;
    using Batch = std::vector<networks::Sequence<float>>;
    std::function<Batch(const Stream&)> next;            ///< the mini-batch of a step, from its stream
    std::function<networks::Loss(Trainer&)> validation;  ///< loss on validation data
    std::function<networks::Loss(Trainer&)> test = {};   ///< on data held out, at each evaluation; none: not evaluated
    std::function<void(const networks::Transformer&, Trainer&)> keep;  ///< called with a network that is trained
};

/// Trains a network of this shape, going on from the cell's checkpoint where there is one; one that diverges is not
/// kept. What is drawn depends on `seed` and on the method alone; how parameters begin, on `seed`. Mini-batches are
/// drawn from children of `seed`, so that all methods and rates are given the same.
TrainedNetwork train_network(const NetworkSetting&, const networks::TransformerShape&, const MethodChoice&,
                             const Stream& seed, engine::Checkpoint&, const TrainingTask&);

}  // namespace rfbench::experiments
