#include "rfbench/features/maps/cosine_transforms.hpp"

#include <algorithm>

namespace rfbench::features {
namespace {

using sampling::CosineSide;
using transforms::ComplexLanes;
using transforms::lanes;

template <class Scalar>
void change_odd_signs(std::vector<ComplexLanes<Scalar>>& entries) {
    for (std::size_t n = 1; n < entries.size(); n += 2) entries[n] = -entries[n];
}

/// Row i of x as the real parts of lane i, row lanes + i as its imaginary parts; zeros where there are no rows.
template <class Scalar>
void take_rows(const RowsView<Scalar>& x, std::vector<ComplexLanes<Scalar>>& in) {
    std::fill(in.begin(), in.end(), ComplexLanes<Scalar>{});
    for (Index i = 0; i < x.rows(); ++i)
        for (Index k = 0; k < x.cols(); ++k) {
            auto& part = i < lanes<Scalar> ? in[k].real : in[k].imaginary;
            part[i % lanes<Scalar>] = x(i, k);
        }
}

/// The first n entries of each row's transform.
template <class Scalar>
void give_rows(const std::vector<ComplexLanes<Scalar>>& entries, Index rows, Index n, Scalar* out, Index stride) {
    for (Index i = 0; i < rows; ++i)
        for (Index k = 0; k < n; ++k) {
            const auto& part = i < lanes<Scalar> ? entries[k].real : entries[k].imaginary;
            out[i * stride + k] = part[i % lanes<Scalar>];
        }
}

}  // namespace

template <class Scalar>
void CosineTransforms<Scalar>::apply(const RowsView<Scalar>& x, Index count, Scalar* out, Index out_stride,
                                     Workspace& memory) const {
    const Index d = dimension();
    const bool rows = side_ == CosineSide::rows;
    take_rows<Scalar>(x, memory.in);
    for (Index type = 0; type < 4 && type * d < count; ++type) {
        // Sines of (2n + 1) are cosines with every other sign turned, of frequencies backwards; transposed, in turn.
        const bool sine = type >= 2;
        if (type == 2 && rows) change_odd_signs(memory.in);
        if (type == 2 && !rows) std::reverse(memory.in.begin(), memory.in.end());
        if (type % 2 == 1)
            cosine_.fourth(memory.in.data(), memory.work.data(), memory.out.data());
        else if (rows)
            cosine_.second(memory.in.data(), memory.work.data(), memory.out.data());
        else
            cosine_.third(memory.in.data(), memory.work.data(), memory.out.data());
        if (sine && rows) std::reverse(memory.out.begin(), memory.out.end());
        if (sine && !rows) change_odd_signs(memory.out);
        give_rows(memory.out, x.rows(), std::min(d, count - type * d), out + type * d, out_stride);
    }
    // Direction 4d is direction 0 again.
    for (Index i = 0; i < x.rows(); ++i)
        for (Index m = 4 * d; m < count; ++m) out[i * out_stride + m] = out[i * out_stride + m - 4 * d];
}

template class CosineTransforms<float>;
template class CosineTransforms<double>;

}  // namespace rfbench::features
