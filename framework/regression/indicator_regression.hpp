#pragma once
// A linear classifier: classes by a linear map of rows, without features or attention.
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::regression {

/// Least squares of the classes' indicators on rows and a constant (Hastie, Tibshirani and Friedman 2009, section 4.2),
/// from sums over rows that are added in blocks: memory is that of (d + 1) x (d + 1).
class IndicatorRegression {
public:
    IndicatorRegression(Index columns, int classes);

    /// Adds n rows, n x d, with their classes, 0 .. classes - 1. Throws std::invalid_argument for other shapes or
    /// classes.
    void add(const Points& rows, const std::vector<int>& classes);

    /// B, (d + 1) x classes, the last row being the constant: the least of sum |y - B' (x, 1)|^2 + ridge n |B|^2, the
    /// constant aside. Throws std::invalid_argument where no rows were added, or for a ridge that is not above zero.
    Points fit(double ridge) const;

private:
    Eigen::MatrixXd gram_, products_;
};

/// The class with the largest output B' (x, 1) of each row; of equal ones the first.
std::vector<int> largest_outputs(const Points& map, const Points& rows);

}  // namespace rfbench::regression
