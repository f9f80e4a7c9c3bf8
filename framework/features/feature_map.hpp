#pragma once
#include <memory>
// The one abstraction that carries everything: whatever a mechanism is, complex or real, signed or positive, once drawn
// it is a real bilinear estimator
//
//     K^(x, y) = exp(s(x) + t(y)) * sum_r P_r(x) Q_r(y)
//
// with a query map P, a key map Q and one log scale a row, so nothing overflows and nothing is shifted silently. A
// complex feature is two real columns: [Re f1, Im f1] in the query, [Re f2, -Im f2] in the key. The factor 1/M is in
// the log scales, half in each.
#include "rfbench/features/log_features.hpp"

namespace rfbench::features {

/// Which argument of K(x, y) the rows are: x (queries, f1) or y (keys, f2).
enum class Side { query, key };

/// Features of n rows. row i of the feature matrix is exp(log_scale[i]) * values.row(i); |values| <= 1 up to rounding.
template <class Scalar>
struct FeatureBlock {
    Rows<Scalar> values;  ///< n x R
    Vector log_scale;     ///< n, finite
    Index vanished = 0;   ///< rows whose R features are all exactly zero
};

/// A drawn mechanism, ready to be evaluated on rows. Immutable.
class FeatureMap {
public:
    virtual ~FeatureMap() = default;

    /// R, the number of real columns: what is compared between mechanisms.
    virtual Index columns() const = 0;

    /// Rows are n x d. `out` is resized if needed and reused if not, so that callers keep their buffers. Tiles of rows
    /// run on the threads of the surrounding OpenMP settings; results do not depend on their number, nor those of one
    /// row on any other row.
    virtual void evaluate(Side side, const RowsView<double>& rows, FeatureBlock<double>& out) const = 0;
    virtual void evaluate(Side side, const RowsView<float>& rows, FeatureBlock<float>& out) const = 0;

    /// The same of rows first .. first + n - 1, `first` being a multiple of AlikeRows' period. Rounding errors may be
    /// shared with the rows before.
    virtual void evaluate_alike(Side side, const products::AlikeRows<float>& rows, Index first, Index n,
                                FeatureBlock<float>& out) const {
        evaluate(side, rows.rows().middleRows(first, n), out);
    }

    /// The same by logarithms, in two steps: what all draws of one mechanism and count share, and the features of rows
    /// first .. first + n - 1. Where features are sums or oscillate they have no logarithms: the first step does
    /// nothing and is false, and there is no second.
    virtual bool log_inputs(Side, const RowsView<double>&, LogInputs<double>&) const { return false; }
    virtual bool log_inputs(Side, const RowsView<float>&, LogInputs<float>&) const { return false; }
    virtual void evaluate_logs(Side, const LogInputs<double>&, Index first, Index n, LogFeatureBlock<double>&) const;
    virtual void evaluate_logs(Side, const LogInputs<float>&, Index first, Index n, LogFeatureBlock<float>&) const;

    /// q -> f(x) exp(|x|^2 / 2) at x = scale q, scale = d^(-1/4): features of the softmax kernel exp(q.k / sqrt d), for
    /// maps that have a shorter way to them than to scale all rows. Null for others.
    virtual std::shared_ptr<const FeatureMap> of_softmax(double /*scale*/) const { return nullptr; }

    /// The gradient with respect to the rows x_i, n x d, of sum_i exp(-log_scale_i) gradient_i . f(x_i), the log scales
    /// held as they are: what is left of a gradient with respect to `features.values`, which evaluate() gave for these
    /// rows. Throws std::invalid_argument where features have no gradient.
    virtual void pullback(Side side, const RowsView<double>& rows, const FeatureBlock<double>& features,
                          const Rows<double>& gradient, Rows<double>& out) const;
    virtual void pullback(Side side, const RowsView<float>& rows, const FeatureBlock<float>& features,
                          const Rows<float>& gradient, Rows<float>& out) const;
};

/// log|K^| and sign of the estimate for every pair of rows: n x n', from two blocks. A sum that underflows against its
/// rows' largest features (below 1e-308 of their product) comes out as sign 0 and log -infinity.
/// Throws std::invalid_argument when the blocks have different numbers of columns.
struct LogMatrix {
    Points log_abs;
    Points sign;  ///< -1, 0 or +1
};
LogMatrix estimate(const FeatureBlock<double>& queries, const FeatureBlock<double>& keys);

}  // namespace rfbench::features
