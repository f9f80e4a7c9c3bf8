#pragma once
#include <string>

namespace rfbench::report {

/// The shortest decimal that reads back as the same double; "NaN", "inf", "-inf".
std::string shortest(double);

/// Rounded to at most `digits` significant digits, without trailing zeros: "0.25", "1e-07".
std::string rounded(double, int digits);

}  // namespace rfbench::report
