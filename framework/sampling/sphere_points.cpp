// Fixed, asymptotically uniform directions with random chi(d) lengths: the positive fixed features of Chen et al. 2024,
// (9), whose v_1, ..., v_m are a quasi-Monte Carlo point set and t_1, ..., t_m independent uniforms. The directions are
// those of Halton points whose permutations never change. Estimates are biased, less so the more points there are.
#include "rfbench/random/length.hpp"
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

void normals(const Stream& stream, Eigen::Ref<Projections> omega) {
    if (omega.size() == 0) return;
    Vector lengths(omega.cols());
    fill_chi(stream.child("length"), omega.rows(), lengths);
    halton().normals(Stream(0).child("sphere-points"), omega);
    for (Index m = 0; m < omega.cols(); ++m) omega.col(m) *= lengths[m] / length_in_order(omega.col(m));
}

}  // namespace

Scheme sphere_points() {
    return {"sphere-points",
            "fixed quasi-Monte Carlo directions, independent chi(d) lengths; biased",
            "Chen et al. 2024, (9)",
            Coupling::unknown,
            false,
            normals,
            nullptr};
}

}  // namespace rfbench::sampling
