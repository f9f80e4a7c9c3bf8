#pragma once
// Shifting both sets by one vector changes no difference, so K stays: it makes the discrete features positive
// (Likhosherstov 2022, 6.4.3).
#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {

/// c_l = min over both sets of the l-th coordinate, less epsilon; the mechanism is fitted to x - c, y - c. Points that
/// fall below c later are moved up to x_l - c_l = epsilon: their estimates are those of the moved points.
/// `epsilon` is taken out of the settings (default 1e-8; must be above 0), the rest goes to `fit`.
std::unique_ptr<MechanismWithMoments> fit_shifted(const char* name, const Statistics&, const Settings&,
                                                  std::unique_ptr<MechanismWithMoments> (*fit)(const char* name,
                                                                                               const Statistics&,
                                                                                               const Settings&));

/// The parameter `epsilon`, for the shifted mechanisms' descriptions.
ParameterInfo epsilon_parameter();

}  // namespace rfbench::features
