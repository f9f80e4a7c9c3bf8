#pragma once
#include <filesystem>
#include <optional>

#include "prepared.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::cli {

/// The cells of a sweep that are done, collected in memory, NaN for the others; nothing where none is done. Throws
/// store::Error where one cannot be trusted.
std::optional<store::Dataset> collected_so_far(const Prepared&, const std::filesystem::path& results);

}  // namespace rfbench::cli
