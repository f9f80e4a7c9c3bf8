#pragma once
#include <string>

/// What an exception of the type says; empty when none was thrown.
template <class Exception, class Action>
std::string message(Action action) {
    try {
        action();
    } catch (const Exception& problem) {
        return problem.what();
    }
    return {};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
