#include "rfbench/features/maps/nystroem_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/features/maps/row_tiles.hpp"

namespace rfbench::features {

namespace {

/// -|x - z|^2 / 2 for each landmark: differences, whose squares do not cancel as |x|^2 + |z|^2 - 2 x.z does.
Eigen::RowVectorXd log_kernels(const Eigen::RowVectorXd& x, const Points& landmarks) {
    return -0.5 * (landmarks.rowwise() - x).rowwise().squaredNorm().transpose();
}

}  // namespace

NystroemMap::NystroemMap(Points landmarks) : landmarks_(std::move(landmarks)) {
    if (landmarks_.rows() == 0) throw std::invalid_argument("Nystroem features: there is no landmark");
    if (!landmarks_.allFinite()) throw std::invalid_argument("Nystroem features: a landmark is not finite");
    const Index m = landmarks_.rows();
    Eigen::MatrixXd kernel(m, m);
    for (Index i = 0; i < m; ++i) kernel.row(i) = log_kernels(landmarks_.row(i), landmarks_).array().exp();
    const decompositions::SymmetricEigen eigen = decompositions::symmetric_eigen(kernel);

    // The largest eigenvalue is 1 at least, the mean of all: the bound is of rounding, and no parameter.
    const double rounding = static_cast<double>(m) * std::numeric_limits<double>::epsilon() * eigen.values[m - 1];
    Vector factors(m);
    singular_ = 0;
    for (Index i = 0; i < m; ++i) {
        const bool kept = eigen.values[i] > rounding;
        factors[i] = kept ? 1 / std::sqrt(eigen.values[i]) : 0;
        singular_ += kept ? 0 : 1;
    }
    root_ = eigen.vectors * factors.asDiagonal() * eigen.vectors.transpose();
}

template <class Scalar>
void NystroemMap::evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
    prepare(rows, landmarks_.cols(), columns(), out);
    for (Index i = 0; i < rows.rows(); ++i) {
        const Eigen::RowVectorXd logs = log_kernels(rows.row(i).template cast<double>(), landmarks_);
        // Relative to the nearest landmark, and then to the largest feature, so that neither factor is lost.
        const double nearest = logs.maxCoeff();
        Eigen::RowVectorXd values = (logs.array() - nearest).exp().matrix() * root_;
        const double largest = values.cwiseAbs().maxCoeff();
        if (largest > 0) {
            values /= largest;
            out.log_scale[i] = nearest + std::log(largest);
        } else {
            out.log_scale[i] = 0;
            ++out.vanished;
        }
        out.values.row(i) = values.template cast<Scalar>();
    }
}

template void NystroemMap::evaluate_rows(Side, const RowsView<double>&, FeatureBlock<double>&) const;
template void NystroemMap::evaluate_rows(Side, const RowsView<float>&, FeatureBlock<float>&) const;

Points draw_landmarks(const PointsView& rows, Index count, Stream stream) {
    count = std::min(count, rows.rows());
    std::vector<Index> order(static_cast<std::size_t>(rows.rows()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    Points landmarks(count, rows.cols());
    for (Index i = 0; i < count; ++i) {
        const auto other = i + static_cast<Index>(stream.below(static_cast<std::uint64_t>(rows.rows() - i)));
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
        landmarks.row(i) = rows.row(order[static_cast<std::size_t>(i)]);
    }
    return landmarks;
}

}  // namespace rfbench::features
