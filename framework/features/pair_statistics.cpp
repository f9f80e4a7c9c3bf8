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

/// log E Poisson(k; x^2) for k = 0, 1, ...; each number adds to the k near its square, and equal squares add at once.
Vector log_poisson_moments(const Eigen::Ref<const Vector>& column, const std::vector<double>& log_factorial) {
    std::map<double, double> counts;
    for (const double x : column) ++counts[x * x];
    const Index terms = poisson_terms(counts.rbegin()->first);
    Vector moments = Vector::Zero(terms);
    for (const auto& [square, count] : counts) {
        // 0 has a finite logarithm, too: its mass is at k = 0, and next to nothing at other k.
        const double log_square = std::log(std::max(square, 1e-300));
        // A Poisson law of this mean has nothing that counts farther out.
        const Index first = std::max(Index{0}, static_cast<Index>(square - 12 * std::sqrt(square)));
        const Index last = std::min(terms, poisson_terms(square));
        for (Index k = first; k < last; ++k) {
            const double order = static_cast<double>(k);
            const double power = k == 0 ? 0 : order * log_square;
            moments[k] += count * std::exp(power - square - log_factorial[static_cast<std::size_t>(k)]);
        }
    }
    return (moments.array() / static_cast<double>(column.size())).log();
}

/// Poisson moments of a coordinate x take about x^2 terms: memory ends before numbers do.
constexpr double max_coordinate = 1e4;

std::vector<Vector> log_poisson_moments(const PointsView& points) {
    const double largest = points.cwiseAbs().maxCoeff();
    if (largest > max_coordinate)
        throw std::invalid_argument((std::ostringstream{}
                                     << "statistics: a coordinate has the size " << largest
                                     << "; Poisson moments, whose terms are as many as its square, "
                                        "are formed up to "
                                     << max_coordinate << ": scale the points")
                                        .str());
    std::vector<double> log_factorial;
    for (Index k = poisson_terms(largest * largest); k > 0; --k)
        log_factorial.push_back(theory::log_gamma(static_cast<double>(log_factorial.size() + 1)));
    std::vector<Vector> moments;
    for (Index l = 0; l < points.cols(); ++l) moments.push_back(log_poisson_moments(points.col(l), log_factorial));
    return moments;
}

SetStatistics set_statistics(const PointsView& points, PoissonMoments poisson) {
    SetStatistics result;
    const double n = static_cast<double>(points.rows());
    result.rows = points.rows();
    result.mean = points.colwise().sum().transpose() / n;
    result.mean_absolute = points.cwiseAbs().colwise().sum().transpose() / n;
    result.minimum = points.colwise().minCoeff().transpose();
    result.second_moment = points.transpose() * points / n;
    if (poisson == PoissonMoments::computed) result.log_poisson_moments = log_poisson_moments(points);
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
    SetStatistics of_x = set_statistics(x, poisson);
    // A set that is given twice is gone through once.
    const bool same = x.data() == y.data() && x.rows() == y.rows() && x.outerStride() == y.outerStride();
    SetStatistics of_y = same ? of_x : set_statistics(y, poisson);
    return {std::move(of_x), std::move(of_y)};
}

}  // namespace rfbench::features
