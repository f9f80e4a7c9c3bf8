#pragma once
#include "rfbench/features/feature_map.hpp"
#include "rfbench/products/rows_sharing_entries.hpp"

namespace rfbench::features {

/// Features that take less time for rows which share entries with those before: FeatureMap::shared_entries().
class AlikeFeatures {
public:
    /// evaluate() of rows first .. first + n - 1, `first` being a multiple of RowsSharingEntries' period. Rounding
    /// errors may be shared with the rows before.
    virtual void evaluate_alike(Side side, const products::RowsSharingEntries<float>& rows, Index first, Index n,
                                FeatureBlock<float>& out) const = 0;

protected:
    ~AlikeFeatures() = default;
};

}  // namespace rfbench::features
