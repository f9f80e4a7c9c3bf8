#include "parameters_json.hpp"

#include <cmath>
#include <complex>

#include "rfbench/text/number.hpp"

namespace rfbench::cli {
namespace {

Json value_json(const features::ParameterValue& value) {
    return std::visit(
        [](const auto& held) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::complex<double>>)
                return held.imag() == 0 ? Json(held.real()) : complex_json(held.real(), held.imag());
            else
                return held;
        },
        value);
}

}  // namespace

Json complex_json(double re, double im) { return {{"re", re}, {"im", im}}; }

Json with_infinities(Json value) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) return shortest_text(value.get<double>());
    if (value.is_structured())
        for (Json& member : value) member = with_infinities(std::move(member));
    return value;
}

Json parameters_json(const features::Mechanism& mechanism) {
    Json out = Json::object();
    for (const auto& [name, value] : mechanism.parameters()) out[name] = value_json(value);
    return out;
}

}  // namespace rfbench::cli
