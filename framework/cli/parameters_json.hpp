#pragma once
#include <nlohmann/json.hpp>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::cli {

using Json = nlohmann::ordered_json;

/// {"re": ..., "im": ...}
Json complex_json(double re, double im);

/// The same with the texts "inf", "-inf" and "nan" in the places of such numbers, which JSON does not have: `null` is
/// then what there is no number for.
Json with_infinities(Json);

/// The parameters of a mechanism, given or fitted, by name.
Json parameters_json(const features::Mechanism&);

}  // namespace rfbench::cli
