#pragma once
// The one abstraction that carries everything: whatever a mechanism is, complex or real, signed or positive, once drawn
// it is a real bilinear estimator
//
//     K^(x, y) = exp(s(x) + t(y)) * sum_r P_r(x) Q_r(y)
//
// with a query map P, a key map Q and one log scale a row, so nothing overflows and nothing is shifted silently. A
// complex feature is two real columns: [Re f1, Im f1] in the query, [Re f2, -Im f2] in the key. The factor 1/M is in
// the log scales, half in each.
#include <algorithm>
#include <concepts>
#include <limits>
#include <memory>
#include <type_traits>

#include "rfbench/matrix.hpp"
#include "rfbench/products/arithmetic.hpp"

namespace rfbench::features {

class AlikeFeatures;      // alike_features.hpp
class DifferentiableMap;  // differentiable_map.hpp
class LogFeatures;        // log_features.hpp

/// Which argument of K(x, y) the rows are: x (queries, f1) or y (keys, f2).
enum class Side { query, key };

/// Features of n rows. row i of the feature matrix is exp(log_scale[i]) * values.row(i); |values| <= 1 up to rounding.
template <class Scalar>
struct FeatureBlock {
    Rows<Scalar> values;  ///< n x R
    Vector log_scale;     ///< n, finite
    Index vanished = 0;   ///< rows whose R features are all exactly zero
};

/// The largest absolute entries of rows that are evaluated in double and in single precision. Squared lengths of rows
/// of any dimension stay within double, in which they are computed for both.
struct LargestEntry {
    double wide = 0x1p500;                              ///< of rows in double
    double narrow = std::numeric_limits<float>::max();  ///< of rows in float

    /// The one for rows of this scalar, double or float.
    template <class Scalar>
    double in() const {
        return std::is_same_v<Scalar, double> ? wide : narrow;
    }
    /// The smaller bounds of the two: rows within them fit both maps.
    LargestEntry both(const LargestEntry& other) const {
        return {std::min(wide, other.wide), std::min(narrow, other.narrow)};
    }
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
    /// The same in single precision.
    virtual void evaluate(Side side, const RowsView<float>& rows, FeatureBlock<float>& out) const = 0;

    /// Rows with larger entries may have products, and with them features, that are not finite.
    virtual LargestEntry largest_entry() const { return {}; }

    /// Rows that share entries, evaluated once for what they share (alike_features.hpp); null where it cannot.
    virtual const AlikeFeatures* shared_entries() const { return nullptr; }
    /// Gradients with respect to the rows (differentiable_map.hpp); null where there are none.
    virtual const DifferentiableMap* differentiable() const { return nullptr; }
    /// Logarithms of features (log_features.hpp); null where features have signs.
    virtual const LogFeatures* logs() const { return nullptr; }

    /// q -> f(x) exp(|x|^2 / 2) at x = scale q, scale = d^(-1/4): features of the softmax kernel exp(q.k / sqrt d), for
    /// maps that have a shorter way to them than to scale all rows. Null for others.
    virtual std::shared_ptr<const FeatureMap> of_softmax(double /*scale*/) const { return nullptr; }

    /// How products of rows in float are formed. Linear attention and its gradients (attention/linear.hpp,
    /// backward.hpp) form theirs so, too.
    virtual products::Arithmetic arithmetic() const { return {}; }
    /// These features with products formed so; null for maps that leave them to vector registers. With other units
    /// shared_entries() and logs() are null. Throws as products::check() does.
    virtual std::shared_ptr<const FeatureMap> with_arithmetic(const products::Arithmetic&) const { return nullptr; }
};

/// A map whose evaluation is written once, as the template evaluate_rows(side, rows, out) of either precision. It can
/// do what it derives from.
template <class Map>
class FeatureMapOf : public FeatureMap {
public:
    void evaluate(Side side, const RowsView<double>& rows, FeatureBlock<double>& out) const override {
        self().evaluate_rows(side, rows, out);
    }
    void evaluate(Side side, const RowsView<float>& rows, FeatureBlock<float>& out) const override {
        self().evaluate_rows(side, rows, out);
    }
    const AlikeFeatures* shared_entries() const override { return as<AlikeFeatures>(); }
    const DifferentiableMap* differentiable() const override { return as<DifferentiableMap>(); }
    const LogFeatures* logs() const override { return as<LogFeatures>(); }

private:
    const Map& self() const { return static_cast<const Map&>(*this); }

    template <class Ability>
    const Ability* as() const {
        if constexpr (std::derived_from<Map, Ability>)
            return &self();
        else
            return nullptr;
    }
};

/// log|K^| and sign of the estimate for every pair of rows: n x n', from two blocks. A sum that underflows against its
/// rows' largest features (below 1e-308 of their product) comes out as sign 0 and log -infinity.
/// Throws std::invalid_argument when the blocks have different numbers of columns.
struct LogMatrix {
    Points log_abs;  ///< log |K^|
    Points sign;     ///< -1, 0 or +1
};
/// See LogMatrix.
LogMatrix estimate(const FeatureBlock<double>& queries, const FeatureBlock<double>& keys);

}  // namespace rfbench::features
