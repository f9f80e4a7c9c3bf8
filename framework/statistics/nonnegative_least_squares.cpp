#include "rfbench/statistics/nonnegative_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/decompositions/cholesky.hpp"

namespace rfbench::statistics {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

void check(const MatrixXd& h, const VectorXd& b) {
    if (h.rows() != b.size() || h.cols() != b.size())
        throw std::invalid_argument("nonnegative least squares: H is " + std::to_string(h.rows()) + " x " +
                                    std::to_string(h.cols()) + ", b has " + std::to_string(b.size()) + " entries");
    if (!h.allFinite() || !b.allFinite())
        throw std::invalid_argument("nonnegative least squares: H and b must be finite");
}

/// Between rounds w is the minimum over the coordinates in use, where it is positive, and 0 elsewhere. Barred ones did
/// not help since the objective last fell.
class ActiveSet {
public:
    ActiveSet(const MatrixXd& h, const VectorXd& b)
        : h_(h), b_(b), w_(VectorXd::Zero(b.size())), barred_(static_cast<std::size_t>(b.size()), false) {}

    VectorXd solve() {
        double lowest = 0;
        for (Index next = steepest(); next >= 0; next = steepest()) {
            const VectorXd before = w_;
            const std::vector<Index> used_before = used_;
            used_.push_back(next);
            // Undoes a step that rounding leaves no better than before, so that the loop ends.
            const double reached = advance() ? objective() : lowest;
            if (reached < lowest) {
                lowest = reached;
                std::fill(barred_.begin(), barred_.end(), false);
            } else {
                w_ = before;
                used_ = used_before;
                barred_[static_cast<std::size_t>(next)] = true;
            }
        }
        return w_;
    }

private:
    /// The unused coordinate of the largest gradient b - Hw beyond rounding; -1 when there is none.
    Index steepest() const {
        constexpr double ulp = std::numeric_limits<double>::epsilon();
        const double n = static_cast<double>(b_.size());
        Index best = -1;
        double largest = 0;
        for (Index i = 0; i < b_.size(); ++i) {
            const bool in_use = std::find(used_.begin(), used_.end(), i) != used_.end();
            if (in_use || barred_[static_cast<std::size_t>(i)] || !(h_(i, i) > 0)) continue;
            double sum = b_[i], size = std::abs(b_[i]);
            for (const Index j : used_) {
                sum -= h_(i, j) * w_[j];
                size += std::abs(h_(i, j)) * w_[j];
            }
            // Over sqrt(h_ii), so that coordinates measured in other units are chosen in the same order. A gradient
            // counts only above what rounding can make of a sum of such terms.
            const double scaled = sum / std::sqrt(h_(i, i));
            if (sum > n * ulp * size && scaled > largest) {
                largest = scaled;
                best = i;
            }
        }
        return best;
    }

    double objective() const { return w_.dot(h_ * w_ - 2 * b_); }

    /// Moves to the minimum over the coordinates in use, dropping those that reach 0 on the way. False when one of them
    /// depends on the others or the last would not grow.
    bool advance() {
        for (bool first = true;; first = false) {
            VectorXd target;
            if (!minimum(target)) return false;
            if (first && target[target.size() - 1] <= 0) return false;
            // To the target, or as far as the first coordinate comes to 0.
            double step = 1;
            for (std::size_t k = 0; k < used_.size(); ++k) {
                const double to = target[static_cast<Index>(k)], from = w_[used_[k]];
                if (to <= 0) step = std::min(step, from / (from - to));
            }
            for (std::size_t k = 0; k < used_.size(); ++k) {
                const double to = target[static_cast<Index>(k)], from = w_[used_[k]];
                // Exactly 0, whatever rounding says: by this it is dropped.
                const bool reaches_zero = to <= 0 && from / (from - to) <= step;
                w_[used_[k]] = reaches_zero ? 0 : from + step * (to - from);
            }
            if (step == 1) return true;
            std::erase_if(used_, [this](Index i) { return w_[i] == 0; });
        }
    }

    /// The minimum over the coordinates in use, whatever their signs; false when they are dependent to rounding.
    bool minimum(VectorXd& target) const {
        const auto n = static_cast<Index>(used_.size());
        const VectorXd scale = h_.diagonal()(used_).cwiseSqrt().cwiseInverse();
        const MatrixXd part = scale.asDiagonal() * h_(used_, used_) * scale.asDiagonal();
        const VectorXd right = b_(used_).cwiseProduct(scale);
        const decompositions::Cholesky factor(part);
        // The diagonal is 1: pivots are the sines of the angles between one coordinate and those before it.
        const double pivot = n > 0 ? factor.lower().diagonal().minCoeff() : 1;
        const bool independent = factor.positive_definite() &&
                                 pivot * pivot > static_cast<double>(n) * std::numeric_limits<double>::epsilon();
        if (independent) target = factor.solve(right).cwiseProduct(scale);
        return independent;
    }

    const MatrixXd& h_;
    const VectorXd& b_;
    VectorXd w_;
    std::vector<Index> used_;
    std::vector<bool> barred_;
};

}  // namespace

VectorXd nonnegative_least_squares(const MatrixXd& h, const VectorXd& b) {
    check(h, b);
    return ActiveSet(h, b).solve();
}

VectorXd projected_gradient(const MatrixXd& h, const VectorXd& b, const VectorXd& start, int steps) {
    check(h, b);
    if (start.size() != b.size() || !(start.array() >= 0).all())
        throw std::invalid_argument("nonnegative least squares: the start must have an entry >= 0 for each of b");
    // The largest row sum is at least the largest eigenvalue: one over it is a step that does not overshoot.
    const double steepest = b.size() > 0 ? h.cwiseAbs().rowwise().sum().maxCoeff() : 0;
    if (!(steepest > 0)) return start;
    VectorXd w = start, ahead = start;
    double momentum = 1;
    for (int step = 0; step < steps; ++step) {
        // Beck and Teboulle 2009, (4.1) to (4.3).
        const VectorXd next = (ahead + (b - h * ahead) / steepest).cwiseMax(0);
        const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
        ahead = next + (momentum - 1) / following * (next - w);
        w = next;
        momentum = following;
    }
    return w;
}

}  // namespace rfbench::statistics
