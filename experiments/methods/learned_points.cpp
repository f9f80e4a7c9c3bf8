// Positive features whose points and weights are trained, on a head's sequences or before, their file being given.

#include "methods/learned_points.hpp"

#include <algorithm>

#include "methods/mechanism.hpp"
#include "methods/stored_map.hpp"
#include "rfbench/dof/fitted_weights.hpp"
#include "rfbench/dof/trained_points.hpp"
#include "rfbench/training/linear_head.hpp"
#include "study/code.hpp"

namespace rfbench::experiments {
namespace {

class LearnedPoints final : public Method, public Finder, public NetworkLayers {
public:
    LearnedPoints(dof::Loss loss, bool points_held) : loss_(loss), points_held_(points_held) {}

    const Finder* finder() const override { return this; }
    bool trains() const override { return true; }
    const NetworkLayers* layers() const override { return this; }
    bool drawn() const override { return true; }
    bool drawn_by(const sampling::Scheme&) const override { return true; }

    training::TrainedPoints find(const HeadProblem& problem, Index count, const sampling::Scheme& scheme,
                                 const Stream& stream) const override {
        training::PointTraining settings = problem.training;
        settings.loss = loss_;
        // Training begins at random features of equal weight.
        return training::train_points(
            {features::draw_normals(problem.points.cols(), count, scheme, stream), Vector::Zero(count)},
            problem.sequences, settings, stream.child("training"));
    }

    /// Trained by the loss of the network, from random features of equal weight on.
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme& scheme,
                                                         const Stream& stream) const override {
        const dof::WeightedFeatures start{features::draw_normals(size.dimension, size.columns, scheme, stream),
                                          Vector::Zero(size.columns)};
        return training::linear_attention({dof::trained_points(start, points_held_)});
    }

private:
    dof::Loss loss_;
    bool points_held_;
};

/// Points that were trained for each head of a network: every head takes its own. Heads outside of a network have no
/// place in one, so that it is a layer and nothing else.
class PointsByHead final : public Method, public NetworkLayers {
public:
    using Methods = std::map<Head, std::shared_ptr<const Method>>;

    explicit PointsByHead(Methods methods) : methods_(std::move(methods)) {}

    const NetworkLayers* layers() const override { return this; }
    std::optional<Index> dimension() const override { return methods_.begin()->second->dimension(); }
    std::optional<Index> own_columns() const override { return methods_.begin()->second->own_columns(); }
    std::optional<HeadCounts> own_heads() const override {
        const auto [layer, head] = methods_.rbegin()->first;
        return HeadCounts{layer + 1, head + 1};
    }

    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme& scheme,
                                                         const Stream& stream) const override {
        return methods_.at({size.layer, size.head})->layers()->layer(size, scheme, stream);
    }

private:
    Methods methods_;
};

std::shared_ptr<const Method> make(const config::Value& entry) {
    if (entry.has("from")) {
        if (entry.has("points_held")) entry.at("points_held").refuse("nothing of what a file has is trained");
        // Trained points are a mechanism like any other, whose parameters the file has.
        const features::MechanismInfo& info = features::find("learned-points");
        PointsByHead::Methods by_head;
        for (auto& [head, settings] : settings_by_head(info, entry.at("from")))
            by_head.emplace(head, mechanism_method(info, std::move(settings)));
        if (!by_head.empty()) return std::make_shared<PointsByHead>(std::move(by_head));
        return mechanism_method(info, settings_from(info, entry.at("from")));
    }
    return std::make_shared<LearnedPoints>(
        entry.at("loss").text() == "squared" ? dof::Loss::squared : dof::Loss::softmax,
        entry.has("points_held") && entry.at("points_held").boolean());
}

}  // namespace

bool holds_points(const MethodChoice& choice) {
    const std::vector<std::string> keys = choice.entry.keys();
    return std::ranges::find(keys, "points_held") != keys.end() && choice.entry.at("points_held").boolean();
}

std::vector<MethodInfo> learned_points_methods() {
    using namespace config;
    return {
        {.name = "learned-points",
         .summary = "positive features whose points and weights are trained: here, or before, their file being given",
         .reference = "Nishikawa, Higuchi and Suzuki 2025, section 3.3",
         .keys = {from_key(
                      "{file: results/dof/learned.h5, layer: 1, head: 2, method: learned-softmax}; without it "
                      "they are trained on the head's sequences; without layer and head every head of a network takes "
                      "its own"),
                  defaulted("loss", one_of({"softmax", "squared"}), "softmax",
                            "what they are trained for on a head's sequences; a network trains them by its own loss"),
                  optional("points_held", boolean(),
                           "whether a network trains the weights alone: D of DiJiang is the root of a weight")},
         .abilities = {Ability::kernel, Ability::rows, Ability::features, Ability::attention, Ability::causal,
                       Ability::layer, Ability::causal_layer, Ability::found, Ability::trained},
         .drawn = true,
         .budgeted = true,
         .make = make,
         .code = digest_of_mechanism("learned-points")}};
}

}  // namespace rfbench::experiments
