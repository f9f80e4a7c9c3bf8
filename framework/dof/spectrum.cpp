#include "rfbench/dof/spectrum.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::dof {

double Spectrum::degrees(double lambda) const {
    if (!(lambda > 0) || !std::isfinite(lambda))
        throw std::invalid_argument("degrees of freedom: lambda is " + shortest_text(lambda) +
                                    "; it must be positive and finite");
    // mu / (mu + lambda) by the logarithm of lambda / mu: neither needs to be within double's range.
    double sum = 0;
    for (const double value : values)
        if (value > 0) sum += 1 / (1 + std::exp(std::log(lambda) - log_scale - std::log(value)));
    return sum;
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
