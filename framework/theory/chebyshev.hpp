#pragma once
// A smooth function of one variable replaced by its Chebyshev interpolant, for loops over millions of pairs.
#include <functional>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::theory {

class Chebyshev {
public:
    /// Interpolates f on [low, high], low <= high, doubling the number of nodes until the trailing coefficients are
    /// below `tolerance` times the largest one. Throws std::runtime_error when 4096 nodes do not suffice.
    Chebyshev(const std::function<double(double)>& f, double low, double high, double tolerance);

    /// values[i] = interpolant at points[i], which must lie in [low, high].
    void evaluate(const Eigen::Ref<const Eigen::ArrayXd>& points, Eigen::Ref<Eigen::ArrayXd> values) const;

private:
    double centre_, radius_;
    std::vector<double> coefficients_;
};

}  // namespace rfbench::theory
