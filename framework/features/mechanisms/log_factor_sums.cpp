#include "rfbench/features/mechanisms/log_factor_sums.hpp"

#include <limits>

namespace rfbench::features {

void log_factor_sums(double rate, Factor g, const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) {
    // A product of sixteen factors stays above 1e-256.
    constexpr Index coordinates_a_log = 16;
    constexpr double largest = 1e30;
    const Index d = x.cols();
    const Eigen::MatrixXd keys = rate * y.cwiseAbs();
    if (!(x.cwiseAbs().maxCoeff() * keys.maxCoeff() < largest)) {
        out.setConstant(std::numeric_limits<double>::quiet_NaN());
        return;
    }
    // The sums of u are one matrix product. What log g(u) adds is the log of products of factors, sixteen at a time.
    out.noalias() = x.cwiseAbs() * keys.transpose();
    Eigen::ArrayXd product(y.rows()), factor(y.rows());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index first = 0; first < d; first += coordinates_a_log) {
            product.setOnes();
            for (Index l = first; l < std::min(d, first + coordinates_a_log); ++l) {
                factor = std::abs(x(i, l)) * keys.col(l).array();
                g(factor);
                product *= factor;
            }
            out.row(i).array() += product.log().transpose();
        }
}

}  // namespace rfbench::features
