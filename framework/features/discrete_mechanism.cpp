#include "rfbench/features/discrete_mechanism.hpp"

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/features/discrete_map.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// log(x^2k e^{-x^2} / k!) - log(p_k) / 2 for every row and k < terms: the factors of the series, half the law in each.
Points log_factors(const DiscreteMechanism& law, Index l, const Eigen::Ref<const Vector>& column, Index terms) {
    Points result(column.size(), terms);
    for (Index k = 0; k < terms; ++k) {
        const double order = static_cast<double>(k);
        const double constant = -theory::log_gamma(order + 1) - 0.5 * law.log_probability(l, order);
        for (Index i = 0; i < column.size(); ++i) {
            const double power = k == 0 ? 0 : 2 * order * std::log(std::max(std::abs(column[i]), 1e-150));
            result(i, k) = power - column[i] * column[i] + constant;
        }
    }
    return result;
}

/// Terms after which the series for coordinates up to x and y is exhausted; at most `most`, reached when it is not.
Index series_terms(const DiscreteMechanism& law, Index l, double x, double y, Index most) {
    if (x * y == 0) return 1;
    const double log_square = 2 * std::log(x * y);
    double log_term = -law.log_probability(l, 0);
    double highest = log_term;
    for (Index k = 1; k < most; ++k) {
        const double order = static_cast<double>(k);
        const double next = order * log_square - 2 * theory::log_gamma(order + 1) - law.log_probability(l, order);
        highest = std::max(highest, next);
        if (next < log_term && next < highest - 42) return k + 1;
        log_term = next;
    }
    return most;
}

constexpr Index most_terms = 400;
constexpr double longest_square = 200;  // of a coordinate: exp(-200) is far from underflow
constexpr double largest_log = 300;     // of a factor of the series

}  // namespace

std::unique_ptr<FeatureMap> DiscreteMechanism::map(const Draw& draw) const {
    Vector bias = Vector::Zero(draw.omega.cols());
    for (Index m = 0; m < draw.omega.cols(); ++m)
        for (Index l = 0; l < draw.omega.rows(); ++l) {
            const double k = draw.omega(l, m);
            bias[m] -= 0.5 * (theory::log_gamma(k + 1) + log_probability(l, k));
        }
    return discrete_map(draw.omega, bias);
}

Moments DiscreteMechanism::moments(const Pair& pair) const {
    double excess = 0;
    for (Index l = 0; l < pair.dimension; ++l) excess += log_excess(l, pair.x[l], pair.y[l]);
    const double log_variance =
        excess > 0 ? log_expm1(excess) - pair.minus : -std::numeric_limits<double>::infinity();
    return {pair.log_kernel(), excess - pair.minus, log_variance};
}

void DiscreteMechanism::log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const {
    // Products of eight coordinates stay far from the ends of double's range.
    constexpr Index coordinates_a_log = 8;
    Points product = Points::Ones(x.rows(), y.rows());
    Points log_second = Points::Zero(x.rows(), y.rows());
    for (Index l = 0; l < x.cols(); ++l) {
        const double x_most = x.col(l).cwiseAbs().maxCoeff();
        const double y_most = y.col(l).cwiseAbs().maxCoeff();
        const Index terms = series_terms(*this, l, x_most, y_most, most_terms);
        const double longest = std::max(x_most, y_most);
        if (terms == most_terms || longest * longest > longest_square)
            return Mechanism::log_variances(x, y, out);
        const Points a = log_factors(*this, l, x.col(l), terms);
        const Points b = log_factors(*this, l, y.col(l), terms);
        if (a.maxCoeff() > largest_log || b.maxCoeff() > largest_log) return Mechanism::log_variances(x, y, out);
        // One coordinate: between exp(-2 * 200) and exp(2 * 300), so a log is due before products of eight of extreme size.
        const Points sums = a.array().exp().matrix() * b.array().exp().matrix().transpose();
        const bool extreme = longest * longest > 20 || a.maxCoeff() + b.maxCoeff() > 80;
        if (extreme) {
            log_second.array() += sums.array().log();
        } else {
            product.array() *= sums.array();
            if (l % coordinates_a_log == coordinates_a_log - 1) {
                log_second.array() += product.array().log();
                product.setOnes();
            }
        }
    }
    log_second.array() += product.array().log();
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) {
            const double minus = (x.row(i) - y.row(j)).squaredNorm();
            const double excess = log_second(i, j) + minus;
            // The difference of logs has lost its digits: coordinate by coordinate it has not.
            out(i, j) = excess < 1e-3 ? moments(Pair(x.row(i).data(), y.row(j).data(), x.cols())).log_variance
                                      : log_expm1(excess) - minus;
        }
}

double log_expm1(double excess) {
    return excess > 1 ? excess + std::log1p(-std::exp(-excess)) : std::log(std::expm1(excess));
}

double log1m_remainder(double z) {
    if (z > 0.1) return -std::log1p(-z) - z;
    double sum = 0;
    double power = z * z;
    for (int k = 2; power / k > 1e-18 * sum; ++k, power *= z) sum += power / k;
    return sum;
}

double minimise(const std::function<double(double)>& f) {
    return boost::math::tools::brent_find_minima(f, -80.0, 80.0, std::numeric_limits<double>::digits / 2).first;
}

std::optional<double> setting_between(const Settings& settings, const char* mechanism, std::string_view name, double low,
                                      double high) {
    const auto found = settings.find(name);
    if (found == settings.end()) return {};
    const double value = std::get<double>(found->second);
    if (value > low && value < high) return value;
    const std::string range = std::isinf(high) ? "above " + std::to_string(low)
                                               : "between " + std::to_string(low) + " and " + std::to_string(high);
    throw std::invalid_argument(std::string(mechanism) + ": " + std::string(name) + " = " + std::to_string(value) +
                                "; it must lie " + range);
}

}  // namespace rfbench::features
