#pragma once
// Features by their logarithms: for sums over rows that lose no factor to the range of numbers, however unlike features
// are.
#include <cstdint>

#include "rfbench/products/alike_rows.hpp"

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

/// What the logarithms of features take from n rows whatever is drawn.
template <class Scalar>
struct LogInputs {
    products::AlikeRows<Scalar> factors;  ///< what is multiplied by what is drawn
    Rows<Scalar> signed_rows;             ///< n x d: the rows, where their signs count, or empty
    Vector log_scale;                     ///< n
};

}  // namespace rfbench::features
