#include "project.hpp"

namespace rfbench::experiments {

std::filesystem::path project() {
    const std::filesystem::path found = datasets::find_project(std::filesystem::current_path());
    return found.empty() ? std::filesystem::path(RFBENCH_SOURCE_DIR) : found;
}

}  // namespace rfbench::experiments
