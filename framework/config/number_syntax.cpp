#include "rfbench/config/number_syntax.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace rfbench::config {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

std::size_t digits_at(std::string_view text, std::size_t from) {
    std::size_t end = from;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - from;
}

struct Form {
    bool whole = false;   // sign and digits only
    bool number = false;  // any number
    bool padded = false;  // its digits begin with a needless zero
};

/// Form of a text in the grammar of the header; from_chars alone would take .5, 5. and inf as well.
Form form_of(std::string_view text) {
    Form form;
    std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    const std::size_t digits = digits_at(text, at);
    if (digits == 0) return form;
    form.padded = digits > 1 && text[at] == '0';
    at += digits;
    form.whole = at == text.size();

    if (at < text.size() && text[at] == '.') {
        const std::size_t fraction = digits_at(text, at + 1);
        if (fraction == 0) return form;
        at += 1 + fraction;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        const std::size_t exponent = digits_at(text, at);
        if (exponent == 0) return form;
        at += exponent;
    }
    form.number = at == text.size();
    return form;
}

// Why a text that looks like a number to some reader of YAML is none here.
std::string objection(std::string_view text, std::string_view otherwise) {
    std::string plain = lower(text);
    if (!plain.empty() && (plain[0] == '+' || plain[0] == '-')) plain.erase(0, 1);
    if (plain == ".inf" || plain == ".nan" || plain == "inf" || plain == "nan" || plain == "infinity") {
        return "only finite numbers are allowed";
    }
    const bool begins_with_digit = !plain.empty() && is_digit(plain[0]);
    const auto only = [&](std::string_view allowed) { return plain.find_first_not_of(allowed) == std::string::npos; };
    if (begins_with_digit && plain.size() > 2 && plain[0] == '0' &&
        (plain[1] == 'x' || plain[1] == 'o' || plain[1] == 'b')) {
        return "write it in decimal";
    }
    if (begins_with_digit && only("0123456789:.") && plain.find(':') != std::string::npos) {
        return "it would be base 60 to other readers; write it in decimal";
    }
    if (begins_with_digit && only("0123456789_.e+-") && plain.find('_') != std::string::npos) {
        return "write the digits without '_'";
    }
    return std::string(otherwise);
}

/// from_chars takes no plus sign.
std::string_view without_plus(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    return text;
}

constexpr std::string_view padded = "leading zeros would make it octal to other readers; leave them out";

}  // namespace

Reading<double> read_number(std::string_view text) {
    const Form form = form_of(text);
    if (!form.number) return {0, objection(text, "numbers are written like 3, -0.25 or 1e-3")};
    if (form.padded) return {0, std::string(padded)};
    const std::string_view digits = without_plus(text);
    double value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) {
        return {0, "it is beyond the range of double precision"};
    }
    // -0 + 0 is 0: one value has one text, and one hash.
    return {value + 0.0, {}};
}

Reading<std::int64_t> read_integer(std::string_view text) {
    const Form form = form_of(text);
    if (!form.whole) return {0, objection(text, "whole numbers are written in digits only, like 1000")};
    if (form.padded) return {0, std::string(padded)};
    const std::string_view digits = without_plus(text);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc{} || end != digits.data() + digits.size()) return {0, "it does not fit 64 bits"};
    return {value, {}};
}

std::string write_number(double value) {
    std::array<char, 32> digits{};
    const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return failure == std::errc{} ? std::string(digits.data(), end) : std::string();
}

}  // namespace rfbench::config
