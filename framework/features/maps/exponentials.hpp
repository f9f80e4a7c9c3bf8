#pragma once
// Exponentials of rows: in float by vector instructions, in double by Eigen.
#include <type_traits>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// Results are written as all else is, or past the caches, for results that these do not hold. finish_streams() must
/// follow before another thread reads what was streamed.
enum class Store { cached, streamed };

/// out[j] = exp(x[j] - shift), j < n; out may be x. The exponential of the rounded difference has an error below 1.25
/// units in the last place, those of subnormal results included, and is 1 at 0; it overflows to infinity, ends in zero
/// and keeps NaN as std::exp does. The bits of an entry depend on no other and not on its place.
void exponentials(const float* x, Index n, float shift, float* out, Store = Store::cached);
/// The same, and their sum, whose order depends on n alone.
float sum_exponentials(const float* x, Index n, float shift, float* out);
/// The largest of n numbers, none of them NaN; -infinity of none.
float largest(const float* x, Index n);
void finish_streams();

/// Whether a row's exponentials are those above; they are Eigen's otherwise. Entries of rows are next to each other.
template <class Row>
constexpr bool in_float = std::is_same_v<typename Row::Scalar, float>;

/// The largest entry of a row of an array.
template <class Row>
auto largest(const Row& row) {
    static_assert(Row::InnerStrideAtCompileTime == 1);
    if constexpr (in_float<Row>)
        return largest(row.data(), row.size());
    else
        return row.maxCoeff();
}

/// to = exp(from - shift), `to` another row or the same.
template <class From, class To>
void exponentiate(const From& from, typename From::Scalar shift, To&& to, Store how = Store::cached) {
    if constexpr (in_float<From>)
        exponentials(from.data(), from.size(), shift, to.data(), how);
    else
        to = (from - shift).exp();
}

/// row = exp(row - shift). Returns the sum of the row.
template <class Row>
auto sum_exponentiated(Row&& row, typename std::decay_t<Row>::Scalar shift) {
    if constexpr (in_float<std::decay_t<Row>>) {
        return sum_exponentials(row.data(), row.size(), shift, row.data());
    } else {
        row = (row - shift).exp();
        return row.sum();
    }
}

}  // namespace rfbench::features
