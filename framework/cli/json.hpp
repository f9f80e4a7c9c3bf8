#pragma once
// JSON out: an object or array built line by line, numbers with 17 significant digits, what is not finite as null.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rfbench::cli::json {

/// 17 significant digits, so that the text reads back to the same number; null when not finite.
std::string number(double value);
std::string integer(std::int64_t value);
std::string boolean(bool value);
std::string text(std::string_view value);
std::string array(const std::vector<double>& values);

/// An object with its members in the order they are added.
class Object {
public:
    /// `value` is JSON already.
    Object& add(std::string_view key, std::string value);
    /// Members a line each, indented by two spaces a level.
    std::string str(int indent = 0) const;
    /// All on one line.
    std::string line() const;

private:
    std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace rfbench::cli::json
