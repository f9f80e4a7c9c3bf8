#pragma once
// Support vector machines of two classes, r_i = 1 or -1 (Cristianini and Shawe-Taylor 2000; Likhosherstov 2022, (2.2)):
//     min |w|^2 / 2 + C sum_i max(0, 1 - r_i f(x_i)).
// With a kernel, f(x) = sum_j alpha_j r_j K(x_j, x) + b and the dual is
//     max sum_i alpha_i - (1/2) sum_ij alpha_i alpha_j r_i r_j K_ij,   0 <= alpha_i <= C,   sum_i alpha_i r_i = 0.
// Through features f(x) = w.phi(x), w = sum_i alpha_i r_i phi(x_i), and the dual lacks the last condition. A constant
// column c among the features stands for b: it adds c^2 to the kernel, and b^2 / c^2 to |w|^2.
#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::regression {

/// When a solver ends: the objective is within `gap` of the optimum, relative to itself, or n steps were taken `rounds`
/// times.
struct SvmStop {
    double gap = 1e-3;
    Index rounds = 1000;
};

/// The optimum is between both objectives.
struct SvmState {
    Vector alpha;                 ///< n; rows above zero are the support vectors
    double primal = 0, dual = 0;  ///< objectives
    Index rounds = 0;             ///< begun, of n steps each

    /// Whether primal - dual is at most `gap` times primal.
    bool reached(double gap) const { return primal - dual <= gap * primal; }
    /// alpha_i above zero.
    Index support() const { return (alpha.array() > 0).count(); }
};

struct KernelSvm : SvmState {
    double offset = 0;  ///< b
};
struct LinearSvm : SvmState {
    Vector weights;  ///< w
};

/// By pairs of coordinates, chosen with second-order information (Platt 1999; Fan, Chen and Lin 2005). The kernel
/// matrix of the rows, n x n, is symmetric with no negative eigenvalue; labels are 1 or -1; bound C > 0. Of one class
/// alone: alpha = 0 and f that class. Throws std::invalid_argument for other shapes, labels or bounds, and for no rows.
KernelSvm kernel_svm(const Eigen::MatrixXd& kernel, const Vector& labels, double bound, const SvmStop&);

/// By single coordinates (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008, Algorithm 1), each round in an order of its
/// own from the stream. Features, n x R; the rest as above. A row without features has alpha = C.
LinearSvm linear_svm(const PointsView& features, const Vector& labels, double bound, const SvmStop&, const Stream&);

}  // namespace rfbench::regression
