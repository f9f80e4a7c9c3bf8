#include "rfbench/process/python.hpp"

#include <cstdlib>

namespace rfbench::process {

std::vector<std::string> pythons() {
    if (const char* chosen = std::getenv("RFBENCH_PYTHON"); chosen != nullptr && *chosen != '\0') return {chosen};
    return {"/usr/bin/python3", "python3"};
}

}  // namespace rfbench::process
