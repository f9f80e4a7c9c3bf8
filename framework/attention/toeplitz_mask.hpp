#pragma once
#include <array>
#include <functional>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::attention {

/// A multilevel block-Toeplitz mask (Likhosherstov 2022, Definitions 3 and 4): tokens lie on a grid L1 x .. x Lu, u =
/// 1, 2 or 3, numbered lexicographically (the last coordinate runs fastest), and
///
///     mask(i, j) = psi(place(i) - place(j)) >= 0.
class ToeplitzMask {
public:
    /// Along each level, the last (fastest) one last: {0, 0, i - j} for one level, {0, rows, columns} for two.
    using Offset = std::array<Index, 3>;

    /// psi is asked once for every offset. Throws std::invalid_argument when the shape has no or more than three
    /// levels, a negative length or more offsets than Index counts, and when an entry is negative, NaN or infinite,
    /// naming the offset.
    ToeplitzMask(std::vector<Index> shape, const std::function<double(const Offset&)>& psi);

    /// L1, .., Lu, as it was given.
    const std::vector<Index>& shape() const { return shape_; }
    const Offset& lengths() const { return lengths_; }  ///< the shape as three levels, 1 for those not there
    Index length() const { return length_; }            ///< L = L1 .. Lu
    /// mask(i, j), 0 <= i, j < L.
    double operator()(Index i, Index j) const;
    double at(const Offset& offset) const;  ///< psi
    /// mask(i, j) = 0 whenever j > i.
    bool causal() const { return causal_; }

    /// mask(row .., column ..), n x m.
    template <class Scalar>
    void tile(Index row, Index n, Index column, Index m, Rows<Scalar>& out) const;

private:
    Index number(const Offset&) const;
    Offset place(Index token) const;

    std::vector<Index> shape_;
    Offset lengths_;  // 1 for levels that are not there
    Index length_;
    std::vector<double> entries_;  // psi, the largest offset first, so that a row's keys are in their order
    bool causal_ = true;
};

/// psi = exp(-rate * (|offset_1| + .. + |offset_u|)): weights of relative positions.
ToeplitzMask decaying_mask(const std::vector<Index>& shape, double rate);

/// The same entries for j <= i in the order of tokens, 0 for j > i: still block-Toeplitz.
ToeplitzMask causal_mask(const ToeplitzMask&);

}  // namespace rfbench::attention
