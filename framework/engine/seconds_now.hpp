#pragma once
#include <chrono>

namespace rfbench::engine {

/// On a clock that nobody sets: differences are what passed.
inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace rfbench::engine
