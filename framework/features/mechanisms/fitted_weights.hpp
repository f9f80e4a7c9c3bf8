#pragma once
// Weights of a fixed set of positive features (Chen et al. 2024, Theorem 3.3, with the constraint the right way round).
#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {

/// log w_m, -1e28 where w_m = 0, for the estimate (1/M) sum_m w_m f_m(x) f_m(y), f_m(x) = exp(omega_m.x + isotropic
/// |x|^2), isotropic <= 0: the w >= 0 with the least mean squared error of K, for x and y normal and independent with
/// the means and covariances of the statistics, in closed form. steps = 0: the minimum, by non-negative least squares;
/// otherwise what so many steps of projected gradient reach from equal weights.
Vector fitted_log_weights(const Projections& omega, double isotropic, const Statistics&, int steps);

/// The parameter `steps`, and its value in the settings: 0 by default. Throws std::invalid_argument below 0.
ParameterInfo steps_parameter();
int steps_setting(const char* mechanism, const Settings&);

}  // namespace rfbench::features
