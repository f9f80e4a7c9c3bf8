#pragma once
// Attention that sees a sequence slice by slice: causal, and through sums over earlier tokens alone (Likhosherstov
// 2022, sections 5.2 and 5.3).
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// State that is handed on from slice to slice. Sums of heads that compute in float are floats, held in double.
struct HeadSums {
    attention::FeatureSums<double> before;  ///< of the keys before the slice
    attention::FeatureSums<double> after;   ///< of those and the slice's own
    attention::FeatureSums<double> later;   ///< the gradient with respect to `after`; empty after the last slice
    Index tokens = 0;                       ///< of the sequence before the slice

    /// Zeros, of R features and e columns of values.
    HeadSums(Index features, Index value_columns) : before(features, value_columns), after(before), later(before) {}
};

/// Interface of a HeadAttention that has a state.
class StatefulHead {
public:
    virtual ~StatefulHead() = default;

    virtual Index features() const = 0;  ///< R of its sums

    /// HeadAttention::forward of a slice, causal, from sums.before, which must stay; writes sums.after. The backward
    /// pass takes sums.later and leaves there the gradient with respect to sums.before. Throws as HeadAttention does.
    virtual std::unique_ptr<HeadPass<double>> forward(const ColumnView<double>& parameters,
                                                      const attention::Inputs<double>&, HeadSums&) const = 0;
    /// The same in single precision.
    virtual std::unique_ptr<HeadPass<float>> forward(const ColumnView<float>& parameters,
                                                     const attention::Inputs<float>&, HeadSums&) const = 0;
    /// Sums over the slice's own keys, the first of which is token `first` of the sequence. sums.after less these is
    /// sums.before, to rounding.
    virtual attention::FeatureSums<double> sums(const ColumnView<double>& parameters, const attention::Inputs<double>&,
                                                Index first) const = 0;
    /// The same of inputs in single precision.
    virtual attention::FeatureSums<double> sums(const ColumnView<float>& parameters, const attention::Inputs<float>&,
                                                Index first) const = 0;

    /// The same attention, to rounding, with all prefix sums stored until the backward pass
    /// (attention/prefix_sums.hpp); null where its sums are not those of features.
    virtual std::unique_ptr<HeadAttention> with_prefix_sums() const { return nullptr; }
};

/// A head that writes its pass and its sums once, as the templates slice(parameters, inputs, sums) and
/// own_sums(parameters, inputs, first).
template <class Head>
class StatefulHeadOf : public StatefulHead {
public:
    std::unique_ptr<HeadPass<double>> forward(const ColumnView<double>& parameters, const attention::Inputs<double>& in,
                                              HeadSums& sums) const override {
        return head().template slice<double>(parameters, in, sums);
    }
    std::unique_ptr<HeadPass<float>> forward(const ColumnView<float>& parameters, const attention::Inputs<float>& in,
                                             HeadSums& sums) const override {
        return head().template slice<float>(parameters, in, sums);
    }
    attention::FeatureSums<double> sums(const ColumnView<double>& parameters, const attention::Inputs<double>& in,
                                        Index first) const override {
        return head().template own_sums<double>(parameters, in, first);
    }
    attention::FeatureSums<double> sums(const ColumnView<float>& parameters, const attention::Inputs<float>& in,
                                        Index first) const override {
        return head().template own_sums<float>(parameters, in, first);
    }

private:
    const Head& head() const { return static_cast<const Head&>(*this); }
};

}  // namespace rfbench::training
