#pragma once
#include <algorithm>
#include <limits>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/features/maps/double_and_float.hpp"
#include "rfbench/products/factor.hpp"
#include "rfbench/products/rows_sharing_entries.hpp"

namespace rfbench::features {

/// x -> x W + b for rows x, W d x M, b of M entries. Immutable.
template <class Scalar>
class AffineProduct {
public:
    /// Copies W and b, rounded to the scalar. Throws as products::check() does.
    AffineProduct(const Projections& weights, const Vector& bias, const products::Arithmetic& arithmetic = {})
        : weights_(products::strided(Matrix(weights.cast<Scalar>())), arithmetic),
          transposed_(products::strided(Matrix(weights.cast<Scalar>())).transposed(), arithmetic),
          bias_(bias.cast<Scalar>()) {
        // Half of the range for the d products, half for what is added.
        constexpr double half = 0.5 * std::numeric_limits<Scalar>::max();
        const double weight = weights.size() == 0 ? 0 : weights.cwiseAbs().maxCoeff();
        const double added = bias.size() == 0 ? 0 : bias.cwiseAbs().maxCoeff();
        if (weight > 0) largest_entry_ = std::min(2 * half, half / weight / static_cast<double>(weights.rows()));
        if (!(weight <= half) || !(added <= half)) largest_entry_ = 0;
        // Larger ones are infinite in bfloat16.
        if (!weights_.on_vectors()) largest_entry_ = std::min(largest_entry_, 0x1.fep127);
    }

    Index dimension() const { return weights_.rows(); }   ///< d
    Index columns() const { return weights_.columns(); }  ///< M
    /// Rows that callers which go on to work on a product take at a time.
    Index rows_at_once() const { return weights_.rows_at_once(); }
    /// Largest entry of rows whose products, and all sums on the way to them, are finite.
    double largest_entry() const { return largest_entry_; }

    /// Writes rows W + b to out, n x M and dense. The bits of a row depend on no other row.
    void apply(const RowsView<Scalar>& rows, Scalar* out) const {
        weights_.multiply(products::strided(rows), bias_.data(), 0, out, columns());
    }

    /// The same of rows first .. first + n - 1, by vector registers alone.
    void apply(const products::RowsSharingEntries<Scalar>& rows, Index first, Index n, Scalar* out) const {
        rows.multiply(weights_.panels(), first, n, bias_.data(), out, columns());
    }

    /// Writes rows W' to out, n x d: how a gradient with respect to what apply() gave goes on to its rows.
    void pull_back(const Rows<Scalar>& rows, Rows<Scalar>& out) const {
        out.resize(rows.rows(), dimension());
        transposed_.multiply(products::strided(rows), out.data(), dimension());
    }

private:
    using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

    products::Factor<Scalar> weights_, transposed_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> bias_;
    double largest_entry_ = std::numeric_limits<Scalar>::max();
};

/// Largest entries of a product in both precisions.
inline LargestEntry largest_entry(const DoubleAndFloat<AffineProduct>& product) {
    return LargestEntry().both({product.in<double>().largest_entry(), product.in<float>().largest_entry()});
}

}  // namespace rfbench::features
