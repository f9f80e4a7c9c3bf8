#pragma once
// Arrays of HDF5 files that others have written: h5py, MATLAB, PyTables.
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

#include "rfbench/datasets/npy.hpp"
#include "rfbench/store/hdf5_handle.hpp"

namespace rfbench::datasets {

/// Whether a file is HDF5: its mark stands at the front, or at 512, 1024, 2048, ... bytes after a user block.
bool is_hdf5(const std::filesystem::path&);

/// An HDF5 file, to be read. Throws DataError that says whether another program has it open for writing, its file
/// system has no locks, or neither, when it may be incomplete. To be called within store::Hdf5Session, as are the
/// functions below.
store::Handle open_hdf5(const std::string& file);

/// Whether a dataset holds what read_hdf5() reads.
bool holds_numbers(hid_t dataset, const std::string& name);

/// The extents of a dataset as its writer sees them: MATLAB stores arrays with their axes reversed.
std::vector<Index> shape_of(hid_t dataset, const std::string& place);

/// Numbers of any type, width and byte order; truth values, as h5py (enumerations) and PyTables (bits) write them; two
/// opaque bytes are bfloat16. Throws DataError at `place` for anything else, numbers that lie in other files, more than
/// 2^28, and a filter that the library lacks, with its name.
Array read_hdf5(const std::string& place, hid_t file, hid_t dataset);

}  // namespace rfbench::datasets
