#pragma once
// What the tests of files share: an empty folder of their own, and bytes of files.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "rfbench/report/program.hpp"

namespace rfbench::report {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

inline std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

inline std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
    return n;
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The message of what a call throws; empty when it throws nothing.
template <class Error, class Call>
std::string message_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// A variable of the environment with another value, until the end of the scope.
class OtherVariable {
public:
    OtherVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~OtherVariable() {
        if (before_) {
            setenv(name_, before_->c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }
    OtherVariable(const OtherVariable&) = delete;
    OtherVariable& operator=(const OtherVariable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace rfbench::report
