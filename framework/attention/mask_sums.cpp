#include "rfbench/attention/mask_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {
namespace {

/// Columns c and c + 1 as real and imaginary parts, zeros after the last one. Each is over the power of two of its
/// largest entry, since a transform's errors are as large as the larger one's.
template <class Scalar>
struct ColumnPair {
    std::array<Scalar, 2> scales{1, 1};
    Eigen::Matrix<Scalar, Eigen::Dynamic, 2> entries;

    ColumnPair(const Rows<Scalar>& columns, Index first, Index before) : entries(columns.rows() - before, 2) {
        for (Index k = 0; k < 2; ++k) {
            if (first + k >= columns.cols()) {
                entries.col(k).setZero();
                continue;
            }
            const auto column = columns.col(first + k).tail(entries.rows());
            using Limits = std::numeric_limits<Scalar>;
            // A class token alone has no others.
            const Scalar largest = column.size() == 0 ? Scalar(0) : column.cwiseAbs().maxCoeff();
            int exponent = 0;
            // The power of two and its inverse must both be numbers.
            std::frexp(largest, &exponent);
            exponent = std::clamp(exponent, Limits::min_exponent, Limits::max_exponent - 1);
            scales[static_cast<std::size_t>(k)] = largest == 0 ? 0 : std::ldexp(Scalar(1), exponent);
            entries.col(k) = column * std::ldexp(Scalar(1), -exponent);
        }
    }
};

/// Adds the pairs with the class token, for all of which the mask is one weight.
template <class Scalar>
void add_class_token(Scalar weight, const TokenLines<Scalar>& left, const TokenLines<Scalar>& right,
                     const Column<Scalar>& weights, const Rows<Scalar>& columns, Rows<Scalar>& sums) {
    sums.row(0).setZero();
    for (Index j = 0; j < columns.rows(); ++j)
        sums.row(0) += weight * left.dot(0, right, j) * weights[j] * columns.row(j);
    for (Index i = 1; i < columns.rows(); ++i)
        sums.row(i) += weight * left.dot(i, right, 0) * weights[0] * columns.row(0);
}

}  // namespace

template <class Scalar>
TokenLines<Scalar>::TokenLines(const ToeplitzMask& mask, const MaskProduct<Scalar>& product, Index columns)
    : groups_((columns + lanes - 1) / lanes),
      size_(product.size()),
      before_(mask.before()),
      lines_(static_cast<std::size_t>(groups_ * size_)),
      class_token_(static_cast<std::size_t>(before_ * groups_)) {
    for (Index token = before_; token < mask.length(); ++token) places_.push_back(product.place(token - before_));
}

template <class Scalar>
TokenLines<Scalar>::TokenLines(const ToeplitzMask& mask, const MaskProduct<Scalar>& product, const Rows<Scalar>& rows)
    : TokenLines(mask, product, rows.cols()) {
    set(0, rows);
}

template <class Scalar>
const typename TokenLines<Scalar>::Factors& TokenLines<Scalar>::at(Index group, Index token) const {
    return token < before_ ? class_token_[static_cast<std::size_t>(group)]
                           : lines_[static_cast<std::size_t>(group * size_ + places_[token - before_])];
}

template <class Scalar>
void TokenLines<Scalar>::set(Index first, const Rows<Scalar>& rows) {
    // Column m is lane m % lanes of group m / lanes.
    for (Index i = 0; i < rows.rows(); ++i)
        for (Index m = 0; m < rows.cols(); ++m)
            const_cast<Factors&>(at(m / lanes, first + i)).values[m % lanes] = rows(i, m);
}

template <class Scalar>
Scalar TokenLines<Scalar>::dot(Index i, const TokenLines& others, Index j) const {
    transforms::Lanes<Scalar> products{};
    for (Index group = 0; group < groups_; ++group) products += at(group, i).values * others.at(group, j).values;
    return transforms::sum_of_lanes<Scalar>({products, products}).real();
}

template <class Scalar>
void mask_sums(const ToeplitzMask& mask, const MaskProduct<Scalar>& product, const TokenLines<Scalar>& left,
               const TokenLines<Scalar>& right, const Column<Scalar>& weights, const Rows<Scalar>& columns,
               Rows<Scalar>& sums) {
    const Index before = mask.before(), count = mask.length() - before;
    sums.resize(mask.length(), columns.cols());
    std::vector<Index> places;
    for (Index token = 0; token < count; ++token) places.push_back(product.place(token));
    using Line = Eigen::Array<std::complex<Scalar>, Eigen::Dynamic, 1>;
    struct Own {
        typename MaskProduct<Scalar>::Workspace workspace;
        Line line, twisted, sum, result;
    };
    const auto make = [&] {
        return Own{typename MaskProduct<Scalar>::Workspace(product), Line::Zero(product.size()), Line(),
                   Line(product.size()), Line()};
    };
    // Two columns a turn; lines in their order.
    parallel::Loop((columns.cols() + 1) / 2, parallel::Share::in_order).run(make, [&](Own& own, Index turn) {
        const Index c = 2 * turn;
        // Columns over their powers of two, with the weights: so lines are the same for all columns.
        const ColumnPair<Scalar> pair(columns, c, before);
        for (Index j = 0; j < count; ++j) {
            const Scalar weight = weights[before + j];
            own.line[places[j]] = {weight * pair.entries(j, 0), weight * pair.entries(j, 1)};
        }
        own.result.setZero(product.size());
        for (Index part = 0; part < product.parts(); ++part) {
            // T as the sum of its parts, D_p^* F^-1 S_p F D_p.
            const Eigen::Map<const Line> twist(product.twist(part), product.size());
            own.twisted = twist * own.line;
            product.multiply(part, own.workspace, left.groups(), left.lines(), right.lines(), own.twisted.data(),
                             own.sum.data());
            own.result += twist.conjugate() * own.sum;
        }
        for (Index i = 0; i < count; ++i) {
            const std::complex<Scalar> entry = own.result[places[i]];
            sums(before + i, c) = entry.real() * pair.scales[0];
            if (c + 1 < columns.cols()) sums(before + i, c + 1) = entry.imag() * pair.scales[1];
        }
    });
    if (mask.class_token())
        add_class_token(static_cast<Scalar>(*mask.class_token()), left, right, weights, columns, sums);
}

template class TokenLines<float>;
template class TokenLines<double>;
template void mask_sums(const ToeplitzMask&, const MaskProduct<float>&, const TokenLines<float>&,
                        const TokenLines<float>&, const Column<float>&, const Rows<float>&, Rows<float>&);
template void mask_sums(const ToeplitzMask&, const MaskProduct<double>&, const TokenLines<double>&,
                        const TokenLines<double>&, const Column<double>&, const Rows<double>&, Rows<double>&);

}  // namespace rfbench::attention
