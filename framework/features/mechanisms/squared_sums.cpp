#include "rfbench/features/mechanisms/squared_sums.hpp"

namespace rfbench::features {

void squared_sums(const PointsView& x, const PointsView& y, double t, Eigen::Ref<Points> out) {
    // |x|^2 + |y|^2 + 2t x.y by one product; where that nearly cancels, from x + ty itself.
    constexpr double cancelled = 1e-5;
    const Vector xx = x.rowwise().squaredNorm();
    const Eigen::RowVectorXd yy = y.rowwise().squaredNorm().transpose();
    out.noalias() = (2 * t) * x * y.transpose();
    for (Index i = 0; i < x.rows(); ++i) {
        auto row = out.row(i);
        row.array() += yy.array() + xx[i];
        for (Index j = 0; j < y.rows(); ++j)
            if (row[j] <= cancelled * (xx[i] + yy[j])) row[j] = (x.row(i) + t * y.row(j)).squaredNorm();
    }
}

}  // namespace rfbench::features
