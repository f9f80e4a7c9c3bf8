#include "rfbench/statistics/running_moments.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/text/number.hpp"

namespace rfbench::statistics {

void RunningMoments::add(double value) {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    // Old and new distance have one sign: what is added is never negative, and nothing cancels.
    sum_of_squares_ += delta * (value - mean_);
}

void RunningMoments::merge(const RunningMoments& other) {
    if (other.count_ == 0) return;
    const double own = static_cast<double>(count_);
    const double theirs = static_cast<double>(other.count_);
    const double total = own + theirs;
    const double delta = other.mean_ - mean_;
    mean_ += delta * theirs / total;
    sum_of_squares_ += other.sum_of_squares_ + delta * delta * own * theirs / total;
    count_ += other.count_;
}

double RunningMoments::variance() const {
    if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
    return sum_of_squares_ / static_cast<double>(count_ - 1);
}

double RunningMoments::standard_deviation() const { return std::sqrt(variance()); }

double RunningMoments::standard_error() const { return std::sqrt(variance() / static_cast<double>(count_)); }

double student_quantile(std::uint64_t count, double level) {
    if (count < 2) throw std::invalid_argument("student_quantile: at least two values are needed");
    if (!(level > 0 && level < 1))
        throw std::invalid_argument("student_quantile: the level is " + shortest_text(level) +
                                    "; it must lie between 0 and 1");
    return boost::math::quantile(boost::math::students_t(static_cast<double>(count - 1)), 0.5 * (1 + level));
}

double family_wise_quantile(double error, std::uint64_t tests) {
    if (!(error > 0 && error < 1) || tests == 0)
        throw std::invalid_argument("family_wise_quantile: error must lie between 0 and 1, and tests be positive");
    // 1 - (1 - error)^(1 / tests), which would lose its digits where it is small.
    const double each = -std::expm1(std::log1p(-error) / static_cast<double>(tests));
    return boost::math::quantile(boost::math::complement(boost::math::normal(), 0.5 * each));
}

}  // namespace rfbench::statistics
