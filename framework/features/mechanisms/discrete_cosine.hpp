#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Weighted discrete cosine features (WDCF; Chen et al. 2024, (12)): f_j(x) = D_j exp(T_j c_j.x - |x|^2/2), c_j the
/// directions drawn (sampling dct or dct-columns), T_j = Phi^{-1}(t_j). Of the softmax kernel they are D_j exp(T_j
/// c_j.q): the paper leaves out |q|^2 / 2. As released, softmax over j in place of the weights D.
const MechanismInfo& discrete_cosine();

}  // namespace rfbench::features
