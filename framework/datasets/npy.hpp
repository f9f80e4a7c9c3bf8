#pragma once
// Arrays of numbers, and those that NumPy writes.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::datasets {

/// In row-major order: the last axis varies fastest.
struct Array {
    std::vector<Index> shape;
    std::vector<double> values;
};

/// How many numbers an array of that shape has. Throws DataError at `place` for none and for more than 2^28.
std::size_t size_of(const std::string& place, const std::vector<Index>& shape);

/// Throws DataError "place[indices from 0]: ..." at the first entry that is not finite, as of a float16 that
/// overflowed.
void require_finite(const std::string& place, const Array&);

/// Throws DataError at `place` for a whole number of 2^53 or more, of which double does not hold all.
void require_exact(const std::string& place, const Array& whole_numbers);

/// The same numbers with other axes: axis i of the result is axis from[i] of the array.
Array with_axes(const Array&, const std::vector<std::size_t>& from);

/// Values that were given with the first index running fastest (Fortran, MATLAB) are brought to the order of Array.
void to_row_major(Array&);

/// The rows of an array of two axes. Throws DataError at `place` for another number of axes, and as require_finite().
Points points_of(const std::string& place, const Array&);

/// Whether the bytes begin as an .npy file does.
bool is_npy(std::string_view bytes);

/// An .npy file, or a member of an .npz archive, in NumPy's format version 1 to 3, in C or Fortran order, of either
/// byte order: floats of 16, 32 and 64 bits, whole numbers of 8, 16 and 32 (of 64, as far as double holds them), truth
/// values, and what NumPy writes for bfloat16, '|V2'. Throws DataError at `place` for anything else, a file that is cut
/// short, and numbers that are too many or none.
Array read_npy(const std::string& place, std::string_view bytes);

/// An .npy file of doubles, in NumPy's format version 1. Throws std::invalid_argument where the shape is that of
/// another number of values.
std::string npy_text(const std::vector<std::size_t>& shape, std::span<const double> values);

}  // namespace rfbench::datasets
