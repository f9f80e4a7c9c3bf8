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

/// In tiles of both matrices: what is held beside the head does not grow with its length. O(L^2 R) time for R columns.
MatrixErrors matrix_errors(const HeadSequence&, const features::FeatureMap&);

}  // namespace rfbench::experiments
