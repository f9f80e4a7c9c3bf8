#include "json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace rfbench::cli::json {

std::string number(double value) {
    if (value == 0) return "0";
    return std::isfinite(value) ? fmt::format("{:.17g}", value) : "null";
}

std::string integer(std::int64_t value) { return fmt::format("{}", value); }

std::string boolean(bool value) { return value ? "true" : "false"; }

std::string text(std::string_view value) {
    std::string out = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + "\"";
}

std::string array(const std::vector<double>& values) {
    std::string out = "[";
    for (const double value : values) out += (out.size() > 1 ? ", " : "") + number(value);
    return out + "]";
}

Object& Object::add(std::string_view key, std::string value) {
    members_.emplace_back(key, std::move(value));
    return *this;
}

std::string Object::str(int indent) const {
    const std::string pad(static_cast<std::size_t>(indent) + 2, ' ');
    std::string out = "{";
    for (const auto& [key, value] : members_) out += (out.size() > 1 ? ",\n" : "\n") + pad + text(key) + ": " + value;
    return out + "\n" + std::string(static_cast<std::size_t>(indent), ' ') + "}";
}

std::string Object::line() const {
    std::string out = "{";
    for (const auto& [key, value] : members_) out += (out.size() > 1 ? ", " : "") + text(key) + ": " + value;
    return out + "}";
}

}  // namespace rfbench::cli::json
