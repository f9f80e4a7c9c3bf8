#pragma once
#include <algorithm>
#include <vector>

#include "rfbench/attention/inputs.hpp"

namespace rfbench::attention {

/// Positions, among all keys, of those that are not padding.
class KeyPositions {
public:
    template <class Scalar>
    explicit KeyPositions(const Inputs<Scalar>& in) : length_(in.keys.rows()) {
        for (Index j = 0; j < length_; ++j)
            if (in.keeps(j)) positions_.push_back(j);
    }

    Index count() const { return static_cast<Index>(positions_.size()); }
    bool all() const { return count() == length_; }
    Index operator[](Index kept) const { return positions_[static_cast<std::size_t>(kept)]; }

    /// How many of the kept keys query i sees.
    Index seen(Index i, Visible visible) const {
        if (visible == Visible::all) return count();
        return std::upper_bound(positions_.begin(), positions_.end(), i) - positions_.begin();
    }

    /// Rows of the kept keys first .. first + n - 1.
    template <class Scalar>
    Rows<Scalar> rows(const RowsView<Scalar>& all, Index first, Index n) const {
        Rows<Scalar> own(n, all.cols());
        for (Index j = 0; j < n; ++j) own.row(j) = all.row((*this)[first + j]);
        return own;
    }

private:
    Index length_;
    std::vector<Index> positions_;
};

}  // namespace rfbench::attention
