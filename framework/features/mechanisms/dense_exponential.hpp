#pragma once
// The dense-exponential family (Likhosherstov et al. 2023, FAVOR#), with a shift c: for a diagonal A with 8A < 1, any
// invertible T and any vector c,
//
//     f1(w, x) = D exp(w'Aw + w'B (T x - c/2) - (|x|^2 + |T x|^2)/2 + c.T x - |c|^2/4)
//     f2(w, y) = D exp(w'Aw + w'B (T^-T y - c/2) - (|y|^2 + |T^-T y|^2)/2 + c.T^-T y - |c|^2/4)
//
// with B = (I - 4A)^{1/2} and D = det(I - 4A)^{1/4} estimate K without bias, because |Tx + T^-T y - c|^2 carries the
// cross term 2 x.y whatever T is. The features are positive. With rho_i = 1/(1 - 8 A_i) and
// L(rho) = log((1 + rho) / (2 sqrt(rho))) = log(1 + 16 A^2/(1 - 8A)) / 2,
//
//     log E Z^2 - 2 log K = sum_i [L(rho_i) + rho_i m_i^2],    m = T (x - p) + T^-T (y - r),    c = T p + T^-T r.
//
// T = I with one A is the optimal positive mechanism (Likhosherstov 2022, Theorem 15).
#include "rfbench/features/mechanism.hpp"

namespace rfbench::features {

/// Values of the symbols above for one member of the family.
struct DenseParameters {
    Eigen::MatrixXd query_transform = {};  ///< T, d x d; empty for the identity
    Eigen::MatrixXd key_transform = {};    ///< T^-T, d x d; empty for the identity
    Vector a;                              ///< d, the diagonal of A, each below 1/8
    Vector query_centre = {};              ///< p, d; empty for the origin
    Vector key_centre = {};                ///< r, d; empty for the origin
};

/// The fitted mechanism; `reported` is what parameters() returns.
std::unique_ptr<MechanismWithMoments> dense_exponential(DenseParameters, Settings reported);

/// The A that minimises n L(rho) + rho h: (1 - 1/rho*(h, n))/8, without cancellation. h below 0, a rounding error, is
/// taken for 0.
double optimal_a(double h, double n);

/// The setting A, one number, or optimal_a(h, d). Throws std::invalid_argument naming the mechanism unless it is finite
/// and below 1/8.
double given_or_optimal_a(const std::string& mechanism, const Settings&, double h, Index d);

/// The setting A, one number an axis, or optimal_a(h_i, 1) on every axis. Throws as above, and when there are not d.
Vector given_or_optimal_axes(const std::string& mechanism, const Settings&, const Vector& h);

/// Multiplies each column by 1 or -1 so that its largest entry in absolute value (the first of equals) is positive.
/// Eigenvectors then do not depend on the sign that an algorithm returns.
void orient(Eigen::MatrixXd& axes);

/// T such that T' T = S minimises mean |Tx|^2 + |T^-T y|^2 = tr(S M1) + tr(S^-1 M2) over positive definite S, M1 and M2
/// being d x d second moments. Both get a ridge of 1e-9 of their mean eigenvalue plus `rounding`, the size of their
/// rounding errors, so that singular moments (a single pair, a constant coordinate) leave T finite and invertible, its
/// singular values between about 1/200 and 200. The minimum is 2 sum singular_i; T M1 T' = T^-T M2 T^-1 =
/// diag(singular), up to the ridge.
struct BalancingTransform {
    Eigen::MatrixXd query;  ///< T
    Eigen::MatrixXd key;    ///< T^-T
    Vector singular;        ///< d, descending
};
/// See BalancingTransform.
BalancingTransform balancing_transform(const Eigen::MatrixXd& m1, const Eigen::MatrixXd& m2, double rounding);

}  // namespace rfbench::features
