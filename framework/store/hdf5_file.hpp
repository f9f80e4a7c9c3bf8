#pragma once
// A Dataset as an HDF5 file that h5py and xarray open directly: axes are dimension scales, units and descriptions are
// the attributes `units` and `long_name`, text is variable-length UTF-8. The HDF5 image is followed by one line with
// its sha256, which HDF5 readers pass over: a file that was damaged or cut short is refused before the library, which
// damage can crash or hang, sees any of it.
#include <filesystem>
#include <string>
#include <string_view>

#include "rfbench/store/dataset.hpp"

namespace rfbench::store {

/// Writes the file as write_file does and returns its sha256. Equal Datasets give equal bytes. Throws
/// std::invalid_argument as check() does, and Error when a name or a text cannot be stored or the file cannot be
/// written.
std::string write(const std::filesystem::path&, const Dataset&);

/// Reads a file that write() made. Its bytes are first compared with the entry of the SHA256SUMS beside it, if there is
/// one (see listed_checksum), and with the sha256 at its end. Throws Error naming the file and what is wrong with it.
Dataset read(const std::filesystem::path&);

/// The same, compared with the sha256 that is known from elsewhere instead of from a list.
Dataset read(const std::filesystem::path&, std::string_view sha256);

}  // namespace rfbench::store
