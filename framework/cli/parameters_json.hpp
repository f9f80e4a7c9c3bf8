#pragma once
#include <nlohmann/json.hpp>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::cli {

using Json = nlohmann::ordered_json;

/// {"re": ..., "im": ...}
Json complex_json(double re, double im);

/// The parameters of a mechanism, given or fitted, by name.
Json parameters_json(const features::Mechanism&);

}  // namespace rfbench::cli
