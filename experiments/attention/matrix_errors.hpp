#pragma once
#include "sources/heads.hpp"

namespace rfbench::experiments {

/// Sums of squares over the entries of the attention matrix, of the matrix exp(q.k / sqrt d), whose entries are taken
/// relative to the largest there can be, and of the output.
struct Squares {
    double matrix = 0, kernel = 0, output = 0;
};

struct MatrixErrors {
    Squares size;       ///< of what softmax attention gives
    Squares error;      ///< of the map's estimates of it
    Index nonpositive;  ///< rows whose denominator is not positive
};

/// In tiles: beside the head, a number for each of 2^20 pairs, or 64 a key where that is more. O(L^2 R) time for R
/// columns.
MatrixErrors matrix_errors(const HeadSequence&, const features::FeatureMap&);
/// What that holds at once of the attention matrix of so many keys.
double matrix_errors_bytes(Index keys);

}  // namespace rfbench::experiments
