#pragma once
// Folders of the project's configurations and data, for programs started anywhere.
#include <filesystem>

#include "rfbench/datasets/manifest.hpp"
#include "rfbench/datasets/places.hpp"

namespace rfbench::experiments {

/// The folder that holds configs/ and data/manifest.yaml. In this order: the nearest one upwards from the current
/// folder (a checkout), share/rfbench of the prefix that the running program is installed to, the nearest one upwards
/// from the program (a build folder in a checkout). Throws std::runtime_error where there is none.
std::filesystem::path project();

/// The data sets of the project, and those that the user has added.
datasets::Manifest data_manifest();

/// Folders in which data may lie. An installed project, which its users cannot write to, has no cache of its own.
datasets::Places data_places();

}  // namespace rfbench::experiments
