#pragma once
// Parts of the backward passes: backward.cpp, where every query sees every key, backward_causal.cpp and
// prefix_sums.cpp.
#include <cmath>
#include <limits>

#include "rfbench/attention/backward.hpp"
#include "rfbench/features/differentiable_map.hpp"

namespace rfbench::attention {

/// Output rows whose denominator is not positive, and those whose gradient was left out.
struct Counts {
    Index nonpositive = 0, left_out = 0;

    Counts& operator+=(const Counts& other) {
        nonpositive += other.nonpositive;
        left_out += other.left_out;
        return *this;
    }
};

/// With out = n / D, or n by another norm: the gradients with respect to rows' numerators n and denominators D.
template <class Scalar>
struct QuotientGradients {
    Rows<Scalar> numerators;
    Column<Scalar> denominators;

    Counts assign(const Rows<Scalar>& sums, const Column<Scalar>& divisors, const RowsView<Scalar>& gradient,
                  Norm norm = Norm::quotient) {
        if (norm == Norm::group) return assign_group(sums, gradient);
        // d(n / D) = dn / D - n dD / D^2: with output gradient g, numerators get g / D, and the denominator
        // -(g / D).n / D.
        numerators = gradient;
        denominators.resize(divisors.size());
        Counts counts;
        for (Index i = 0; i < divisors.size(); ++i) {
            counts.nonpositive += divisors[i] > 0 ? 0 : 1;
            // Room for the values and gradients that the inverse is multiplied with.
            const bool large = std::abs(divisors[i]) > Scalar(1e10) * std::numeric_limits<Scalar>::min();
            counts.left_out += large ? 0 : 1;
            const Scalar inverse = large ? 1 / divisors[i] : Scalar(0);
            numerators.row(i) *= inverse;
            denominators[i] = -inverse * numerators.row(i).dot(sums.row(i));
        }
        return counts;
    }

private:
    Counts assign_group(const Rows<Scalar>& sums, const RowsView<Scalar>& gradient) {
        // y = (n - mean n) / s, s the deviation: numerators get (g - mean g - y mean(g o y)) / s.
        numerators = gradient;
        denominators.setZero(sums.rows());
        Counts counts;
        for (Index i = 0; i < sums.rows(); ++i) {
            Eigen::Array<Scalar, 1, Eigen::Dynamic> y = sums.row(i);
            const Scalar high = centre(y);
            const bool large = high > Scalar(1e10) * std::numeric_limits<Scalar>::min();
            counts.nonpositive += high > 0 ? 0 : 1;
            counts.left_out += large ? 0 : 1;
            auto row = numerators.row(i).array();
            if (!large) {
                row.setZero();
                continue;
            }
            y /= high;
            const Scalar deviation = std::sqrt(y.square().mean());
            y /= deviation;
            row -= row.mean();
            row = (row - y * (row * y).mean()) / deviation / high;
        }
        return counts;
    }
};

/// Sums of features ready to be multiplied with.
template <class Scalar>
struct SumFactors {
    products::Factor<Scalar> numerators, transposed;  // R x e and e x R
    Column<Scalar> denominators;
    int exponent = KeyWeights<Scalar>::none;

    explicit SumFactors(const products::Arithmetic& arithmetic = {}) : numerators(arithmetic), transposed(arithmetic) {}

    void pack(const FeatureSums<Scalar>& sums) {
        numerators.pack(products::strided(sums.numerators()));
        pack_transposed(sums);
    }
    void pack_transposed(const FeatureSums<Scalar>& sums) {
        transposed.pack(products::strided(sums.numerators()).transposed());
        denominators = sums.denominators();
        exponent = sums.exponent();
    }
};

/// Gradients that reach the rows of a tile, or a block, through sums over other rows.
template <class Scalar>
class BackwardTile {
public:
    BackwardTile(const features::FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient,
                 Gradients<Scalar>& out)
        : map_(map),
          in_(in),
          gradient_(gradient),
          out_(out),
          by_parameters_(Vector::Zero(map.differentiable()->num_parameters())) {}

    /// The gradient of the features' parameters from all rows since the last call.
    Vector take_by_parameters() {
        Vector all = Vector::Zero(by_parameters_.size());
        all.swap(by_parameters_);
        return all;
    }

protected:
    /// With g_i = numerators_i of row i and c_i = denominators_i: g_i S' + c_i s', the gradients of features that meet
    /// sums S, s.
    void gradients_through(const SumFactors<Scalar>& sums, const Rows<Scalar>& numerators,
                           const Column<Scalar>& denominators) {
        // c_i s' is written first, and the product g_i S' starts from it.
        back_.resize(numerators.rows(), map_.columns());
        for (Index i = 0; i < back_.rows(); ++i) back_.row(i) = denominators[i] * sums.denominators.transpose();
        sums.transposed.multiply(products::strided(numerators), back_.data(), back_.cols(), back_.data(), back_.cols());
    }
    /// Adds what keys from row `first` and their values have from `sums` of queries, their weights being relative to
    /// 2^base.
    void add_to_keys(const SumFactors<Scalar>& sums, const features::FeatureBlock<Scalar>& keys,
                     const KeyWeights<Scalar>& weights, int base, Index first) {
        const Index n = keys.values.rows();
        // Key j with weight w_j and value v_j is in the sums as w_j phi(k_j) [v_j, 1]: its features get w_j (S v_j +
        // s), and its value w_j phi(k_j) S, with S, s what the queries sent back.
        Column<Scalar> factors = weights.mantissas;
        for (Index j = 0; j < n; ++j) factors[j] *= power_of_two<Scalar>(weights.exponents[j], base);
        gradients_through(sums, factors.asDiagonal() * in_.values.middleRows(first, n), factors);
        out_.keys.middleRows(first, n) += pulled_back(features::Side::key, in_.keys, keys, first);
        products_.resize(n, in_.values.cols());
        sums.numerators.multiply(products::strided(keys.values), products_.data(), products_.cols());
        out_.values.middleRows(first, n) += factors.asDiagonal() * products_;
    }
    /// back_, the gradients of `features`, as gradients of rows from `first`.
    const Rows<Scalar>& pulled_back(features::Side side, const RowsView<Scalar>& rows,
                                    const features::FeatureBlock<Scalar>& features, Index first) {
        map_.differentiable()->pullback(side, rows.middleRows(first, features.values.rows()), features, back_, rows_,
                                        by_parameters_);
        return rows_;
    }

    const features::FeatureMap& map_;
    const Inputs<Scalar>& in_;
    const RowsView<Scalar>& gradient_;
    Gradients<Scalar>& out_;
    QuotientGradients<Scalar> quotient_;
    Rows<Scalar> back_, products_, rows_;
    Vector by_parameters_;
};

/// Checks what a backward pass is given, and gives gradients their shapes. Throws as backward() does.
template <class Scalar>
void begin_gradients(const features::FeatureMap&, const Inputs<Scalar>&, Visible,
                     const RowsView<Scalar>& output_gradient, Gradients<Scalar>& out);

/// backward_slice() where inputs are checked and `out` has its shapes.
template <class Scalar>
Outcome backward_causal(const features::FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar> past,
                        FeatureSums<Scalar>& later, const RowsView<Scalar>& gradient, Norm norm,
                        Gradients<Scalar>& out);

}  // namespace rfbench::attention
