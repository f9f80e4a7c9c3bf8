#pragma once
#include <optional>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::dof {

/// How a cost of C features a layer is spent over layers, and over the heads of a layer.
enum class Allocation {
    fixed,    ///< C everywhere
    layers,   ///< proportional to the largest degrees of freedom among a layer's heads (Algorithm 1)
    clipped,  ///< the same, at most `clip`: "DoF + Clip"; costs less than C
    heads,    ///< proportional to each head's own: what the paper leaves to future work
};

/// Feature dimensions, S x H, from degrees of freedom, S x H (Nishikawa, Higuchi and Suzuki 2025, Algorithm 1). Each is
/// at least 1, where the paper's rounding can give 0. `heads` and `layers` have the mean C before rounding, which
/// changes a dimension by at most a half, or adds up to one where that raises it to 1. Throws std::invalid_argument for
/// C < 1, a clip < 1 or missing, or degrees that are not positive and finite.
Eigen::ArrayXXi allocate(const Eigen::ArrayXXd& degrees, Allocation, int cost, std::optional<int> clip = {});

}  // namespace rfbench::dof
