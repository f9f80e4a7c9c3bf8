#pragma once
// Point sets that a user hands in: delimited text, NumPy's .npy and .npz, or a two-dimensional HDF5 dataset.
#include <string>
#include <string_view>

#include "rfbench/matrix.hpp"

namespace rfbench::datasets {

/// n x d points from a file, one point a row. What the file is follows from its content. `where` is a path, or for HDF5
/// and .npz a path, a colon and an array's name: points.h5:/train/x. Without a name the file must hold exactly one
/// two-dimensional array of numbers. Text and .npy may be packed by gzip, or alone in a zip archive.
///
/// Text: LIBSVM's sparse rows without their target, ARFF (name.arff:numeric takes the numeric attributes alone, and
/// without it any other is refused), or fields separated by semicolons, commas, tabs or spaces (the first of these that
/// the first line holds), '#' begins a comment, blank lines are passed over, the first line may be a header
/// (names_line.hpp).
///
/// .npy: see read_npy(). HDF5: see read_hdf5().
///
/// Throws DataError, with file:row:column (from 1) for text, file:/dataset[row, column] (from 0) for HDF5 and file[row,
/// column] for .npy, for ragged rows, unparsable numbers, NaN, infinities, an empty set, an array of another rank or
/// type, or a point whose squared length is beyond double.
Points read_points(const std::string& where);

/// The path of the file in `where`, which need not exist.
std::string file_of_points(const std::string& where);

/// The text formats of read_points. `file` names it in messages, `name` stands after its colon.
Points read_points_text(std::string_view text, std::string_view file, const std::string& name = "");

/// The HDF5 format of read_points; `dataset` may be empty.
Points read_points_hdf5(const std::string& file, const std::string& dataset);

}  // namespace rfbench::datasets
