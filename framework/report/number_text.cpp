#include "rfbench/report/number_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace rfbench::report {

namespace {

std::string not_finite(double value) {
    if (std::isnan(value)) return "NaN";
    return value > 0 ? "inf" : "-inf";
}

}  // namespace

std::string shortest(double value) { return std::isfinite(value) ? fmt::format("{}", value) : not_finite(value); }

}  // namespace rfbench::report
