// Reads the settings of a mechanism, and checks them before it is fitted.
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::features {
namespace {

using Type = ParameterInfo::Type;

const ParameterInfo& find_parameter(const MechanismInfo& info, std::string_view name) {
    std::vector<std::string> names;
    for (const ParameterInfo& parameter : info.parameters) {
        if (parameter.name == name) return parameter;
        names.push_back(parameter.name);
    }
    std::string allowed;
    for (const std::string& known : names) allowed += (allowed.empty() ? "" : ", ") + known;
    throw InputError("mechanism '" + info.name + "' has no parameter '" + std::string(name) + "'; it has " +
                     (allowed.empty() ? "none" : allowed) + "." + did_you_mean(name, names));
}

[[noreturn]] void refuse(const MechanismInfo& info, const ParameterInfo& parameter, std::string_view given) {
    throw InputError("mechanism '" + info.name + "', parameter '" + parameter.name + "': '" + std::string(given) +
                     "' is not allowed; it takes " + parameter.range +
                     (parameter.type == Type::list ? ", with commas between" : ""));
}

/// The longest finite number at the front of `text`, which is advanced past it; nothing if there is none.
std::optional<double> take_number(std::string_view& text) {
    // std::from_chars takes no plus sign; after one there may be no minus either.
    const bool plus = !text.empty() && text.front() == '+';
    const char* first = text.data() + (plus ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value) || (plus && *first == '-')) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// "0.5", "-0.06+0.12i", "0.12i", "-i".
std::optional<std::complex<double>> parse_complex(std::string_view text) {
    if (text == "i" || text == "+i") return std::complex<double>{0, 1};
    if (text == "-i") return std::complex<double>{0, -1};
    const auto first = take_number(text);
    if (!first) return {};
    if (text.empty()) return std::complex<double>{*first, 0};
    if (text == "i") return std::complex<double>{0, *first};
    if (text == "+i" || text == "-i") return std::complex<double>{*first, text == "+i" ? 1.0 : -1.0};
    if (text.front() != '+' && text.front() != '-') return {};
    const auto second = take_number(text);
    if (!second || text != "i") return {};
    return std::complex<double>{*first, *second};
}

std::optional<double> parse_real(std::string_view text) {
    const auto value = take_number(text);
    return value && text.empty() ? value : std::nullopt;
}

/// "0.5,-0.25": at least one number.
std::optional<std::vector<double>> parse_list(std::string_view text) {
    std::vector<double> values;
    while (true) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const auto value = parse_real(text.substr(0, comma));
        if (!value) return {};
        values.push_back(*value);
        if (comma == text.size()) return values;
        text.remove_prefix(comma + 1);
    }
}

std::optional<ParameterValue> parse_value(const ParameterInfo& parameter, std::string_view text) {
    if (parameter.type == Type::boolean) {
        if (text == "true") return true;
        if (text == "false") return false;
        return {};
    }
    if (parameter.type == Type::complex) {
        if (const auto value = parse_complex(text)) return *value;
        return {};
    }
    if (parameter.type == Type::word) return std::string(text);
    if (parameter.type == Type::list) {
        if (auto values = parse_list(text)) return *std::move(values);
        return {};
    }
    const auto value = parse_real(text);
    if (!value) return {};
    if (parameter.type == Type::integer && (*value != std::floor(*value) || std::abs(*value) > 1e9)) return {};
    if (parameter.type == Type::sign && std::abs(*value) != 1) return {};
    return *value;
}

bool has_type(const ParameterValue& value, Type type) {
    switch (type) {
        case Type::boolean: return std::holds_alternative<bool>(value);
        case Type::complex: return std::holds_alternative<std::complex<double>>(value);
        case Type::list: return std::holds_alternative<std::vector<double>>(value);
        case Type::word: return std::holds_alternative<std::string>(value);
        default: return std::holds_alternative<double>(value);
    }
}

void check(const MechanismInfo& info, const Settings& settings) {
    for (const auto& [name, value] : settings) {
        const ParameterInfo& parameter = find_parameter(info, name);
        if (!has_type(value, parameter.type))
            throw InputError("mechanism '" + info.name + "', parameter '" + name +
                             "': the value has the wrong type; it takes " + parameter.range);
    }
}

}  // namespace

std::unique_ptr<Mechanism> fit(const MechanismInfo& info, const Statistics& statistics, const Settings& settings) {
    check(info, settings);
    return std::visit([&](const auto& fitted) -> std::unique_ptr<Mechanism> { return fitted(statistics, settings); },
                      info.fit);
}

std::unique_ptr<MechanismWithMoments> fit_with_moments(const MechanismInfo& info, const Statistics& statistics,
                                                       const Settings& settings) {
    if (!info.has_moments())
        throw std::invalid_argument("mechanism '" + info.name +
                                    "' states no mean and variance of one draw: its features are not drawn one by one");
    check(info, settings);
    return std::get<FitOf<MechanismWithMoments>>(info.fit)(statistics, settings);
}

std::pair<std::string, ParameterValue> parse_setting(const MechanismInfo& info, std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        throw InputError("'" + std::string(text) + "' is not of the form PARAMETER=VALUE");
    const std::string name(text.substr(0, equals));
    const ParameterInfo& parameter = find_parameter(info, name);
    const std::string_view given = text.substr(equals + 1);
    const auto value = parse_value(parameter, given);
    if (!value) refuse(info, parameter, given);
    return {name, *value};
}

}  // namespace rfbench::features
