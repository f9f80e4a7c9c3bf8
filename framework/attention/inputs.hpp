#pragma once
// Inputs of attention, one head of one sequence: rows are tokens. Queries may be fewer or more than keys
// (cross-attention); keys may be left out (padding).
#include <span>
#include <string>

#include "rfbench/matrix.hpp"

namespace rfbench::attention {

/// One number a row.
template <class Scalar>
using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// No output may lie in the memory of these. Outputs are finite where 2 L' R max |v| is within the range of Scalar, for
/// R features, R = 1 in softmax attention; larger values are not refused, and sums of them may be infinite.
template <class Scalar>
struct Inputs {
    RowsView<Scalar> queries;                  ///< L x d
    RowsView<Scalar> keys;                     ///< L' x d
    RowsView<Scalar> values;                   ///< L' x e
    std::span<const unsigned char> kept = {};  ///< L' entries, 0 where a key is padding; empty: all are kept

    /// Whether this key is not padding.
    bool keeps(Index key) const { return kept.empty() || kept[static_cast<std::size_t>(key)] != 0; }
};

/// Tokens first .. first + n - 1 of as many queries as keys: views, no copies.
template <class Scalar>
Inputs<Scalar> part_of(const Inputs<Scalar>& in, Index first, Index n) {
    Inputs<Scalar> part{in.queries.middleRows(first, n), in.keys.middleRows(first, n), in.values.middleRows(first, n)};
    if (!in.kept.empty()) part.kept = in.kept.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
    return part;
}

/// all: every query sees every key. causal: query i sees keys 0 .. i; there are as many queries as keys.
enum class Visible { all, causal };

/// Throws std::invalid_argument naming the argument, its shape and what is allowed, shapes as above and d > 0, and
/// NotFinite naming the first row with a NaN or an infinity.
template <class Scalar>
void check(const Inputs<Scalar>&, Visible);

/// As check() does, and when the memory of `out` lies over that of an input, which is read while `out` is written.
template <class Scalar>
void check(const Inputs<Scalar>&, Visible, const Rows<Scalar>& out);

/// Throws NotFinite "<subject> nan at row 3, column 1; all entries must be finite", the subject being "keys have", say.
template <class Scalar>
void check_finite(const std::string& subject, const RowsView<Scalar>&);

/// Whether every sum of `count` products of numbers up to a and up to b stays within the range of Scalar, as do they.
template <class Scalar>
bool sums_fit(Index count, double a, double b);

/// The largest absolute entry of finite rows; 0 of none.
template <class Scalar>
Scalar max_magnitude(const RowsView<Scalar>& rows);

/// Throws NotFinite where a score q . k of finite entries, or a sum on the way to it, may leave the range of Scalar:
/// unless d max |q| max |k| stays within it, over the entries of all queries and of the keys that are kept.
template <class Scalar>
void check_scores(const Inputs<Scalar>&);

/// The same of queries and keys of d columns whose largest absolute entries are these.
template <class Scalar>
void check_scores(Index dimension, Scalar query, Scalar key);

/// Throws std::invalid_argument naming `which` when `out` and these rows share memory.
template <class Scalar>
void check_apart(const std::string& which, const RowsView<Scalar>&, const Rows<Scalar>& out);

/// Counts of output rows by what became of them.
struct Outcome {
    /// Rows whose denominator is not positive: where features are not positive, the estimated weights of a row may add
    /// up to nothing or less. Such rows are not mended: they hold the quotient, or zeros where the denominator is zero.
    Index nonpositive = 0;

    /// Counts of both.
    Outcome& operator+=(const Outcome& other) {
        nonpositive += other.nonpositive;
        return *this;
    }
};

}  // namespace rfbench::attention
