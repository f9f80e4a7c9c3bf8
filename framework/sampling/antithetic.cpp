// Antithetic pairs: columns 2p and 2p + 1 are w and -w (uniforms: u and 1 - u). With an odd M the last w stands alone.
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

Eigen::MatrixXd first_of_pairs(const Eigen::Ref<Projections>& out) {
    return Eigen::MatrixXd(out.rows(), (out.cols() + 1) / 2);
}

void normals(const Stream& stream, Eigen::Ref<Projections> omega) {
    Eigen::MatrixXd first = first_of_pairs(omega);
    fill_normal(stream, first);
    for (Index m = 0; m < omega.cols(); ++m) omega.col(m) = (m % 2 == 0 ? 1.0 : -1.0) * first.col(m / 2);
}

void uniforms(const Stream& stream, Eigen::Ref<Projections> u) {
    Eigen::MatrixXd first = first_of_pairs(u);
    fill_uniform(stream, first);
    for (Index m = 0; m < u.cols(); ++m)
        if (m % 2 == 0)
            u.col(m) = first.col(m / 2);
        else
            u.col(m) = 1 - first.col(m / 2).array();
}

}  // namespace

Scheme antithetic() {
    return {"antithetic", "pairs w and -w", "Hammersley and Morton 1956", Coupling::antithetic, true,
            normals,      uniforms};
}

}  // namespace rfbench::sampling
