#include "rfbench/features/pair_statistics.hpp"

#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rfbench/text/number.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

void check_points(const char* name, const PointsView& points) {
    if (points.rows() == 0 || points.cols() == 0)
        throw std::invalid_argument(std::string("statistics: the set ") + name + " is empty (" +
                                    std::to_string(points.rows()) + " rows, " + std::to_string(points.cols()) +
                                    " columns)");
    for (Index i = 0; i < points.rows(); ++i)
        for (Index l = 0; l < points.cols(); ++l)
            if (!std::isfinite(points(i, l)))
                throw std::invalid_argument(std::string("statistics: the set ") + name + " has " +
                                            shortest_text(points(i, l)) + " at row " + std::to_string(i) + ", column " +
                                            std::to_string(l) + "; every coordinate must be finite");
}

/// Terms that Poisson laws of mean up to `largest` need before the rest is below 1e-18 of the whole.
Index poisson_terms(double largest) { return static_cast<Index>(largest + 10 * std::sqrt(largest) + 24); }

/// log E Poisson(k; x^2) for k < terms. Every term counts, however small beside that of another k: the root of a
/// product with the moments of another set may have its mass there.
Vector log_poisson_moments(const Eigen::Ref<const Vector>& column, Index terms,
                           const std::vector<double>& log_factorial) {
    std::map<double, double> counts;  // equal squares add at once
    for (const double x : column) ++counts[x * x];
    std::vector<double> square, log_square, count;
    for (const auto& [q, n] : counts) {
        square.push_back(q);
        // 0 has a finite logarithm, too: its mass is at k = 0, and next to nothing at other k.
        log_square.push_back(std::log(std::max(q, 1e-300)));
        count.push_back(n);
    }
    const double rows = static_cast<double>(column.size()), negligible = 42 + std::log(rows);
    Vector moments(terms);
    std::size_t peak = 0;
    for (Index k = 0; k < terms; ++k) {
        const double order = static_cast<double>(k);
        const auto log_term = [&](std::size_t i) { return (k == 0 ? 0 : order * log_square[i]) - square[i]; };
        // Terms rise with the square up to that next to k and fall beyond, and a larger k has no smaller one.
        while (peak + 1 < square.size() && log_term(peak + 1) >= log_term(peak)) ++peak;
        const double high = log_term(peak);
        std::size_t first = peak, last = peak;
        while (first > 0 && log_term(first - 1) > high - negligible) --first;
        while (last + 1 < square.size() && log_term(last + 1) > high - negligible) ++last;
        double sum = 0;
        for (std::size_t i = first; i <= last; ++i) sum += count[i] * std::exp(log_term(i) - high);
        moments[k] = high - log_factorial[static_cast<std::size_t>(k)] + std::log(sum / rows);
    }
    return moments;
}

/// Poisson moments of a coordinate x take about x^2 terms: memory ends before numbers do.
constexpr double max_coordinate = 1e4;

/// Largest |x_l| of every coordinate. Throws std::invalid_argument where Poisson moments would take too many terms.
Vector largest_coordinates(const PointsView& points) {
    const Vector largest = points.cwiseAbs().colwise().maxCoeff().transpose();
    if (largest.maxCoeff() > max_coordinate)
        throw std::invalid_argument((std::ostringstream{}
                                     << "statistics: a coordinate has the size " << largest.maxCoeff()
                                     << "; Poisson moments, whose terms are as many as its square, "
                                        "are formed up to "
                                     << max_coordinate << ": scale the points")
                                        .str());
    return largest;
}

/// Poisson moments of both sets, as far as the root of their product has mass: it is a mixture of Poisson laws of means
/// |x_l y_l|.
void add_poisson_moments(const PointsView& x, const PointsView& y, bool same, SetStatistics& of_x,
                         SetStatistics& of_y) {
    const Vector largest = largest_coordinates(x).cwiseProduct(largest_coordinates(y));
    std::vector<double> log_factorial;
    for (Index k = poisson_terms(largest.maxCoeff()); k > 0; --k)
        log_factorial.push_back(theory::log_gamma(static_cast<double>(log_factorial.size() + 1)));
    for (Index l = 0; l < x.cols(); ++l) {
        const Index terms = poisson_terms(largest[l]);
        of_x.log_poisson_moments.push_back(log_poisson_moments(x.col(l), terms, log_factorial));
        if (!same) of_y.log_poisson_moments.push_back(log_poisson_moments(y.col(l), terms, log_factorial));
    }
    if (same) of_y.log_poisson_moments = of_x.log_poisson_moments;
}

SetStatistics set_statistics(const PointsView& points) {
    SetStatistics result;
    const double n = static_cast<double>(points.rows());
    result.rows = points.rows();
    result.mean = points.colwise().sum().transpose() / n;
    result.mean_absolute = points.cwiseAbs().colwise().sum().transpose() / n;
    result.minimum = points.colwise().minCoeff().transpose();
    result.second_moment = points.transpose() * points / n;
    return result;
}

}  // namespace

double SetStatistics::mean_square_norm() const { return second_moment.trace(); }

Eigen::MatrixXd SetStatistics::covariance() const { return second_moment - mean * mean.transpose(); }

double Statistics::mean_square_sum(double t) const {
    return x.mean_square_norm() + 2 * t * x.mean.dot(y.mean) + y.mean_square_norm();
}

double Statistics::mean_product_square() const { return x.second_moment.diagonal().dot(y.second_moment.diagonal()); }

Vector Statistics::mean_absolute_product() const { return x.mean_absolute.cwiseProduct(y.mean_absolute); }

Statistics statistics(const PointsView& x, const PointsView& y, PoissonMoments poisson) {
    check_points("x", x);
    check_points("y", y);
    if (x.cols() != y.cols())
        throw std::invalid_argument("statistics: x has " + std::to_string(x.cols()) + " columns, y has " +
                                    std::to_string(y.cols()) + "; both must have the same dimension");
    SetStatistics of_x = set_statistics(x);
    // A set that is given twice is gone through once.
    const bool same = x.data() == y.data() && x.rows() == y.rows() && x.outerStride() == y.outerStride();
    SetStatistics of_y = same ? of_x : set_statistics(y);
    if (poisson == PoissonMoments::computed) add_poisson_moments(x, y, same, of_x, of_y);
    return {std::move(of_x), std::move(of_y)};
}

}  // namespace rfbench::features
