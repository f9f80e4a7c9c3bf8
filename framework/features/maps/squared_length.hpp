#pragma once
#include <array>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// |x_i|^2 of row i of a row-major matrix or view, in double. Whoever takes it has the same bits, so that large ones
/// cancel.
template <class Matrix>
double squared_length(const Matrix& rows, Index i) {
    static_assert(Matrix::IsRowMajor);
    constexpr Index lanes = 16;
    const auto* const x = rows.data() + i * rows.rowStride();
    const Index d = rows.cols();
    std::array<double, lanes> sums{};
    Index k = 0;
    for (; k + lanes <= d; k += lanes)
        for (Index lane = 0; lane < lanes; ++lane) {
            const auto entry = static_cast<double>(x[k + lane]);
            sums[static_cast<std::size_t>(lane)] += entry * entry;
        }
    for (Index lane = 0; k < d; ++k, ++lane) {
        const auto entry = static_cast<double>(x[k]);
        sums[static_cast<std::size_t>(lane)] += entry * entry;
    }
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
}

}  // namespace rfbench::features
