#pragma once

namespace rfbench::statistics {

/// The probability with which each interval that is shown holds what it is an interval of.
inline constexpr double confidence = 0.95;

}  // namespace rfbench::statistics
