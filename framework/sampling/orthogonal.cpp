// Block-orthogonal projections (Likhosherstov 2022, Algorithm 2, with the signs and the count of blocks corrected):
// blocks of d columns, each the columns of a Haar matrix times independent chi(d) lengths; blocks are independent, and
// the last one is cut when M is not a multiple of d.
#include <algorithm>

#include "rfbench/random/haar.hpp"
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

void normals(const Stream& stream, Eigen::Ref<Projections> omega) {
    const Index d = omega.rows(), count = omega.cols();
    Vector lengths(count);
    fill_chi(stream.child("length"), d, lengths);

    HaarSampler haar(d);
    const Stream blocks = stream.child("block");
    for (Index first = 0; first < count; first += d) {
        const auto block = static_cast<std::uint64_t>(first / d);
        haar(blocks.child(block), omega.middleCols(first, std::min(d, count - first)));
    }
    for (Index m = 0; m < count; ++m) omega.col(m) *= lengths[m];
}

}  // namespace

Scheme orthogonal() {
    return {"orthogonal",
            "orthogonal directions in blocks of d, independent chi(d) lengths",
            "Yu et al. 2016; Likhosherstov 2022, Algorithm 2",
            Coupling::orthogonal,
            true,
            normals,
            nullptr};
}

}  // namespace rfbench::sampling
