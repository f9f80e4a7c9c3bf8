#pragma once
// Where the project's configurations, data and results are, for programs started anywhere.
#include <filesystem>

#include "rfbench/datasets/places.hpp"

namespace rfbench::experiments {

/// The nearest folder upwards from here that holds data/manifest.yaml, else the one the program was built from.
std::filesystem::path project();

}  // namespace rfbench::experiments
