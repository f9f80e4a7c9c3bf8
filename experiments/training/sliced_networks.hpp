#pragma once
// Shared parts of studies of gradients slice by slice: networks that can be sliced, and texts of random symbols for
// them.
#include "rfbench/networks/sliced_gradient.hpp"
#include "study/method_list.hpp"

namespace rfbench::experiments {

/// Which methods these studies take: those with a causal form; require_states() says of the others why they do not.
extern const MethodKey sliced_methods;

/// Throws config::Error at the method's entry when its heads have no states that slices could hand on.
void require_states(const MethodChoice&, Index dimension, Index columns);

/// The networks of chapter 5 of the thesis: causal, a feed-forward part four times as wide as a token, outputs tied to
/// the table.
struct SlicedSize {
    Index vocabulary, length, layers, width;
    Index dimension;  ///< of a head, of which width is a multiple

    networks::TransformerShape shape() const;
};

/// Independent uniform symbols, each of which is to tell the next one.
template <class Scalar>
networks::Sequence<Scalar> random_text(const SlicedSize&, const Stream&);

/// A way to have a gradient.
struct GradientWay {
    std::string name;
    networks::Slicing slicing;  ///< but for the tokens of a slice
};
/// checkpoints (their number the square root of that of slices), all stored, subtraction, double sums.
const std::vector<GradientWay>& sliced_ways();
/// Its slicing in slices of `tokens` of a sequence of `length`.
networks::Slicing sliced(const GradientWay&, Index tokens, Index length);

}  // namespace rfbench::experiments
