// Independent columns: plain Monte Carlo.
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

void normals(const Stream& stream, Eigen::Ref<Projections> omega) { fill_normal(stream, omega); }
void uniforms(const Stream& stream, Eigen::Ref<Projections> u) { fill_uniform(stream, u); }

}  // namespace

Scheme iid() {
    return {
        "iid",   "independent projections", "Rahimi and Recht 2007, Algorithm 1", Coupling::independent, true, normals,
        uniforms};
}

}  // namespace rfbench::sampling
