#include "rfbench/decompositions/singular_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "rfbench/decompositions/symmetric_eigen.hpp"

namespace rfbench::decompositions {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Turns columns p and q of `w`, and of `v` with them, so that those of `w` are orthogonal (Golub and Van Loan 2013,
/// algorithm 8.5.1). False where they are already.
bool made_orthogonal(Eigen::MatrixXd& w, Eigen::MatrixXd& v, Index p, Index q) {
    const double pp = w.col(p).squaredNorm(), qq = w.col(q).squaredNorm(), pq = w.col(p).dot(w.col(q));
    const double rounding = epsilon * std::sqrt(static_cast<double>(w.rows()));
    if (std::abs(pq) <= rounding * std::sqrt(pp) * std::sqrt(qq)) return false;
    const double tau = (qq - pp) / (2 * pq);
    const double tangent = std::copysign(1 / (std::abs(tau) + std::hypot(1.0, tau)), tau);
    const double cosine = 1 / std::hypot(1.0, tangent), sine = tangent * cosine;
    for (Eigen::MatrixXd* m : {&w, &v}) {
        const Vector other = m->col(p);
        m->col(p) = cosine * other - sine * m->col(q);
        m->col(q) = sine * other + cosine * m->col(q);
    }
    return true;
}

/// A unit vector that is orthogonal to the first `count` columns: the axis that is farthest from them, without its part
/// in them; twice, since once leaves rounding.
Vector complement(const Eigen::MatrixXd& u, Index count) {
    Index axis = 0;
    u.leftCols(count).rowwise().squaredNorm().minCoeff(&axis);
    Vector rest = Vector::Unit(u.rows(), axis);
    for (int turn = 0; turn < 2; ++turn) rest -= u.leftCols(count) * (u.leftCols(count).transpose() * rest);
    return rest.normalized();
}

}  // namespace

// One-sided Jacobi, which finds small singular values to their own accuracy. It begins at the eigenvectors of A'A,
// which are right but for rounding, so that one or two sweeps are left to do.
SingularValues singular_values(const Eigen::MatrixXd& a) {
    constexpr int max_sweeps = 60;
    if (!a.allFinite()) throw std::invalid_argument("singular values of a matrix that is not finite");
    const Index n = a.cols();
    const double scale = a.size() == 0 ? 0 : a.cwiseAbs().maxCoeff();
    if (scale == 0) return {Eigen::MatrixXd::Identity(n, n), Vector::Zero(n), Eigen::MatrixXd::Identity(n, n)};

    Eigen::MatrixXd v = symmetric_eigen((a / scale).transpose() * (a / scale)).vectors.rowwise().reverse();
    Eigen::MatrixXd w = a / scale * v;
    bool turned = true;
    for (int sweep = 0; turned && sweep < max_sweeps; ++sweep) {
        turned = false;
        for (Index p = 0; p < n; ++p)
            for (Index q = p + 1; q < n; ++q) turned = made_orthogonal(w, v, p, q) || turned;
    }

    const Vector norms = w.colwise().norm();
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return norms[i] > norms[j]; });
    SingularValues result{Eigen::MatrixXd(n, n), Vector(n), v(Eigen::all, order)};
    for (Index j = 0; j < n; ++j) {
        const Index from = order[static_cast<std::size_t>(j)];
        result.values[j] = scale * norms[from];
        // A column in the null space is rounding, and has no direction of its own.
        const bool none = norms[from] <= epsilon * norms[order.front()] * static_cast<double>(n);
        result.left.col(j) = none ? complement(result.left, j) : Vector(w.col(from) / norms[from]);
    }
    return result;
}

}  // namespace rfbench::decompositions
