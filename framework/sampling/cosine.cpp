// Directions of discrete cosine transforms (Chen et al. 2024, (11), corrected) with random chi(d) lengths.
//   dct          rows of the transforms, each with a random sign
//   dct-columns  columns, which is what the authors' program multiplies by
//   dct-rotated  rows in a random orthonormal basis, one for four transforms
// Fixed directions are not uniform on the sphere: at d = M = 8 the mean of exp(w.e1) is 1.578, not exp(1/2) = 1.649
// (and 2.714 without the signs). After a rotation every column is exactly N(0, I_d).
#include <algorithm>

#include "rfbench/random/haar.hpp"
#include "rfbench/sampling/cosine_rows.hpp"
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

void fixed(CosineSide side, const Stream& stream, Eigen::Ref<Projections> omega) {
    Vector lengths(omega.cols());
    fill_chi(stream.child("length"), omega.rows(), lengths);
    Stream signs = stream.child("sign");
    for (Index m = 0; m < omega.cols(); ++m) {
        const double sign = signs.bits() & 1 ? 1 : -1;
        omega.col(m) = sign * lengths[m] * cosine_direction(side, omega.rows(), m);
    }
}

void rows(const Stream& stream, Eigen::Ref<Projections> omega) { fixed(CosineSide::rows, stream, omega); }
void columns(const Stream& stream, Eigen::Ref<Projections> omega) { fixed(CosineSide::columns, stream, omega); }

void rotated(const Stream& stream, Eigen::Ref<Projections> omega) {
    const Index d = omega.rows(), block = 4 * d;
    rows(stream, omega);
    HaarSampler haar(d);
    Eigen::MatrixXd basis(d, d);
    const Stream bases = stream.child("basis");
    for (Index first = 0; first < omega.cols(); first += block) {
        haar(bases.child(static_cast<std::uint64_t>(first / block)), basis);
        const Index width = std::min(block, omega.cols() - first);
        omega.middleCols(first, width) = (basis * omega.middleCols(first, width)).eval();
    }
}

}  // namespace

Scheme dct() {
    return {"dct",
            "rows of cosine transforms, signed chi(d) lengths; directions are fixed, so biased",
            "Chen et al. 2024, (11), (12)",
            Coupling::unknown,
            false,
            rows,
            nullptr};
}

Scheme dct_columns() {
    return {"dct-columns",
            "columns of cosine transforms, as in the program of the paper; biased",
            "Chen et al. 2024, released program",
            Coupling::unknown,
            false,
            columns,
            nullptr};
}

Scheme dct_rotated() {
    return {"dct-rotated",
            "rows of cosine transforms in a random basis, chi(d) lengths",
            "Chen et al. 2024, corrected",
            Coupling::unknown,
            true,
            rotated,
            nullptr};
}

}  // namespace rfbench::sampling
