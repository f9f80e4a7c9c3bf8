#pragma once
// Attention of one head as a layer that is trained: an output, and gradients for what went in and for its parameters.
#include <functional>
#include <memory>
#include <vector>

#include "rfbench/attention/backward.hpp"
#include "rfbench/features/map_family.hpp"

namespace rfbench::features {
struct MapShape;
}

namespace rfbench::training {

/// Parameters of a head, read; a part of the vector of all parameters binds to it.
template <class Scalar>
using ColumnView = Eigen::Ref<const attention::Column<Scalar>>;
/// Gradients of those, which are added to; a part of the vector of all binds to it.
template <class Scalar>
using ColumnRef = Eigen::Ref<attention::Column<Scalar>>;

/// Forward pass of a head over one sequence: the output, and all that its backward pass needs beside the inputs and
/// parameters, which must stay where they were.
template <class Scalar>
class HeadPass {
public:
    virtual ~HeadPass() = default;

    /// The gradients of sum output_gradient . output; those of parameters are added to `parameter_gradient`. Throws
    /// std::invalid_argument when the output gradient is of another shape or not finite, or there is no gradient.
    virtual void backward(const RowsView<Scalar>& output_gradient, attention::Gradients<Scalar>&,
                          ColumnRef<Scalar> parameter_gradient) const = 0;

    Rows<Scalar> output;         ///< L x e
    attention::Outcome outcome;  ///< of the output's rows
};

/// The grid of a mask (attention/toeplitz_mask.hpp).
struct MaskGrid {
    std::vector<Index> shape;  ///< tokens along each side; empty: there is no grid
    bool class_token = false;  ///< before it
};

class StatefulHead;

/// Immutable: parameters are handed in. All functions may be called by several threads.
class HeadAttention {
public:
    virtual ~HeadAttention() = default;

    virtual Index parameters() const = 0;                   ///< their number
    virtual Index trained() const { return parameters(); }  ///< those that training changes
    /// Parameters to begin training with.
    virtual Vector start(const Stream&) const = 0;
    /// Parts of the parameters, in their order, which may be trained at rates of their own; one without a name where
    /// there are no such parts.
    virtual std::vector<features::ParameterGroup> groups() const { return {{"", parameters()}}; }

    /// Throws as attention::check, and for parameters of another number or not finite.
    virtual std::unique_ptr<HeadPass<double>> forward(const ColumnView<double>& parameters,
                                                      const attention::Inputs<double>&, attention::Visible) const = 0;
    /// The same in single precision.
    virtual std::unique_ptr<HeadPass<float>> forward(const ColumnView<float>& parameters,
                                                     const attention::Inputs<float>&, attention::Visible) const = 0;

    /// The same attention with a mask that is learned (masked_head.hpp); null where it cannot have one.
    virtual std::unique_ptr<HeadAttention> masked(const MaskGrid&) const { return nullptr; }

    /// The same attention, slice by slice (stateful_head.hpp); valid while this lives. Null if outputs do not depend on
    /// earlier tokens through sums over them alone.
    virtual const StatefulHead* stateful() const { return nullptr; }
};

/// A head that writes its pass once, as the template pass(parameters, inputs, visible).
template <class Head>
class HeadAttentionOf : public HeadAttention {
public:
    std::unique_ptr<HeadPass<double>> forward(const ColumnView<double>& parameters, const attention::Inputs<double>& in,
                                              attention::Visible visible) const override {
        return static_cast<const Head&>(*this).template pass<double>(parameters, in, visible);
    }
    std::unique_ptr<HeadPass<float>> forward(const ColumnView<float>& parameters, const attention::Inputs<float>& in,
                                             attention::Visible visible) const override {
        return static_cast<const Head&>(*this).template pass<float>(parameters, in, visible);
    }
};

/// Softmax attention, no parameters, O(L) memory: what others are compared with.
std::unique_ptr<HeadAttention> softmax_attention();

/// Linear attention through features that are not trained, by attention::linear and attention::backward.
std::unique_ptr<HeadAttention> fixed_attention(std::shared_ptr<const features::FeatureMap>);

/// The map fitted to queries and keys, n x d each.
using MapFor =
    std::function<std::shared_ptr<const features::FeatureMap>(const PointsView& queries, const PointsView& keys)>;
/// fixed_attention() through a map that is fitted to the queries and keys of each sequence, as in FAVOR++. Gradients
/// treat the fit as a constant. In causal attention tokens n .. 2n - 1 use the map fitted to tokens 0 .. n - 1,
/// n = first, 2 first, ... (attention/prefix_fit.hpp); tokens 0 .. first - 1 use `before`, which is not fitted.
std::unique_ptr<HeadAttention> fitted_attention(MapFor, std::shared_ptr<const features::FeatureMap> before,
                                                Index first = 32);

/// Linear attention through a learned map (features/maps/learned_map.hpp, linear_head.hpp).
std::unique_ptr<HeadAttention> learned_attention(const features::MapShape&);

/// Attention of a sequence: writes its output, L x e.
using Attend = std::function<attention::Outcome(const attention::Inputs<double>&, attention::Visible, Points& out)>;
/// Attention of any kind that has no gradient: backward() throws.
std::unique_ptr<HeadAttention> forward_attention(Attend);

}  // namespace rfbench::training
