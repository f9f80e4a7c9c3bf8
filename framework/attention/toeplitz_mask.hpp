#pragma once
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "rfbench/attention/inputs.hpp"

namespace rfbench::attention {

/// A multilevel block-Toeplitz mask (Likhosherstov 2022, Definitions 3 and 4): tokens lie on a grid L1 x .. x Lu, u =
/// 1, 2 or 3, numbered lexicographically (the last coordinate runs fastest), and
///
///     mask(i, j) = psi(place(i) - place(j)) >= 0.
///
/// A class token, which lies on no grid, may stand before them: then mask(i, j) is one weight of its own wherever i or
/// j is the class token (section 4.6.2).
class ToeplitzMask {
public:
    /// Along each level, the last (fastest) one last: {0, 0, i - j} for one level, {0, rows, columns} for two.
    using Offset = std::array<Index, 3>;

    /// psi is asked once for every offset. Throws std::invalid_argument when the shape has no or more than three
    /// levels, a negative length or more offsets than Index counts, and when an entry is negative, NaN or infinite,
    /// naming the offset.
    ToeplitzMask(std::vector<Index> shape, const std::function<double(const Offset&)>& psi,
                 std::optional<double> class_token = {});
    /// From its numbers(): psi, then the weight of the class token where there is one. Throws as the other, and for
    /// another number of them.
    ToeplitzMask(std::vector<Index> shape, bool class_token, const Vector& numbers);

    /// L1, .., Lu, as it was given.
    const std::vector<Index>& shape() const { return shape_; }
    const Offset& lengths() const { return lengths_; }     ///< the shape as three levels, 1 for those not there
    Index length() const { return before() + grid_; }      ///< L1 .. Lu tokens of the grid, and the class token
    Index before() const { return class_token_ ? 1 : 0; }  ///< the first token of the grid
    const std::optional<double>& class_token() const { return class_token_; }  ///< its weight
    /// mask(i, j), 0 <= i, j < L.
    double operator()(Index i, Index j) const;
    double at(const Offset& offset) const;  ///< psi
    /// mask(i, j) = 0 whenever j > i.
    bool causal() const { return causal_; }

    /// mask(row .., column ..), n x m.
    template <class Scalar>
    void tile(Index row, Index n, Index column, Index m, Rows<Scalar>& out) const;

    /// How many numbers it is made of: offsets, the largest first, the last level running fastest, and then the class
    /// token's weight where there is one.
    Index numbers() const { return static_cast<Index>(entries_.size()); }
    Offset offset(Index number) const;  ///< of one that is not the class token's
    /// Adds a tile of gradients of mask(row .., column ..) to the gradients of the numbers: sums over the pairs that
    /// share a number.
    template <class Scalar>
    void add_by_numbers(Index row, Index column, const Rows<Scalar>& tile, Column<Scalar>& by_numbers) const;

private:
    Index number(const Offset&) const;
    Offset place(Index token) const;
    template <class Body>
    void for_lines(Index row, Index n, Index column, Index m, Body body) const;

    std::vector<Index> shape_;
    Offset lengths_;  // 1 for levels that are not there
    Index grid_;
    std::vector<double>
        entries_;  // psi, the largest offset first, so that a row's keys are in their order; class token
    std::optional<double> class_token_;
    bool causal_ = true;
};

/// psi = exp(-rate * (|offset_1| + .. + |offset_u|)): weights of relative positions.
ToeplitzMask decaying_mask(const std::vector<Index>& shape, double rate);

/// The same entries for j <= i in the order of tokens, 0 for j > i: still block-Toeplitz. Throws std::invalid_argument
/// for a mask with a class token, whose weight is one for both.
ToeplitzMask causal_mask(const ToeplitzMask&);

/// mask(j, i) for mask(i, j).
ToeplitzMask transposed_mask(const ToeplitzMask&);

}  // namespace rfbench::attention
