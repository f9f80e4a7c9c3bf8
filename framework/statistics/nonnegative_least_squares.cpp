#include "rfbench/statistics/nonnegative_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/decompositions/growing_cholesky.hpp"

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
        : h_(h),
          b_(b),
          scale_(h.diagonal().cwiseSqrt().cwiseInverse()),
          w_(VectorXd::Zero(b.size())),
          barred_(static_cast<std::size_t>(b.size()), false),
          factor_(b.size()) {
        differentiate();
    }

    VectorXd solve() {
        double lowest = 0;
        for (Index next = steepest(); next >= 0; next = steepest()) {
            const VectorXd before = w_, gradient_before = gradient_, terms_before = terms_;
            const std::vector<Index> used_before = used_;
            used_.push_back(next);
            const bool advanced = advance();
            if (advanced) differentiate();
            // Undoes a step that rounding leaves no better than before, so that the loop ends.
            const double reached = advanced ? objective() : lowest;
            if (reached < lowest) {
                lowest = reached;
                std::fill(barred_.begin(), barred_.end(), false);
            } else {
                w_ = before;
                gradient_ = gradient_before;
                terms_ = terms_before;
                used_ = used_before;
                barred_[static_cast<std::size_t>(next)] = true;
            }
        }
        return w_;
    }

private:
    /// b - Hw, and the sum of the absolute values of its terms.
    void differentiate() {
        gradient_ = b_;
        terms_ = b_.cwiseAbs();
        for (const Index j : used_) {
            gradient_ -= h_.col(j) * w_[j];
            terms_ += h_.col(j).cwiseAbs() * w_[j];
        }
    }

    /// The unused coordinate of the largest gradient beyond rounding; -1 when there is none.
    Index steepest() const {
        constexpr double ulp = std::numeric_limits<double>::epsilon();
        const double n = static_cast<double>(b_.size());
        std::vector<bool> in_use(static_cast<std::size_t>(b_.size()), false);
        for (const Index j : used_) in_use[static_cast<std::size_t>(j)] = true;
        Index best = -1;
        double largest = 0;
        for (Index i = 0; i < b_.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (in_use[at] || barred_[at] || !(h_(i, i) > 0)) continue;
            // Over sqrt(h_ii), so that coordinates measured in other units are chosen in the same order. A gradient
            // counts only above what rounding can make of a sum of such terms.
            const double scaled = gradient_[i] / std::sqrt(h_(i, i));
            if (gradient_[i] > n * ulp * terms_[i] && scaled > largest) {
                largest = scaled;
                best = i;
            }
        }
        return best;
    }

    /// w'Hw - 2 b'w.
    double objective() const { return -w_.dot(b_ + gradient_); }

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
    bool minimum(VectorXd& target) {
        if (!factorize()) return false;
        // The diagonal is 1: pivots are the sines of the angles between one coordinate and those before it.
        const double pivot = factor_.min_pivot(), n = static_cast<double>(used_.size());
        if (!(pivot * pivot > n * std::numeric_limits<double>::epsilon())) return false;
        const VectorXd scale = scale_(used_);
        target = factor_.solve(b_(used_).cwiseProduct(scale)).cwiseProduct(scale);
        return true;
    }

    /// Factorizes H over the coordinates in use, scaled to a diagonal of ones. Rows of the last time are kept as far as
    /// their coordinates are the same: most often all but one.
    bool factorize() {
        const auto changed = std::mismatch(factored_.begin(), factored_.end(), used_.begin(), used_.end()).first;
        factored_.erase(changed, factored_.end());
        factor_.keep(static_cast<Index>(factored_.size()));
        while (factored_.size() < used_.size()) {
            const Index next = used_[factored_.size()];
            const VectorXd row = scale_[next] * h_.col(next)(factored_).cwiseProduct(scale_(factored_));
            if (!factor_.append(row, scale_[next] * h_(next, next) * scale_[next])) return false;
            factored_.push_back(next);
        }
        return true;
    }

    const MatrixXd& h_;
    const VectorXd& b_;
    const VectorXd scale_;
    VectorXd w_, gradient_, terms_;
    std::vector<Index> used_;
    std::vector<bool> barred_;
    decompositions::GrowingCholesky factor_;
    std::vector<Index> factored_;  ///< coordinates of its rows
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
