#include "report/interval_entry.hpp"

#include <cmath>

namespace rfbench::experiments {

report::Entry interval_entry(const statistics::Mean& mean) {
    // One value that is not finite leaves the mean without a number, which is shown as a dash.
    if (!std::isfinite(mean.value)) return report::Missing{};
    return report::Estimate{mean.value, mean.half_width};
}

}  // namespace rfbench::experiments
