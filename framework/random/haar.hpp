#pragma once
#include "rfbench/random/stream.hpp"

namespace rfbench {

/// The first v columns of a Haar-distributed d x d orthogonal matrix, into the d x v matrix q, v <= d: a product of
/// random Householder reflections (Stewart 1980, "The efficient generation of random orthogonal matrices"), without the
/// QR decomposition of a Gaussian matrix. Column j depends on the stream, d and j only, not on v. Orthonormal to a few
/// ulp. Costs 2 d^2 v flops at most. Throws std::invalid_argument when v > d.
void fill_haar(const Stream& stream, Eigen::Ref<Eigen::MatrixXd> q);

/// The same, with a workspace that is reused from call to call.
class HaarSampler {
public:
    /// For matrices of d rows.
    explicit HaarSampler(Index d);
    /// As fill_haar().
    void operator()(const Stream& stream, Eigen::Ref<Eigen::MatrixXd> q);

private:
    static constexpr Index lanes = 16;  // columns that are reflected together
    using Panel = Eigen::Matrix<double, lanes, Eigen::Dynamic>;

    Index reflector(Index j) const { return j * d_ - j * (j - 1) / 2; }
    void normalise_reflectors(Index v);
    void reflect_panel(Index first, Index count);

    Index d_;
    Vector reflectors_;  // u_0 (d numbers), u_1 (d - 1), ...; the reflection I - u u' on the last d - j coordinates
    Vector directions_;  // the Gaussian vectors behind them, divided by their lengths
    Panel panel_;        // lanes x d: row l is column first + l of q
};

}  // namespace rfbench
