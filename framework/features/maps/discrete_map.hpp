#pragma once
#include <memory>

#include "rfbench/features/feature_map.hpp"

namespace rfbench::features {

/// Signed monomials: log|f_m(x)| = sum_l k_lm log|x_l| + bias_m - |x|^2 / 2 with 0^0 = 1, sign prod_l sign(x_l)^{k_lm}.
/// powers: d x M non-negative integers k. A row with a zero coordinate has exact zeros where that coordinate's power is
/// positive; rows without any other feature are counted as vanished.
std::unique_ptr<FeatureMap> discrete_map(const Eigen::MatrixXd& powers, const Vector& bias);

}  // namespace rfbench::features
