#pragma once
#include <cstddef>
#include <vector>

namespace rfbench::statistics {

/// y = intercept + slope x by least squares. Throws std::invalid_argument when the lengths differ, there are fewer than
/// two points, or all x are equal.
struct Line {
    double intercept, slope;
};
Line linear_fit(const std::vector<double>& x, const std::vector<double>& y);

/// b of the power law y = c x^b: the slope of log y against log x, x and y above 0. Throws as linear_fit does.
double exponent(const std::vector<double>& x, const std::vector<double>& y);

/// A mean of independent values with half the width of Student's confidence interval; NaN for fewer than two values.
struct Mean {
    double value, half_width;
    std::size_t count;
};
Mean mean_interval(const std::vector<double>& values, double level);

}  // namespace rfbench::statistics
