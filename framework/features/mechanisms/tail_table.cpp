#include "rfbench/features/mechanisms/tail_table.hpp"

#include <algorithm>

namespace rfbench::features {

Index quantile_in(const Vector& tails, double u) {
    const auto found = std::partition_point(tails.begin(), tails.end(), [&](double tail) { return tail > 1 - u; });
    return found - tails.begin();
}

}  // namespace rfbench::features
