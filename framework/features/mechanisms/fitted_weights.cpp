#include "rfbench/features/mechanisms/fitted_weights.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/features/log_features.hpp"
#include "rfbench/statistics/nonnegative_least_squares.hpp"
#include "rfbench/text/number.hpp"
#include "rfbench/theory/gaussian_integral.hpp"

namespace rfbench::features {
namespace {

using theory::GaussianIntegral;

/// log E f_m(x) f_n(x).
Eigen::MatrixXd log_gram(const Projections& omega, double isotropic, const SetStatistics& set) {
    const Index d = omega.rows();
    const GaussianIntegral integral(-4 * isotropic * Eigen::MatrixXd::Identity(d, d), set.mean, set.covariance());
    return integral.of_sums(omega, omega);
}

/// log E f_m(x) f_m(y) K(x, y): one integral over x and y together.
Vector log_overlaps(const Projections& omega, double isotropic, const Statistics& statistics) {
    const Index d = omega.rows();
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(d, d);
    Eigen::MatrixXd a(2 * d, 2 * d), covariance = Eigen::MatrixXd::Zero(2 * d, 2 * d);
    a << (1 - 2 * isotropic) * one, -one, -one, (1 - 2 * isotropic) * one;
    covariance.topLeftCorner(d, d) = statistics.x.covariance();
    covariance.bottomRightCorner(d, d) = statistics.y.covariance();
    Vector mean(2 * d);
    mean << statistics.x.mean, statistics.y.mean;
    return GaussianIntegral(a, mean, covariance)(omega.replicate(2, 1));
}

}  // namespace

Vector fitted_log_weights(const Projections& omega, double isotropic, const Statistics& statistics, int steps) {
    // E (K^ - K)^2 over independent normal x and y is w'Hw - 2 b'w and a constant, with H_mn = E f_m(x) f_n(x) times
    // the same of y and b_m = E f_m(x) f_m(y) K(x, y).
    const double log_count = std::log(static_cast<double>(omega.cols()));
    const Eigen::MatrixXd logs = log_gram(omega, isotropic, statistics.x) + log_gram(omega, isotropic, statistics.y);

    // Scales features to mean square 1 in the estimate, so that no exponential overflows.
    const Vector log_size = 0.5 * logs.diagonal();
    const Eigen::MatrixXd h = ((logs.colwise() - log_size).rowwise() - log_size.transpose()).array().exp();
    const Vector log_b = log_overlaps(omega, isotropic, statistics) - log_size;
    const double highest = log_b.maxCoeff();
    const Vector b = (log_b.array() - highest).exp();

    Vector scaled;
    if (steps == 0) {
        scaled = rfbench::statistics::nonnegative_least_squares(h, b);
    } else {
        // Equal weights in these variables, times the factor that is best for them.
        const Vector equal = (log_size.array() - log_size.maxCoeff()).exp();
        scaled = rfbench::statistics::projected_gradient(h, b, b.dot(equal) / equal.dot(h * equal) * equal, steps);
    }
    Vector result = Vector::Constant(omega.cols(), LogFeatureBlock<double>::zero);
    for (Index m = 0; m < result.size(); ++m)
        if (scaled[m] > 0) result[m] = std::log(scaled[m]) + highest - log_size[m] + log_count;
    return result;
}

ParameterInfo steps_parameter() {
    return {"steps", ParameterInfo::Type::integer, "a whole number, 0 or more",
            "0 (default): the best weights; otherwise so many steps of projected gradient from equal ones"};
}

int steps_setting(const char* mechanism, const Settings& settings) {
    const auto found = settings.find("steps");
    if (found == settings.end()) return 0;
    const double steps = std::get<double>(found->second);
    if (steps >= 0 && steps <= 1e9 && steps == std::floor(steps)) return static_cast<int>(steps);
    throw InputError(std::string(mechanism) + ": steps = " + shortest_text(steps) +
                     "; it must be a whole number, 0 or more");
}

}  // namespace rfbench::features
