#pragma once
// Attention of one head as a layer that is trained: an output, and gradients for what went in and for its parameters.
#include <functional>
#include <memory>

#include "rfbench/attention/backward.hpp"
#include "rfbench/features/maps/learned_map.hpp"

namespace rfbench::training {

/// Immutable: parameters are handed in. All functions may be called by several threads.
class HeadAttention {
public:
    virtual ~HeadAttention() = default;

    virtual Index parameters() const = 0;                   ///< their number
    virtual Index trained() const { return parameters(); }  ///< those that training changes
    /// Parameters to begin training with.
    virtual Vector start(const Stream&) const = 0;

    /// The output, L x e. Throws as attention::check, and for parameters of another number or not finite.
    virtual attention::Outcome forward(const Vector& parameters, const attention::Inputs<double>&, attention::Visible,
                                       Points& out) const = 0;
    /// The gradients of sum output_gradient . out; those of parameters are added to `parameter_gradient`. Throws as
    /// forward() and attention::backward() do.
    virtual attention::Outcome backward(const Vector& parameters, const attention::Inputs<double>&, attention::Visible,
                                        const PointsView& output_gradient, attention::Gradients<double>&,
                                        Vector& parameter_gradient) const = 0;
};

/// Softmax attention, no parameters, O(L L') memory: what others are compared with. Takes no padding.
std::unique_ptr<HeadAttention> softmax_attention();

/// The features for a sequence: the same for all, or made anew for its queries and keys, as FAVOR++ does.
using MapFor = std::function<std::shared_ptr<const features::FeatureMap>(const attention::Inputs<double>&)>;
/// Linear attention through features that are not trained, by attention::linear and attention::backward. Gradients hold
/// what was fitted to the sequence fixed.
std::unique_ptr<HeadAttention> fixed_attention(MapFor);

/// Linear attention through a learned map. Gradients with respect to features are those that attention::backward gives
/// for queries and keys when these are the features themselves, causal or not. Takes features of all tokens into
/// memory.
std::unique_ptr<HeadAttention> learned_attention(const features::MapShape&);

}  // namespace rfbench::training
