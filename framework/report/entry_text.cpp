#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

namespace {

constexpr const char* dash = "–";

std::optional<std::string> not_finite(double value) {
    if (std::isnan(value)) return dash;
    if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
    return std::nullopt;
}

// "1.20e-07" to "1.20e-7".
std::string short_exponent(std::string text) {
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    const std::size_t digits = e + 2;
    while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
    if (text[e + 1] == '+') text.erase(e + 1, 1);
    return text;
}

// Trailing zeros count as digits: 1.5 with three is 1.50. Whole numbers are shown as such, and so are the whole parts
// of numbers with more digits than asked for, below a million; what is larger or below 0.0001 takes an exponent.
std::string significant(double value, int digits) {
    const double magnitude = std::abs(value);
    const bool whole = std::trunc(value) == value && magnitude < 1e9;
    const std::string text = fmt::format("{:#.{}g}", value, digits);
    const bool exponent = text.find('e') != std::string::npos;
    if (whole || (exponent && magnitude >= 1 && magnitude < 1e6)) return fmt::format("{:.0f}", value + 0.0);
    if (exponent) return short_exponent(fmt::format("{:.{}e}", value, digits - 1));
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

std::string fixed(double value, int digits) {
    const std::string text = fmt::format("{:.{}f}", value, digits);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string number_text(double value, const Format& format) {
    if (const auto special = not_finite(value)) return *special;
    switch (format.kind) {
        case Format::Kind::significant: return significant(value, format.digits);
        case Format::Kind::fixed: return fixed(value, format.digits);
        case Format::Kind::percent: break;
    }
    return fixed(100 * value, format.digits) + " %";
}

// Both to the place of the error's second digit; far from 1, over a common power of ten.
std::string to_the_error(const Estimate& estimate) {
    const double larger = std::max(std::abs(estimate.value), estimate.error);
    const int power = static_cast<int>(std::floor(std::log10(larger)));
    const bool plain = power >= -4 && power < 6;
    const double scale = plain ? 1.0 : std::pow(10.0, power);
    const double error = estimate.error / scale;
    // The printed form says where the error's second digit is after rounding: 0.0996 is 0.10.
    const std::string rounded = fmt::format("{:.1e}", error);
    const int place = 1 - std::stoi(rounded.substr(rounded.find('e') + 1));
    const int digits = std::min(std::max(place, 0), 17);
    const std::string pair = fixed(estimate.value / scale, digits) + " ± " + fixed(error, digits);
    return plain ? pair : fmt::format("({})e{}", pair, power);
}

std::string estimate_text(const Estimate& estimate, const Format& format) {
    const bool exact = !(estimate.error > 0) || !std::isfinite(estimate.error) || !std::isfinite(estimate.value);
    if (format.kind == Format::Kind::percent && !exact) {
        return fixed(100 * estimate.value, format.digits) + " ± " + fixed(100 * estimate.error, format.digits) + " %";
    }
    if (format.kind == Format::Kind::significant && !exact) return to_the_error(estimate);
    if (std::isnan(estimate.value)) return dash;
    return number_text(estimate.value, format) + " ± " + number_text(estimate.error, format);
}

}  // namespace

std::string entry_text(const Entry& entry, const Format& format) {
    if (const auto* text = std::get_if<std::string>(&entry)) return *text;
    if (const auto* number = std::get_if<double>(&entry)) return number_text(*number, format);
    if (const auto* estimate = std::get_if<Estimate>(&entry)) return estimate_text(*estimate, format);
    return dash;
}

}  // namespace rfbench::report
