#pragma once
// Features that are exponentials of an affine function of u = Omega' x plus a function of the row alone: every Gaussian
// mechanism but the hybrid and the cosine. The shared tiled kernel: a tile of rows is projected, shifted by its own
// row maximum, exponentiated while it is in cache, and never touched again.
#include <complex>
#include <memory>

#include "rfbench/features/feature_map.hpp"

namespace rfbench::features {

/// The part of a log feature that depends on the row alone: constant + linear.x + isotropic |x|^2 + x' quadratic x.
struct RowTerm {
    double constant = 0;
    double isotropic = 0;            ///< -1/2 for exp(-|x|^2 / 2)
    Vector linear = {};              ///< d, or empty
    Eigen::MatrixXd quadratic = {};  ///< d x d, or empty
};

/// log f_m(x) = (W' x)_m + bias_m + row(x): real, positive.
struct ExponentialSide {
    Projections weights;  ///< d x M
    Vector bias;          ///< M
    RowTerm row;          ///< what no draw changes
};
/// M positive features as M real columns; log scales have the factor 1/M, half of its logarithm on each side.
std::unique_ptr<FeatureMap> exponential_map(ExponentialSide query, ExponentialSide key);

/// log f_m(x) = (Omega' x)_m - |x|^2 on both sides: positive features, which have no parameters (Choromanski et al.
/// 2021, (7)).
std::unique_ptr<FeatureMap> positive_map(const Projections& omega);

/// log f_m(x) = slope (Omega' x)_m + bias_m + row(x), with complex slope and bias.
struct ComplexSide {
    std::complex<double> slope;  ///< of all draws
    Eigen::VectorXcd bias;       ///< M
    RowTerm row;                 ///< what no draw changes
};
/// M complex features as 2M real columns: [Re f1, Im f1] in the query, [Re f2, -Im f2] in the key.
std::unique_ptr<FeatureMap> complex_exponential_map(const Projections& omega, ComplexSide query, ComplexSide key);

}  // namespace rfbench::features
