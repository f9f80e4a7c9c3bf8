#pragma once
// From a table to points: categories become numbers, columns are brought to one scale. What is learned about the scale
// is learned from training rows alone.
#include "rfbench/datasets/table.hpp"
#include "rfbench/matrix.hpp"

namespace rfbench::datasets {

enum class Encoding {
    one_hot,  ///< a category column becomes one 0/1 column for each of its categories
    ordinal,  ///< a category is its code 0, 1, ... in the declared order
};

/// n x d: number columns as they are, category columns encoded, in file order.
Points encode(const Table&, Encoding);

enum class Scaling {
    standardized,  ///< mean 0, standard deviation 1 over the training rows (divisor n)
    min_max,       ///< from 0 to 1 over the training rows
    raw,
};

/// x -> (x / magnitude - shift) / unit, column by column. A column that is constant over the training rows has unit 1.
struct Scale {
    Eigen::RowVectorXd magnitude;  ///< powers of two: columns of any size are scaled without overflow or underflow
    Eigen::RowVectorXd shift, unit;

    Points apply(const PointsView& rows) const;
};

/// Throws std::invalid_argument when there is no training row.
Scale fit_scale(const PointsView& training, Scaling);

}  // namespace rfbench::datasets
