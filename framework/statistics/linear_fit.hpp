#pragma once
#include <cstddef>
#include <vector>

#include "rfbench/statistics/confidence.hpp"

namespace rfbench::statistics {

/// y = intercept + slope x.
struct Line {
    double intercept, slope;  ///< in units of y, and of y over x
};
/// By least squares. Throws std::invalid_argument when the lengths differ, there are fewer than two points, or all x
/// are equal.
Line linear_fit(const std::vector<double>& x, const std::vector<double>& y);

/// b of the power law y = c x^b: the slope of log y against log x, x and y above 0. Throws as linear_fit does.
double exponent(const std::vector<double>& x, const std::vector<double>& y);

/// A mean of independent values and its confidence interval.
struct Mean {
    double value, half_width;  ///< of Student's interval; NaN for fewer than two values
    std::size_t count;         ///< of values
};
/// `level`: the probability with which the interval holds the mean of normal values.
Mean mean_interval(const std::vector<double>& values, double level = confidence);

}  // namespace rfbench::statistics
