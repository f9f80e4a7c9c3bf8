#pragma once
// One layer of attention that classifies sequences: small enough to be trained anywhere.
#include "rfbench/networks/transformer.hpp"
#include "rfbench/training/descent.hpp"

namespace rfbench::networks {

/// The sizes of a classifier.
struct ClassifierShape {
    Index tokens = 0, inputs = 0;         ///< T and p of every sequence
    int classes = 0;                      ///< at least 2
    Index embedding = 16;                 ///< h
    Index dimension = 16;                 ///< d of queries and keys
    Index values = 16;                    ///< e
    ReadOutOf pooling = ReadOutOf::mean;  ///< mean or last
};

/// For tokens X, T x p:
///
///     H = X A + P,  Q = H Wq,  K = H Wk,  V = H Wv,  O = attention(Q, K, V),  z = pooled(O) R + r
///
/// with positions P, T x h: a Transformer of one layer that is attention alone. Throws std::invalid_argument for sizes
/// that are not positive and fewer than two classes.
Transformer classifier(const ClassifierShape&, std::shared_ptr<const training::HeadAttention>);

/// A, Wq, Wk, Wv ~ N(0, 1 / rows), P ~ N(0, 1/4), R and r zero; the head's parameters as it says. The layer's do not
/// depend on the head.
Vector classifier_start(const Transformer&, const Stream&);

/// Parameters that training changes.
Index trained(const Transformer& classifier);
/// The head's own part of the parameters.
Vector head_parameters(const Transformer& classifier, const Vector& parameters);

/// Adam over mini-batches of these sequences in a random order, from classifier_start(stream.child("start")). The bits
/// do not depend on the number of threads. Throws as training::Batches and Trainer::step.
training::DescentResult train(const Transformer& classifier, const std::vector<Sequence<double>>&,
                              const training::Descent&, const Stream&);

}  // namespace rfbench::networks
