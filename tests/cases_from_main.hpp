#pragma once
// Test cases that are made of the program's own catalogues: those are only there once main has begun.
#include <functional>
#include <vector>

namespace rfbench::tests {

/// Functions that register test cases; main calls each once, before the session.
inline std::vector<std::function<void()>>& cases_from_main() {
    static std::vector<std::function<void()>> functions;
    return functions;
}

}  // namespace rfbench::tests
