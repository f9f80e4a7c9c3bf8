#include "rfbench/attention/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {
namespace {

template <class Matrix>
std::string shape(const Matrix& rows) {
    return std::to_string(rows.rows()) + " x " + std::to_string(rows.cols());
}

}  // namespace

template <class Scalar>
void check_finite(const std::string& subject, const RowsView<Scalar>& rows) {
    // 0 x is zero for every finite x and NaN for the others: a sum of vectors says whether there is something to find.
    constexpr Index block = 64;
    const Scalar sum =
        parallel::Loop((rows.rows() + block - 1) / block, parallel::Share::evenly).run([&](Index number) {
            const Index first = number * block;
            return (Scalar(0) * rows.middleRows(first, std::min(block, rows.rows() - first))).sum();
        });
    if (sum == 0) return;
    for (Index i = 0; i < rows.rows(); ++i)
        for (Index j = 0; j < rows.cols(); ++j)
            if (!std::isfinite(rows(i, j)))
                throw NotFinite(subject + " " + std::to_string(rows(i, j)) + " at row " + std::to_string(i) +
                                ", column " + std::to_string(j) + "; all entries must be finite");
}

template <class Scalar>
Scalar max_magnitude(const RowsView<Scalar>& rows) {
    /// The greater of both, in place of a sum.
    struct Maximum {
        Scalar value = 0;
        Maximum& operator+=(Maximum other) {
            value = std::max(value, other.value);
            return *this;
        }
    };
    if (rows.cols() == 0) return 0;
    constexpr Index block = 64;
    const auto of_block = [&](Index number) {
        const Index first = number * block;
        return Maximum{rows.middleRows(first, std::min(block, rows.rows() - first)).cwiseAbs().maxCoeff()};
    };
    return parallel::Loop((rows.rows() + block - 1) / block, parallel::Share::evenly).run(of_block).value;
}

template <class Scalar>
bool sums_fit(Index count, double a, double b) {
    // In double a product beyond its range is infinite, and does not fit.
    constexpr double largest = std::numeric_limits<Scalar>::max();
    return a <= largest && b <= largest && static_cast<double>(count) * a * b <= largest;
}

template <class Scalar>
void check_scores(Index dimension, Scalar query, Scalar key) {
    if (sums_fit<Scalar>(dimension, static_cast<double>(query), static_cast<double>(key))) return;
    const auto bound = [](Scalar entry) { return "2^" + std::to_string(std::ilogb(entry) + 1); };
    throw NotFinite("attention: queries have entries of nearly " + bound(query) + " and keys of nearly " + bound(key) +
                    "; sums of " + std::to_string(dimension) + " products of such may pass 2^" +
                    std::to_string(std::numeric_limits<Scalar>::max_exponent) + ", where the numbers end");
}

template <class Scalar>
void check_scores(const Inputs<Scalar>& in) {
    const Scalar query = max_magnitude(in.queries);
    Scalar key = in.kept.empty() ? max_magnitude(in.keys) : Scalar(0);
    for (Index j = 0; !in.kept.empty() && j < in.keys.rows(); ++j)
        if (in.keeps(j)) key = std::max(key, in.keys.row(j).cwiseAbs().maxCoeff());
    check_scores(in.queries.cols(), query, key);
}

template <class Scalar>
void check_apart(const std::string& which, const RowsView<Scalar>& rows, const Rows<Scalar>& out) {
    if (rows.size() == 0 || out.size() == 0) return;
    const Scalar* const end = rows.data() + (rows.rows() - 1) * rows.outerStride() + rows.cols();
    // The operator < says nothing about pointers into different memory; std::less orders them all.
    const std::less<const Scalar*> before;
    if (before(out.data(), end) && before(rows.data(), out.data() + out.size()))
        throw std::invalid_argument("attention: the output lies over the " + which + "; it needs memory of its own");
}

template <class Scalar>
void check(const Inputs<Scalar>& in, Visible visible) {
    if (in.queries.cols() == 0) throw std::invalid_argument("attention: queries have no columns; d must be positive");
    if (in.keys.cols() != in.queries.cols())
        throw std::invalid_argument("attention: keys are " + shape(in.keys) + " and queries " + shape(in.queries) +
                                    "; both need the same number of columns");
    if (in.values.rows() != in.keys.rows())
        throw std::invalid_argument("attention: values are " + shape(in.values) + " and keys " + shape(in.keys) +
                                    "; there must be one value a key");
    if (visible == Visible::causal && in.queries.rows() != in.keys.rows())
        throw std::invalid_argument("attention: causal attention needs as many queries as keys, given " +
                                    std::to_string(in.queries.rows()) + " and " + std::to_string(in.keys.rows()));
    if (!in.kept.empty() && static_cast<Index>(in.kept.size()) != in.keys.rows())
        throw std::invalid_argument("attention: the padding mask has " + std::to_string(in.kept.size()) +
                                    " entries for " + std::to_string(in.keys.rows()) + " keys");
    check_finite("attention: queries have", in.queries);
    check_finite("attention: keys have", in.keys);
    check_finite("attention: values have", in.values);
}

template <class Scalar>
void check(const Inputs<Scalar>& in, Visible visible, const Rows<Scalar>& out) {
    check(in, visible);
    check_apart("queries", in.queries, out);
    check_apart("keys", in.keys, out);
    check_apart("values", in.values, out);
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template void check(const Inputs<Scalar>&, Visible);                                                               \
    template void check(const Inputs<Scalar>&, Visible, const Rows<Scalar>&);                                          \
    template void check_finite(const std::string&, const RowsView<Scalar>&);                                           \
    template Scalar max_magnitude(const RowsView<Scalar>&);                                                            \
    template void check_scores(const Inputs<Scalar>&);                                                                 \
    template bool sums_fit<Scalar>(Index, double, double);                                                             \
    template void check_scores(Index, Scalar, Scalar);                                                                 \
    template void check_apart(const std::string&, const RowsView<Scalar>&, const Rows<Scalar>&);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
