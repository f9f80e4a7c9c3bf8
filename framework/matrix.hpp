#pragma once
// The matrix types of the project. Points are rows of a row-major matrix; projections are columns, as in
// Likhosherstov 2022, Algorithm 2.
#include <Eigen/Core>

namespace rfbench {

using Index = Eigen::Index;      ///< of rows and columns: signed
using Vector = Eigen::VectorXd;  ///< a column

/// n x d, one point a row.
template <class Scalar>
using Rows = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// n x d in double precision.
using Points = Rows<double>;

/// A read-only view of points, without a copy: blocks of rows bind to it.
template <class Scalar>
using RowsView = Eigen::Ref<const Rows<Scalar>, 0, Eigen::OuterStride<>>;
/// The same of points in double precision.
using PointsView = RowsView<double>;

/// d x M, one projection omega a column.
using Projections = Eigen::MatrixXd;

}  // namespace rfbench
