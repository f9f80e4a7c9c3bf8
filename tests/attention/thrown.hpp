#pragma once
#include <stdexcept>
#include <string>

/// What an std::invalid_argument that `call` throws says; empty when it throws none.
template <class Call>
std::string refusal(Call call) {
    try {
        call();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

inline bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
