#pragma once
#include <cmath>

#include "rfbench/matrix.hpp"

namespace rfbench {

/// |x|, summed in the order of the coordinates: the bits do not depend on where x lies in memory.
inline double length_in_order(const Eigen::Ref<const Vector>& x) {
    double square = 0;
    for (Index i = 0; i < x.size(); ++i) square += x[i] * x[i];
    return std::sqrt(square);
}

}  // namespace rfbench
