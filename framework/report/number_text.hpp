#pragma once
#include <string>

namespace rfbench::report {

/// The shortest decimal that reads back as the same double; "NaN", "inf", "-inf".
std::string shortest(double);

}  // namespace rfbench::report
