#pragma once
#include <filesystem>

#include "prepared.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::cli {

/// The cells of a sweep that are done, collected in memory, NaN for the others. Throws InputError where none is done,
/// and store::Error where one cannot be trusted.
store::Dataset collected_so_far(const Prepared&, const std::filesystem::path& results);

}  // namespace rfbench::cli
