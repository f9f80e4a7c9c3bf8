#pragma once
// Archives of arrays that numpy.savez writes: a zip whose members are .npy files.
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/datasets/npy.hpp"

namespace rfbench::datasets {

/// Names of the arrays, without .npy; none where the archive is of something else. Throws DataError as zip_members(),
/// and where another program's files are known (foreign.hpp).
std::vector<std::string> npz_names(std::string_view bytes, const std::string& file);

/// One of them. Throws DataError as unzip() and read_npy().
Array read_npz(std::string_view bytes, const std::string& file, const std::string& name, const std::string& place);

/// The rows of the array of that name; without a name, of the only one with two axes. Throws DataError likewise, and
/// names the arrays there are.
Points read_points_npz(std::string_view bytes, const std::string& file, const std::string& name);

}  // namespace rfbench::datasets
