#pragma once
#include <vector>

#include "rfbench/attention/mask_product.hpp"

namespace rfbench::attention {

/// Columns of tokens, as features are, in lines of a mask's products: as many beside each other as are multiplied at
/// once, the last ones filled up with zeros. A class token, which lies on no grid, is kept apart.
template <class Scalar>
class TokenLines {
public:
    /// `columns` of zeros.
    TokenLines(const ToeplitzMask&, const MaskProduct<Scalar>&, Index columns);
    /// All tokens' rows at once.
    TokenLines(const ToeplitzMask&, const MaskProduct<Scalar>&, const Rows<Scalar>& rows);

    /// Rows of tokens first, first + 1, ...; different rows may be set by several threads.
    void set(Index first, const Rows<Scalar>& rows);

    using Factors = transforms::RealLanes<Scalar>;
    Index groups() const { return groups_; }
    const Factors* lines() const { return lines_.data(); }  ///< one group after the other
    /// Row i of these times row j of others with as many columns.
    Scalar dot(Index i, const TokenLines& others, Index j) const;

private:
    const Factors& at(Index group, Index token) const;

    static constexpr Index lanes = transforms::lanes<Scalar>;
    Index groups_, size_, before_;  // entries of a line; tokens that are on none
    std::vector<Index> places_;
    std::vector<Factors> lines_, class_token_;
};

/// sums_ic = sum_j mask(i, j) (left_i . right_j) weight_j columns_jc, the lines being those of `mask` and `product` its
/// product. Errors are ulps of the largest tokens, of each column by itself. Pairs of columns run on the threads of the
/// surrounding OpenMP settings; the bits do not depend on their number.
template <class Scalar>
void mask_sums(const ToeplitzMask& mask, const MaskProduct<Scalar>& product, const TokenLines<Scalar>& left,
               const TokenLines<Scalar>& right, const Column<Scalar>& weights, const Rows<Scalar>& columns,
               Rows<Scalar>& sums);

extern template class TokenLines<float>;
extern template class TokenLines<double>;

}  // namespace rfbench::attention
