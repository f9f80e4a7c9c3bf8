#include "rfbench/statistics/linear_fit.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::statistics {

Line linear_fit(const std::vector<double>& x, const std::vector<double>& y) {
    if (x.size() != y.size() || x.size() < 2)
        throw std::invalid_argument("linear_fit: " + std::to_string(x.size()) + " x and " + std::to_string(y.size()) +
                                    " y; at least two pairs are needed");
    RunningMoments in_x, in_y;
    for (const double value : x) in_x.add(value);
    for (const double value : y) in_y.add(value);
    // About the means: sums of plain products would cancel where points are far from the origin.
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        products += (x[i] - in_x.mean()) * (y[i] - in_y.mean());
        squares += (x[i] - in_x.mean()) * (x[i] - in_x.mean());
    }
    if (!(squares > 0)) throw std::invalid_argument("linear_fit: all x are equal, which leaves the slope open");
    const double slope = products / squares;
    return {in_y.mean() - slope * in_x.mean(), slope};
}

double exponent(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> log_x, log_y;
    for (const double value : x) log_x.push_back(std::log(value));
    for (const double value : y) log_y.push_back(std::log(value));
    return linear_fit(log_x, log_y).slope;
}

Mean mean_interval(const std::vector<double>& values, double level) {
    RunningMoments moments;
    for (const double value : values) moments.add(value);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (values.size() < 2) return {values.empty() ? unknown : values.front(), unknown, values.size()};
    return {moments.mean(), student_quantile(moments.count(), level) * moments.standard_error(), values.size()};
}

}  // namespace rfbench::statistics
