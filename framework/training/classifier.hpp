#pragma once
// One layer of attention that classifies sequences: small enough to be trained anywhere, with all its gradients.
#include <memory>
#include <vector>

#include "rfbench/training/descent.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// A sequence of tokens and its class.
struct Example {
    Points tokens;  ///< T x p
    int label;      ///< 0 .. classes - 1
};

/// What the read-out sees: the mean of the attention's outputs over tokens, or that of the last token.
enum class Pooling { mean, last };

/// The sizes of a classifier.
struct ClassifierShape {
    Index tokens = 0, inputs = 0;     ///< T and p of every sequence
    int classes = 0;                  ///< at least 2
    Index embedding = 16;             ///< h
    Index dimension = 16;             ///< d of queries and keys
    Index values = 16;                ///< e
    Pooling pooling = Pooling::mean;  ///< what is read out
};

/// Every size must be positive: throws std::invalid_argument naming those given otherwise.
void check(const ClassifierShape&);

/// For tokens X, T x p:
///
///     H = X A + P,  Q = H Wq,  K = H Wk,  V = H Wv,  O = attention(Q, K, V),  z = pooled(O) R + r,  loss = -log
///     softmax(z)_label
///
/// with positions P, T x h. Immutable: parameters are handed in, those of the layer first (A, P, Wq, Wk, Wv, R, r, by
/// columns), then the head's. All functions may be called by several threads.
class Classifier {
public:
    /// Throws as check().
    Classifier(const ClassifierShape&, std::shared_ptr<const HeadAttention>);

    /// The length of a vector of parameters.
    Index parameters() const { return layer_parameters() + head_->parameters(); }
    Index trained() const { return layer_parameters() + head_->trained(); }  ///< those that training changes
    /// Matrices N(0, 1 / rows), P ~ N(0, 1/4), R and r zero; the head's as it says. The layer's do not depend on the
    /// head.
    Vector start(const Stream&) const;

    /// The loss of one example, whose gradient is added to `gradient`. Throws std::invalid_argument for tokens of
    /// another shape, labels that there are not, parameters of another number, and as attention::check does.
    double loss(const Vector& parameters, const Example&, Vector& gradient) const;

    /// What the classes of an example get.
    struct Scores {
        Vector logits;          ///< z
        Index nonpositive = 0;  ///< tokens whose denominator is not positive
    };
    /// z of one example. Throws as loss(), except for labels.
    Scores scores(const Vector& parameters, const Example&) const;

    /// Q, K and V of one example.
    struct HeadRows {
        Points queries, keys, values;  ///< T x d, T x d, T x e
    };
    /// What the head is given of an example; its kernel is exp(q.k / sqrt d). Throws as scores().
    HeadRows head_rows(const Vector& parameters, const Example&) const;
    /// The head's own part of the parameters.
    Vector head_parameters(const Vector& parameters) const { return parameters.tail(head_->parameters()); }

private:
    struct Forward;
    Index layer_parameters() const;
    void check_example(const Vector& parameters, const Example&) const;
    Forward forward(const Vector& parameters, const Example&) const;

    ClassifierShape shape_;
    std::shared_ptr<const HeadAttention> head_;
};

/// How well examples are classified.
struct Accuracy {
    double accuracy = 0;     ///< share whose largest score is that of their class
    double loss = 0;         ///< mean
    double nonpositive = 0;  ///< share of tokens whose denominator is not positive
};
/// Throws std::invalid_argument without examples, and as Classifier::scores.
Accuracy accuracy(const Classifier&, const Vector& parameters, const std::vector<Example>&);

/// Descent from start(stream.child("start")). Throws as training::descend and Classifier::loss.
training::Descended train(const Classifier&, const std::vector<Example>&, const training::Descent&, const Stream&);

}  // namespace rfbench::training
