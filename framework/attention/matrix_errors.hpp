#pragma once
#include <limits>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/feature_map.hpp"

namespace rfbench::attention {

/// Sums of squares over the entries of the attention matrix, of the matrix exp(q.k / sqrt d) and of the output. The
/// second one is a logarithm: of large heads it is far outside the range of double.
struct Squares {
    double matrix = 0;                                             ///< of the attention matrix, rows of sum 1
    double log_kernel = -std::numeric_limits<double>::infinity();  ///< logarithm, of exp(q.k / sqrt d)
    double output = 0;                                             ///< of the output

    /// Adds exp(log_scale)^2 squares.
    void add_kernel(double log_scale, double squares);
};

/// How far linear attention is from softmax attention.
struct MatrixErrors {
    Squares size;           ///< of what softmax attention gives
    Squares error;          ///< of the map's estimates of it
    Index nonpositive = 0;  ///< rows whose denominator is not positive
};

/// Errors over all queries and all keys that are kept, in tiles: beside the inputs it holds one number for each of 2^20
/// pairs, or 64 for each key if these are more. O(L L' R) time for R columns. Throws as check() does, and when no key
/// is kept.
MatrixErrors matrix_errors(const Inputs<double>&, const features::FeatureMap&);
/// The bytes of those pairs, for so many keys.
double matrix_errors_bytes(Index keys);

}  // namespace rfbench::attention
