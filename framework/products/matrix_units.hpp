#pragma once
// Products of float matrices by units that multiply bfloat16 and sum in float. An entry is a sum of parts, x = x_1 +
// x_2 + ..., x_p what is left of x after the parts before, rounded to bfloat16; products of parts p and q
// are taken with p + q <= parts + 1, since the others are no larger than what is left behind all parts:
//
//     parts 1: a_1 b_1
//     parts 2: a_1 b_2 + a_2 b_1 + a_1 b_1
//     parts 3: a_2 b_2 + a_1 b_3 + a_3 b_1 + a_1 b_2 + a_2 b_1 + a_1 b_1
//
// that is 1, 3 and 6 products, smallest first. With |x_2| <= 2^-8 |x|, |x_3| <= 2^-17 |x|, and
// nothing left behind three parts (3 x 8 bits are float's 24),
//
//     |a b - sum| <= c |a| |b|,   c = 2^-7 + 2^-16,   2^-15 + 2^-34,   2^-24 + 2^-34,
//
// and the sum over K entries is rounded as float: with T = ceil(K / 32) instructions a product of parts, of 16
// multiply-adds in a row and two additions (emulated_tiles.hpp), an entry of A B is off by
//
//     (c + (19 + T) 2^-24) sum_k |a_k| |b_k|
//
// at most, to first order and for K up to 512. Parts below 2^-126 count as zero.
#include <cstdint>
#include <vector>

#include "rfbench/products/arithmetic.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::products {

/// B, K x N, in the tiles that matrix units read. Entries are below 2^128 (1 - 2^-9); larger ones, infinities and
/// NaN make infinities or NaN of all that they meet.
class MatrixFactor {
public:
    MatrixFactor() = default;

    /// Takes the entries of B in as many parts; memory of an earlier B is used again. Throws as check() does
    /// (arithmetic.hpp), and std::invalid_argument for units that are vectors.
    void pack(const Strided<float>& b, const Arithmetic&);

    Index rows() const { return rows_; }        ///< K
    Index columns() const { return columns_; }  ///< N

    /// out = start + A B, n x N, strides as those of Panels::multiply(): `start` is added last, with one rounding. The
    /// bits of a row depend on no other row, and `start` may be out itself.
    void multiply(const Strided<float>& a, const float* start, Index start_stride, float* out, Index out_stride) const;
    /// out = A B.
    void multiply(const Strided<float>& a, float* out, Index out_stride) const;

private:
    Index rows_ = 0, columns_ = 0;
    Arithmetic arithmetic_;
    std::vector<std::uint16_t, Eigen::aligned_allocator<std::uint16_t>> tiles_;
    std::vector<float> zeros_;
};

/// Rows of A that matrix units take at once, by all of N: callers that go on to work on a product take so many at a
/// time.
inline constexpr Index unit_rows_at_once = 32;

}  // namespace rfbench::products
