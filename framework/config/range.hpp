#pragma once
// Ranges written out. Points between the ends are rounded in decimal, so that 0.1 to 1 in 10 points has the point 0.3,
// and labels and hashes do not depend on the last bits of a mathematics library.
#include <cstdint>
#include <vector>

namespace rfbench::config {

/// n >= 2 points a + i (b - a) / (n - 1), i = 0 .. n - 1. The first is a and the last b exactly; those between are
/// rounded to the 15th significant digit of the larger end.
std::vector<double> linspace(double a, double b, std::int64_t n);

/// n >= 2 points a (b / a)^(i / (n - 1)) for a, b > 0. The first is a and the last b exactly; those between are
/// rounded to 15 significant digits.
std::vector<double> logspace(double a, double b, std::int64_t n);

/// a, 2 a, 4 a, ... up to the last that is not above b, for 0 < a <= b finite.
std::vector<double> doublings(double a, double b);

}  // namespace rfbench::config
