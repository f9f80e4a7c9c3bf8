#pragma once
// Named arrays of numbers, as programs that hold queries and keys write them: HDF5, NumPy's .npz, safetensors.
#include <filesystem>
#include <string>

#include "rfbench/datasets/npy.hpp"

namespace rfbench::models {

using datasets::Array;

/// The array of that name. What the file is follows from its content. HDF5: floating-point datasets of any width, by
/// path; .npz: <f2, <f4, <f8 in C order, stored or deflated; safetensors: F16, BF16, F32.
/// Throws DataError, naming the file, the array and the entry (from 0), for a file that is none of these or is damaged,
/// an array that is not there (with those that are), of another type, of more than 2^28 numbers, and an entry that is
/// not finite, as of a float16 that overflowed.
Array read_array(const std::filesystem::path& path, const std::string& name);

}  // namespace rfbench::models
