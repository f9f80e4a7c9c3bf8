#pragma once
// What an HDF5 file of somebody else's holds.
#include <hdf5.h>

#include <string>
#include <vector>

namespace rfbench::datasets {

/// The paths of all datasets of an open file, "/group/name", in order of names. Throws store::Error when the library
/// cannot tell. To be called within store::QuietHdf5.
std::vector<std::string> hdf5_datasets(hid_t file);

/// Whether a dataset holds integers or floating-point numbers.
bool holds_numbers(hid_t dataset, const std::string& name);

}  // namespace rfbench::datasets
