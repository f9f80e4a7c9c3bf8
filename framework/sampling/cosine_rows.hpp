#pragma once
// The directions of discrete cosine features: rows of orthonormal cosine and sine transforms.
#include "rfbench/matrix.hpp"

namespace rfbench::sampling {

/// Which way round the transforms are taken: rows of C, C_jk = s_j cos(pi (2k + 1) j / (2d)), or columns of C.
enum class CosineSide { rows, columns };

/// Direction m in d dimensions, of length 1. Directions 0 .. d-1 are the rows (columns) of the DCT-II matrix C; the
/// next d are of the DCT-IV, the DST-II and the DST-IV, one after the other ("different boundary conditions");
/// direction 4d is direction 0 again. Chen et al. 2024, (11), which prints a two-dimensional transform of ones.
Vector cosine_direction(CosineSide, Index dimension, Index m);

}  // namespace rfbench::sampling
