#include "rfbench/dof/spectrum.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::dof {

namespace {

/// mu / (mu + lambda) by the logarithm of lambda / mu: neither needs to be within double's range.
double degrees_at(const Vector& values, double log_lambda) {
    double sum = 0;
    for (const double value : values)
        if (value > 0) sum += 1 / (1 + std::exp(log_lambda - std::log(value)));
    return sum;
}

void require_positive(const char* what, double number) {
    if (!(number > 0) || !std::isfinite(number))
        throw std::invalid_argument(std::string("degrees of freedom: ") + what + " is " + shortest_text(number) +
                                    "; it must be positive and finite");
}

}  // namespace

double Spectrum::degrees(double lambda) const {
    require_positive("lambda", lambda);
    return degrees_at(values, std::log(lambda) - log_scale);
}

double Spectrum::degrees_of_share(double share) const {
    require_positive("the share of tr S", share);
    return degrees_at(values, std::log(share) + std::log(values.sum()));
}

double Spectrum::degrees_undivided(double lambda) const { return degrees(lambda / static_cast<double>(values.size())); }

double Spectrum::log_trace() const { return log_scale + std::log(values.sum()); }

Spectrum softmax_spectrum(const PointsView& points) {
    if (points.rows() == 0 || points.cols() == 0)
        throw std::invalid_argument("degrees of freedom: the sample has no points");
    if (!points.allFinite()) throw std::invalid_argument("degrees of freedom: a point has a NaN or an infinity");
    Eigen::MatrixXd gram = points * points.transpose() / std::sqrt(static_cast<double>(points.cols()));
    // By Cauchy and Schwarz the largest entry is on the diagonal.
    const double highest = gram.diagonal().maxCoeff();
    gram = (gram.array() - highest).exp();
    const Vector eigenvalues = decompositions::symmetric_eigenvalues(gram);
    const double count = static_cast<double>(points.rows());
    return {eigenvalues.reverse().cwiseMax(0.0) / count, highest};
}

}  // namespace rfbench::dof
