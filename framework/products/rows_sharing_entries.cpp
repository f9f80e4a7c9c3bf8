#include "rfbench/products/rows_sharing_entries.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rfbench::products {
namespace {

/// Rows of a group after its first: those that are kept as differences to it.
constexpr Index others = rows_at_once - 1;

/// Maximum number of columns for which a full product takes no longer than one of differences.
constexpr Index too_few = rows_at_once;

/// Bound on the differences within a group. Beyond it, as with an entry that stands for infinity, the other entries of
/// the row would be lost to rounding.
constexpr double too_large = 1e15;

}  // namespace

template <class Scalar>
RowsSharingEntries<Scalar>::RowsSharingEntries(Rows<Scalar> rows)
    : rows_(std::move(rows)), squared_lengths_(rows_.template cast<double>().rowwise().squaredNorm()) {
    // Two levels: within each group its rows as differences to its first; within a period, if all its groups are alike,
    // the groups' first rows as differences to the first of all. Rows that do not fill a group are multiplied as they
    // are.
    for (Index first = 0; first + rows_at_once <= size(); first += rows_at_once)
        groups_.push_back(differences(first, 1));
    for (Index first = 0; first + period <= size(); first += period) {
        const auto own = groups_.begin() + first / rows_at_once;
        const bool all = std::all_of(own, own + rows_at_once, [](const Differences& group) { return group.few; });
        periods_.push_back(all ? differences(first, rows_at_once) : Differences{});
    }
}

template <class Scalar>
Strided<Scalar> RowsSharingEntries<Scalar>::view(Index first, Index n, Index step) const {
    return {rows_.data() + first * rows_.cols(), n, rows_.cols(), step * rows_.cols(), 1};
}

template <class Scalar>
typename RowsSharingEntries<Scalar>::Differences RowsSharingEntries<Scalar>::differences(Index first, Index step) {
    Differences result{rows_.cols() > too_few, columns_.size(), values_.size(), 0};
    const Scalar* const base = rows_.data() + first * rows_.cols();
    const Index stride = step * rows_.cols();
    for (Index k = 0; k < rows_.cols(); ++k) {
        // A column in which all rows agree is not kept: the first row's product has its part already.
        Scalar largest = 0;
        for (Index r = 1; r <= others; ++r) largest = std::max(largest, std::abs(base[r * stride + k] - base[k]));
        if (largest == 0) continue;
        result.few &= static_cast<double>(largest) < too_large;
        columns_.push_back(k);
        for (Index r = 1; r <= others; ++r) values_.push_back(base[r * stride + k] - base[k]);
        ++result.size;
    }
    // Too many columns differ: what was written is taken back, and the group is multiplied as it is.
    result.few &= 2 * result.size <= rows_.cols();
    if (result.few) return result;
    columns_.resize(result.columns);
    values_.resize(result.values);
    return {};
}

template <class Scalar>
void RowsSharingEntries<Scalar>::add(const Differences& of, const Panels<Scalar>& b, Scalar* out,
                                     Index out_stride) const {
    b.template add_rows<others>({values_.data() + of.values, others, of.size, 1, others}, columns_.data() + of.columns,
                                out, out + out_stride, out_stride);
}

template <class Scalar>
bool RowsSharingEntries<Scalar>::alike_group(Index first, Index left) const {
    return left >= rows_at_once && groups_[static_cast<std::size_t>(first / rows_at_once)].few;
}

template <class Scalar>
void RowsSharingEntries<Scalar>::multiply(const Panels<Scalar>& b, Index first, Index n, const Scalar* start,
                                          Scalar* out, Index out_stride) const {
    const auto group = [&](Index row) -> const Differences& {
        return groups_[static_cast<std::size_t>(row / rows_at_once)];
    };
    for (const Index end = first + n; first < end;) {
        const Index left = end - first;
        Index own = std::min(left, rows_at_once);
        if (left >= period && first % period == 0 && periods_[static_cast<std::size_t>(first / period)].few) {
            // The period's first row is multiplied; from it come the groups' first rows, rows_at_once apart in `out`,
            // and from each of these its group.
            own = period;
            b.multiply(view(first, 1, 1), start, 0, out, out_stride);
            add(periods_[static_cast<std::size_t>(first / period)], b, out, rows_at_once * out_stride);
            for (Index r = 0; r < period; r += rows_at_once) add(group(first + r), b, out + r * out_stride, out_stride);
        } else if (alike_group(first, left)) {
            b.multiply(view(first, 1, 1), start, 0, out, out_stride);
            add(group(first), b, out, out_stride);
        } else {
            // Nothing to share: one product of all rows up to the next group that is alike.
            while (own < left && !alike_group(first + own, left - own)) own = std::min(left, own + rows_at_once);
            b.multiply(view(first, own, 1), start, 0, out, out_stride);
        }
        first += own;
        out += own * out_stride;
    }
}

template class RowsSharingEntries<float>;
template class RowsSharingEntries<double>;

}  // namespace rfbench::products
