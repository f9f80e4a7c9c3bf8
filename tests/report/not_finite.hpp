#pragma once
#include <limits>

namespace rfbench::report {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace rfbench::report
