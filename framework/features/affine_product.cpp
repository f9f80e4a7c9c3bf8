#include "rfbench/features/affine_product.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace rfbench::features {
namespace {

#if defined(__AVX512F__)
constexpr int register_bytes = 64, column_registers = 4;
#elif defined(__AVX__)
constexpr int register_bytes = 32, column_registers = 2;
#else
constexpr int register_bytes = 16, column_registers = 2;
#endif

template <class Scalar>
struct Register {
    typedef Scalar type __attribute__((vector_size(register_bytes)));
    static constexpr int size = register_bytes / sizeof(Scalar);
};

/// Columns of a panel of W: d rows of as many columns as a block of registers holds.
template <class Scalar>
constexpr Index panel_columns = column_registers * Register<Scalar>::size;

/// n x panel_columns entries of rows W + b, all of them in registers until they are done.
template <int n, class Scalar>
void block(const Scalar* rows, Index rows_stride, const Scalar* panel, const Scalar* bias, Index dimension, Scalar* out,
           Index out_stride) {
    using Lane = typename Register<Scalar>::type;
    constexpr int size = Register<Scalar>::size;
    Lane sums[n][column_registers];
    for (int v = 0; v < column_registers; ++v)
        for (int r = 0; r < n; ++r) std::memcpy(&sums[r][v], bias + v * size, sizeof(Lane));
    for (Index k = 0; k < dimension; ++k) {
        Lane weights[column_registers];
        for (int v = 0; v < column_registers; ++v)
            std::memcpy(&weights[v], panel + k * panel_columns<Scalar> + v * size, sizeof(Lane));
        for (int r = 0; r < n; ++r)
            for (int v = 0; v < column_registers; ++v) sums[r][v] += rows[r * rows_stride + k] * weights[v];
    }
    for (int r = 0; r < n; ++r)
        for (int v = 0; v < column_registers; ++v) std::memcpy(out + r * out_stride + v * size, &sums[r][v], sizeof(Lane));
}

template <int n, class Scalar>
void rows_block(const Scalar* rows, Index rows_stride, const std::vector<Scalar>& panels,
                const std::vector<Scalar>& bias, Index dimension, Index columns, Scalar* out, Index out_stride) {
    constexpr Index width = panel_columns<Scalar>;
    for (Index first = 0; first < columns; first += width) {
        const Scalar* const panel = panels.data() + first * dimension;
        if (columns - first >= width) {
            block<n>(rows, rows_stride, panel, bias.data() + first, dimension, out + first, out_stride);
            continue;
        }
        std::array<Scalar, n * width> whole;
        block<n>(rows, rows_stride, panel, bias.data() + first, dimension, whole.data(), width);
        for (int r = 0; r < n; ++r)
            std::copy_n(whole.data() + r * width, columns - first, out + r * out_stride + first);
    }
}

}  // namespace

template <class Scalar>
AffineProduct<Scalar>::AffineProduct(const Projections& weights, const Vector& bias)
    : dimension_(weights.rows()), columns_(weights.cols()) {
    constexpr Index width = panel_columns<Scalar>;
    const Index padded = (columns_ + width - 1) / width * width;
    panels_.assign(static_cast<std::size_t>(padded * dimension_), Scalar(0));
    bias_.assign(static_cast<std::size_t>(padded), Scalar(0));
    for (Index m = 0; m < columns_; ++m) {
        bias_[static_cast<std::size_t>(m)] = static_cast<Scalar>(bias[m]);
        Scalar* const panel = panels_.data() + m / width * width * dimension_ + m % width;
        for (Index k = 0; k < dimension_; ++k) panel[k * width] = static_cast<Scalar>(weights(k, m));
    }
}

template <class Scalar>
void AffineProduct<Scalar>::apply(const RowsView<Scalar>& rows, Scalar* out, Index stride) const {
    const Index n = rows.rows(), rows_stride = rows.outerStride();
    Index i = 0;
    for (; i + rows_at_once <= n; i += rows_at_once)
        rows_block<rows_at_once>(rows.data() + i * rows_stride, rows_stride, panels_, bias_, dimension_, columns_,
                                  out + i * stride, stride);
    for (; i < n; ++i)
        rows_block<1>(rows.data() + i * rows_stride, rows_stride, panels_, bias_, dimension_, columns_,
                      out + i * stride, stride);
}

template class AffineProduct<float>;
template class AffineProduct<double>;

}  // namespace rfbench::features
