#include "interval_entry.hpp"

#include <cmath>

namespace rfbench::experiments {

report::Entry interval_entry(const statistics::Mean& mean) {
    if (!std::isfinite(mean.value)) return report::Missing{};
    return report::Estimate{mean.value, mean.half_width};
}

}  // namespace rfbench::experiments
