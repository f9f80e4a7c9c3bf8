#pragma once
// How the laws of the discrete features come by their parameters.
#include <functional>
#include <optional>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::features {

/// A probability, and one minus it: both keep their digits near 0.
struct Probability {
    double value, rest;  ///< p, 1 - p
};

/// The probability between 2^-53 and 1 - 2^-53 that minimises a unimodal objective (Brent 1973, on the log odds).
Probability best_probability(const std::function<double(const Probability&)>& objective);

/// -log(1 - z) - z, 0 <= z < 1, without cancellation.
double log1m_remainder(double z);

/// A real setting in an open interval, or nothing when it is not given. Throws InputError naming the
/// mechanism, the parameter, its value and the interval otherwise.
std::optional<double> setting_between(const Settings&, const char* mechanism, std::string_view name, double low,
                                      double high);

}  // namespace rfbench::features
