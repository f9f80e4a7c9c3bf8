#pragma once
// Training rows in the order kernel regression adds them up: class after class, so that each class sum is one pass over
// contiguous rows, and in lexicographic order within, so that neighbours share what products need not form twice.
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::regression {

/// Rows and their classes, sorted.
struct ClassifiedRows {
    Points rows;                ///< n x d, class after class, in lexicographic order within a class
    std::vector<int> classes;   ///< the class of each part, most rows first; of equal ones, whose first row comes first
    std::vector<Index> starts;  ///< classes.size() + 1: part p is rows starts[p] .. starts[p + 1] - 1

    /// Classes that have a row.
    std::size_t parts() const { return classes.size(); }
    /// How many rows the class classes[part] has.
    Index rows_of(std::size_t part) const { return starts[part + 1] - starts[part]; }
};

/// Classes without a row have no part. The order of the parts is what breaks ties between scores; it does not depend on
/// how classes are numbered. Throws std::invalid_argument when sizes differ or there is no row.
ClassifiedRows by_class(const PointsView& rows, const std::vector<int>& classes);

/// Predictions for n rows: a class each, or `undecided` where no class has a score, because all features that the row
/// and the training rows share are zero.
struct Predictions {
    static constexpr int undecided = -1;  ///< in place of a class
    std::vector<int> classes;             ///< n

    /// Rows without a class.
    Index count_undecided() const;
    /// Share of rows predicted right; an undecided row is not.
    double accuracy(const std::vector<int>& truth) const;
};

}  // namespace rfbench::regression
