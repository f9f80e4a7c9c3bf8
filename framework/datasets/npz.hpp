#pragma once
// Archives of arrays that numpy.savez writes: a zip whose members are .npy files.
#include <string>
#include <vector>

#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/zip.hpp"

namespace rfbench::datasets {

/// Names of the arrays, without .npy; none where the archive is of something else. Throws DataError where another
/// program's files are known (foreign.hpp).
std::vector<std::string> npz_names(const Zip&);

/// One of them. Throws DataError as Zip::contents() and read_npy().
Array read_npz(const Zip&, const std::string& name, const std::string& place);

/// The rows of the array of that name; without a name, of the only one with two axes. Throws DataError likewise, and
/// names the arrays there are.
Points read_points_npz(const Zip&, const std::string& name);

}  // namespace rfbench::datasets
