#pragma once
// Questions of a test about a message.
#include <cstddef>
#include <exception>
#include <string>

namespace rfbench::tests {

/// Message of the exception of this type that `call` throws; "accepted" when it throws nothing.
template <class Error = std::exception, class Call>
std::string refusal(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// How often a part is in the text.
inline std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
    return n;
}

}  // namespace rfbench::tests
