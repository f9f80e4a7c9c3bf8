#pragma once
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::attention {

/// Attention between kinds of symbols (Likhosherstov 2022, Figure 3.16): weights A_ij of sequences s, summed over the
/// pairs of tokens, i != j, of which the query is the symbol a and the key the symbol b,
///
///   S_ab = sum_s sum_ij A_ij(s) [s_i = a, s_j = b],   P_ab = sum_s sum_ij mean_t A_ij(t) [s_i = a, s_j = b].
///
/// P is what a head has that looks at places alone: S / P is above one where it prefers the symbol b to what else
/// stands at such places.
class SymbolWeights {
public:
    /// Symbols are 0 .. count - 1, of sequences of `length` tokens. Throws std::invalid_argument for less than one.
    SymbolWeights(Index count, Index length);

    /// One sequence and its weights, queries by keys; a negative symbol takes no part. Throws std::invalid_argument for
    /// other sizes, and for a symbol beyond the last.
    void add(const std::vector<int>& symbols, const Points& weights);

    const Points& sums() const { return sums_; }  ///< S
    Points by_place() const;                      ///< P; zeros where nothing was added

private:
    template <class Weight>
    void sum(const std::vector<int>& symbols, Points& into, const Weight&) const;

    Index count_, length_;
    Points sums_, total_;
    std::vector<std::vector<int>> sequences_;
};

/// How much more attention goes to pairs of different symbols of one kind than to pairs of two kinds, beyond what
/// places alone explain: (S / P over pairs a != b of one kind) / (S / P over pairs of two kinds), each a ratio of sums.
/// NaN where one of them has no pair with P > 0, or none of two kinds has attention. Throws std::invalid_argument where
/// sizes differ.
double alike_ratio(const Points& sums, const Points& by_place, const std::vector<int>& kinds);

}  // namespace rfbench::attention
