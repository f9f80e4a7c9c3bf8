#pragma once
// The low-memory Performer, SLiM (Likhosherstov 2022, chapter 5, Algorithms 5 and 6): the gradient of a sequence of any
// length in the memory of a slice of it.
#include <map>

#include "rfbench/networks/slice_sums.hpp"
#include "rfbench/networks/transformer.hpp"

namespace rfbench::networks {

/// Slices of a sequence, and the slices before which a state is stored.
struct SlicePlan {
    Index slices;               ///< P = ceil(L / E)
    Index checkpoint_interval;  ///< slices from one checkpoint to the next; 0: no state is stored
    Index max_stored;           ///< maximum number of states that are stored at a time
};

/// Throws std::invalid_argument unless 1 <= E <= L and, for Recovery::checkpoints, 0 <= checkpoints <= P.
SlicePlan plan(const Slicing&, Index length);

/// Bytes of the states of all layers and heads, which are sums of features in double: 8 R (e + 1) a head.
double state_bytes(const Transformer&);

/// plan(), where its stored states fit. Throws std::invalid_argument as plan() does, and when they take more bytes than
/// are allowed: the sentence says how many, and what needs fewer.
SlicePlan plan_within(const Slicing&, Index length, const Transformer&);

/// Numbers of tokens in the forward passes and in the backward passes of a gradient, recomputed ones counted again, and
/// of tokens whose sums were subtracted.
struct SlicedWork {
    Index forward = 0, backward = 0, subtracted = 0;  ///< tokens

    bool operator==(const SlicedWork&) const = default;
};

/// Gradients of sequences, slice by slice. The forward sweep keeps only states, sums over earlier tokens in every layer
/// and head. The backward sweep goes from the last slice to the first and recomputes each from the state before it.
/// This costs one more forward pass, or two with fewer checkpoints than slices. Only the tokens and the stored states
/// take memory that grows with the length of the sequence.
template <class Scalar>
class SlicedGradient {
public:
    /// Throws std::invalid_argument, saying why, for a network that cannot be sliced: one that is not causal, whose
    /// outputs are pooled, which has a class token or a convolution, or a head without states (stateful_head.hpp),
    /// which is named. The network must stay where it is.
    SlicedGradient(const Transformer&, const Slicing&);
    SlicedGradient(const SlicedGradient&) = delete;
    SlicedGradient& operator=(const SlicedGradient&) = delete;

    /// Transformer::gradient, to rounding. To the bit where a slice is the whole sequence, for any number of threads,
    /// and with Recovery::checkpoints for any number of these. Sequences of a batch come one after the other. Throws as
    /// Transformer::gradient and plan() do, and when states to be stored take more bytes than are allowed.
    BatchOutcome operator()(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Column<Scalar>& gradient);

    const SlicedWork& work() const { return work_; }  ///< of the last gradient

private:
    /// Sums of all layers and heads before a slice.
    using State = std::vector<attention::FeatureSums<double>>;

    void add(const Weights<Scalar>&, const Sequence<Scalar>&, Scalar share, Column<Scalar>& gradient, BatchOutcome&);
    void go(SliceStep, Index number);
    void go_on(const Weights<Scalar>&, const Sequence<Scalar>&, Index first, Index end, Index keep_from);
    State state() const;
    void restore(const State&);

    const Transformer& network_;
    Slicing slicing_;
    SlicePlan plan_{};
    SlicedWork work_;
    std::vector<SliceSums> sums_;  // a layer each; the pass refers to them
    Transformer::Pass<Scalar> pass_;
    std::map<Index, State> stored_;  // by the slice that they come before
};

}  // namespace rfbench::networks
