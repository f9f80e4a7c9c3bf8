#pragma once
// Features by their logarithms: for sums over rows that lose no factor to the range of numbers, however unlike features
// are.
#include <cstdint>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/products/rows_sharing_entries.hpp"

namespace rfbench::features {

/// Signs of the features of n rows, n x ceil(R / 32) or wider: feature m is negative if bit m % 32 of word m / 32 is
/// set.
using SignBits = Rows<std::uint32_t>;

/// Multiplies n values by the signs that begin in the word `bits` points to.
template <class Scalar>
void apply_signs(const std::uint32_t* bits, Index n, Scalar* values) {
    for (Index first = 0; first < n; first += 32, ++bits) {
        const Index own = n - first < 32 ? n - first : 32;
#pragma omp simd
        for (Index m = 0; m < own; ++m)
            values[first + m] *= static_cast<Scalar>(1 - 2 * static_cast<int>(*bits >> m & 1u));
    }
}

/// Logarithms of the features of n rows: feature m of row i is sign exp(log_scale[i] + logs(i, m)).
template <class Scalar>
struct LogFeatureBlock {
    static constexpr float zero = -1e28f;  ///< log of a feature that is exactly zero: this or less

    Rows<Scalar> logs;  ///< n x R
    SignBits signs;     ///< or empty when all features are positive
    Vector log_scale;   ///< n, finite
};

/// Terms of the features' logarithms that depend on the n rows alone, not on the draw.
template <class Scalar>
struct LogInputs {
    products::RowsSharingEntries<Scalar> factors;  ///< what is multiplied by what is drawn
    Rows<Scalar> signed_rows;                      ///< n x d: the rows, where their signs count, or empty
    Vector log_scale;                              ///< n
};

/// Features that have logarithms, neither sums nor oscillating: FeatureMap::logs(). They are evaluated in two steps.
class LogFeatures {
public:
    /// Terms of these rows that all draws of one mechanism and count share.
    virtual LogInputs<double> log_inputs(Side, const RowsView<double>&) const = 0;
    /// The same in single precision.
    virtual LogInputs<float> log_inputs(Side, const RowsView<float>&) const = 0;
    /// The features of rows first .. first + n - 1 of them.
    virtual void evaluate_logs(Side, const LogInputs<double>&, Index first, Index n,
                               LogFeatureBlock<double>&) const = 0;
    /// The same in single precision.
    virtual void evaluate_logs(Side, const LogInputs<float>&, Index first, Index n, LogFeatureBlock<float>&) const = 0;

protected:
    ~LogFeatures() = default;
};

/// The logarithms of a map that writes them once, as the templates take_inputs(side, rows) and
/// write_logs(side, inputs, first, n, out).
template <class Map>
class LogFeaturesOf : public LogFeatures {
public:
    LogInputs<double> log_inputs(Side side, const RowsView<double>& rows) const override {
        return self().take_inputs(side, rows);
    }
    LogInputs<float> log_inputs(Side side, const RowsView<float>& rows) const override {
        return self().take_inputs(side, rows);
    }
    void evaluate_logs(Side side, const LogInputs<double>& in, Index first, Index n,
                       LogFeatureBlock<double>& out) const override {
        self().write_logs(side, in, first, n, out);
    }
    void evaluate_logs(Side side, const LogInputs<float>& in, Index first, Index n,
                       LogFeatureBlock<float>& out) const override {
        self().write_logs(side, in, first, n, out);
    }

protected:
    ~LogFeaturesOf() = default;

private:
    const Map& self() const { return static_cast<const Map&>(*this); }
};

}  // namespace rfbench::features
