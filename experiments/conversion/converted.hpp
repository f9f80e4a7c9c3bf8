#pragma once
// A trained softmax network whose heads are replaced by those of a method, stage by stage.
#include <functional>

#include "rfbench/training/matching.hpp"
#include "rfbench/training/window_linear.hpp"
#include "sources/stored_network.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// Stages of a conversion, each from the one before:
///
///     swapped:    heads of the method in place of softmax, as a training from scratch would begin with them
///     fitted:     features fitted once to queries and keys of the teacher's heads, and frozen
///     distilled:  parameters of the heads trained to match those heads, the network being frozen
///     tuned:      all parameters trained on the task
enum class Stage { swapped, fitted, distilled, tuned };
inline const std::vector<std::string> stage_names{"swapped", "fitted", "distilled", "tuned"};
constexpr std::size_t number_of(Stage stage) { return static_cast<std::size_t>(stage); }

/// A network and the values of its parameters.
struct Converted {
    std::shared_ptr<const networks::Transformer> network;
    networks::Column<float> values;
};

/// Queries, keys and values of every head over several sequences: [layer x heads + head][sequence].
using TeacherHeads = std::vector<std::vector<training::HeadSequence>>;
TeacherHeads teacher_heads(const StoredNetwork&, const NetworkInputs&);

/// Real feature columns of each head, about: [layer x heads + head].
using HeadColumns = std::vector<Index>;
HeadColumns equal_columns(const networks::TransformerShape&, Index columns);

/// At most `count` queries and keys of a head, each once, spread over tokens and sequences: they stand for the law of
/// both. Sequences of n tokens each have every token alike where `count` is a multiple of n.
Points sample_of(const std::vector<training::HeadSequence>&, Index count);

/// How heads are distilled and found.
struct Distilling {
    training::Descent descent;       ///< of parameters of layers
    training::PointTraining points;  ///< of points and weights that are trained
    Index sampled;                   ///< J, queries and keys that stand for their law
    double lambda;                   ///< of degrees of freedom, as a share of tr S
};

/// The heads of a method in the place of a teacher's.
class HeadRecipe {
public:
    /// So many columns a head, unless the method or its entry say how many; heads of the layers `kept` stay softmax.
    HeadRecipe(const MethodChoice&, const networks::TransformerShape&, HeadColumns, std::vector<Index> kept,
               const Stream&);

    bool keeps(Index layer) const;

    /// Heads as swapped in; none for a method that has no features before it has found them.
    std::optional<networks::Heads> swapped() const;
    /// Whether anything is fitted, or trained, before the network is.
    bool fits() const;
    /// Whether there are parameters that the entry asks to train.
    bool distils(const Converted&) const;
    /// Whether these are trained in all layers at once, and not head by head.
    bool together() const { return distilled_to("direct") || distilled_to("hidden"); }
    /// Whether X after the teacher's layers is what they are trained to, and not the targets of the task.
    bool hidden() const { return distilled_to("hidden"); }
    /// Whether a parameter of the network is trained so: those of heads, or of all attention.
    bool trains_together(const networks::Parameter&) const;
    /// Head `number` with features fitted to the teacher's sequences, or found from them, and frozen.
    std::shared_ptr<const training::HeadAttention> fitted(Index number, const std::vector<training::HeadSequence>&,
                                                          const Distilling&) const;
    /// Parameters of a head, trained from `start` to match the teacher's. Throws as training::match_softmax.
    Vector distilled(Index number, const training::HeadAttention&, const Vector& start,
                     const std::vector<training::HeadSequence>&, const Distilling&) const;

private:
    bool distilled_to(const char* what) const { return choice_.entry.at("distil").text() == what; }
    Index columns(Index number) const { return choice_.columns_within(columns_.at(static_cast<std::size_t>(number))); }
    Stream stream(Index number) const { return stream_.child(static_cast<std::uint64_t>(number)); }

    const MethodChoice& choice_;
    const networks::TransformerShape& shape_;
    Index dimension_;
    HeadColumns columns_;
    std::vector<Index> kept_;
    const sampling::Scheme* scheme_;
    Stream stream_;
};

/// Whether a parameter of a network is one of its heads themselves, as of a feature map, and not a projection.
bool of_head(const networks::Parameter&);

/// The network with these heads, and with every value that both have from `before`; parameters of new heads begin as
/// drawn.
Converted with_heads(const networks::TransformerShape&, const networks::Heads&, const networks::Layout& before,
                     const networks::Column<float>& values, const Stream&);

/// The network with the same parameters whose heads lack one of their two branches; none where no head has two.
std::optional<Converted> without_branch(const Converted&, training::Branch);

/// Costs of attention in all layers.
struct AttentionCost {
    double columns;      ///< mean over heads that are not softmax of the features that are summed; NaN without any
    double operations;   ///< multiplications a token in all heads, features made by dense products
    double state_bytes;  ///< in float, of what decoding keeps of a whole sequence: sums, or keys and values
};
/// All NaN where a head that is not softmax has no such sums.
AttentionCost attention_cost(const networks::Transformer&, const std::function<bool(Index layer)>& is_softmax);

}  // namespace rfbench::experiments
