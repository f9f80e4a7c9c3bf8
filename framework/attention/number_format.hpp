#pragma once
// Binary floating-point formats of hardware, and rounding to them.
#include <string>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::attention {

/// A format of `digits` significant bits, its smallest normal number, a power of two, and its largest number; numbers
/// below the smallest normal one keep its spacing (IEEE 754-2019, section 3.3).
struct NumberFormat {
    std::string name;
    int digits;
    double smallest_normal, largest;

    /// The nearest number of the format, ties to even; beyond the largest by half a spacing or more, infinity. NaN and
    /// infinities stay.
    double rounded(double x) const;
    /// Every entry, in place.
    void round(Eigen::Ref<Points> all) const;
};

/// float32, bfloat16 and float16.
const std::vector<NumberFormat>& number_formats();
/// Throws InputError naming the nearest one.
const NumberFormat& number_format(const std::string& name);

}  // namespace rfbench::attention
