// Simplex projections: blocks of d columns along the vertices of a randomly rotated regular simplex, so that directions
// within a block have the inner product -1/(d - 1); independent chi(d) lengths. In the orthonormal basis q_1, ...,
// q_{d-1} of a Haar draw, with t = q_1 + ... + q_{d-1}, the vertices are
//     sqrt(d/(d-1)) q_i - (sqrt d + 1)/(d-1)^{3/2} t,  i < d,   and   t/sqrt(d-1).
// d = 1: a simplex of one vertex has no partner to repel; the columns are independent N(0, 1).
#include <algorithm>
#include <cmath>

#include "rfbench/random/haar.hpp"
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

// Overwrites the basis (d x (d-1)) by the first d - 1 vertices; the last one is returned.
Vector vertices(Eigen::Ref<Eigen::MatrixXd> basis) {
    const double d = static_cast<double>(basis.rows());
    Vector total = Vector::Zero(basis.rows());
    for (Index i = 0; i < basis.cols(); ++i) total += basis.col(i);

    const double along = std::sqrt(d / (d - 1)), back = (std::sqrt(d) + 1) / ((d - 1) * std::sqrt(d - 1));
    for (Index i = 0; i < basis.cols(); ++i) basis.col(i) = along * basis.col(i) - back * total;
    return total / std::sqrt(d - 1);
}

void normals(const Stream& stream, Eigen::Ref<Projections> omega) {
    const Index d = omega.rows(), count = omega.cols();
    const Stream blocks = stream.child("block");
    if (d == 1) {
        fill_normal(blocks, omega);
        return;
    }
    Vector lengths(count);
    fill_chi(stream.child("length"), d, lengths);

    HaarSampler haar(d);
    Eigen::MatrixXd block(d, d);
    for (Index first = 0; first < count; first += d) {
        auto basis = block.leftCols(d - 1);
        haar(blocks.child(static_cast<std::uint64_t>(first / d)), basis);
        block.col(d - 1) = vertices(basis);
        const Index width = std::min(d, count - first);
        omega.middleCols(first, width) = block.leftCols(width);
    }
    for (Index m = 0; m < count; ++m) omega.col(m) *= lengths[m];
}

}  // namespace

Scheme simplex() {
    return {"simplex",
            "directions of a rotated regular simplex in blocks of d, independent chi(d) lengths",
            "Reid et al. 2023",
            Coupling::simplex,
            true,
            normals,
            nullptr};
}

}  // namespace rfbench::sampling
