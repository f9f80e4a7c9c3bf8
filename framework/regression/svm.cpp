#include "rfbench/regression/svm.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rfbench::regression {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

void check_machine(Index rows, const Vector& labels, double bound) {
    if (rows == 0 || rows != labels.size())
        throw std::invalid_argument("svm: there are " + std::to_string(rows) + " rows and " +
                                    std::to_string(labels.size()) + " labels");
    if ((labels.array().abs() != 1).any()) throw std::invalid_argument("svm: labels must be 1 or -1");
    if (!(bound > 0)) throw std::invalid_argument("svm: the bound of the coordinates must be above zero");
}

/// sum_i max(0, 1 - r_i f_i).
double hinge(const Vector& labels, const Vector& values) { return (1 - labels.array() * values.array()).max(0).sum(); }

/// Two coordinates that move along alpha_up r_up + alpha_down r_down = constant, and by how much.
struct Pair {
    Index up = -1, down = -1;
    double step = 0;
};

class PairedDescent {
public:
    PairedDescent(const Eigen::MatrixXd& kernel, const Vector& labels, double bound)
        : kernel_(kernel), labels_(labels), bound_(bound), values_(Vector::Zero(labels.size())) {
        result.alpha = Vector::Zero(labels.size());
    }

    /// The pair that lowers the objective most by a step without bounds; up < 0 where none lowers it. Updates b.
    Pair choose() {
        Pair pair;
        double high = -unbounded, low = unbounded, most = -1;
        for (Index i = 0; i < labels_.size(); ++i)
            if (room(i, 1) > 0 && slack(i) > high) high = slack(i), pair.up = i;
        for (Index j = 0; j < labels_.size(); ++j) {
            if (!(room(j, -1) > 0)) continue;
            low = std::min(low, slack(j));
            const double difference = high - slack(j);
            if (pair.up < 0 || !(difference > 0)) continue;
            const double curvature = kernel_(pair.up, pair.up) + kernel_(j, j) - 2 * kernel_(pair.up, j);
            // Equal rows have no curvature: the step ends at a bound.
            const double gain = curvature > 0 ? difference * difference / curvature : unbounded;
            if (gain <= most) continue;
            most = gain;
            pair.down = j;
            pair.step = curvature > 0 ? difference / curvature : unbounded;
        }
        // One class alone leaves one of the two without an end.
        result.offset = high == -unbounded ? low : low == unbounded ? high : (high + low) / 2;
        if (pair.down < 0) pair.up = -1;
        return pair;
    }

    void move(const Pair& pair) {
        const double step = std::min({pair.step, room(pair.up, 1), room(pair.down, -1)});
        shift(pair.up, 1, step);
        shift(pair.down, -1, step);
        values_ += step * (kernel_.col(pair.up) - kernel_.col(pair.down));
    }

    /// Both objectives at alpha and b.
    void measure() {
        const double square = (result.alpha.array() * labels_.array()).matrix().dot(values_);
        result.primal = square / 2 + bound_ * hinge(labels_, (values_.array() + result.offset).matrix());
        result.dual = result.alpha.sum() - square / 2;
    }

    KernelSvm result;

private:
    /// r_i - f_i, f without b.
    double slack(Index i) const { return labels_[i] - values_[i]; }
    /// How far alpha_i r_i can move in a direction, 1 or -1.
    double room(Index i, double direction) const {
        return labels_[i] == direction ? bound_ - result.alpha[i] : result.alpha[i];
    }
    void shift(Index i, double direction, double step) {
        const bool grows = labels_[i] == direction;
        // All of the room ends at the bound, not beside it.
        if (step == room(i, direction))
            result.alpha[i] = grows ? bound_ : 0;
        else
            result.alpha[i] += grows ? step : -step;
    }

    const Eigen::MatrixXd& kernel_;
    const Vector& labels_;
    double bound_;
    Vector values_;  // f without b
};

}  // namespace

KernelSvm kernel_svm(const Eigen::MatrixXd& kernel, const Vector& labels, double bound, const SvmStop& stop) {
    check_machine(kernel.rows(), labels, bound);
    if (kernel.rows() != kernel.cols()) throw std::invalid_argument("svm: the kernel matrix must be square");
    // Objectives cost half of a step.
    constexpr Index between = 8;
    PairedDescent descent(kernel, labels, bound);
    const Index most = stop.rounds * kernel.rows();
    for (Index step = 0; step <= most; ++step) {
        const Pair pair = descent.choose();
        const bool ends = pair.up < 0 || step == most;
        if (ends || step % between == 0) {
            descent.measure();
            if (ends || descent.result.reached(stop.gap)) break;
        }
        descent.result.rounds = step / kernel.rows() + 1;
        descent.move(pair);
    }
    return std::move(descent.result);
}

LinearSvm linear_svm(const PointsView& features, const Vector& labels, double bound, const SvmStop& stop,
                     const Stream& stream) {
    const Index n = features.rows();
    check_machine(n, labels, bound);
    const Vector squares = features.rowwise().squaredNorm();
    LinearSvm result;
    result.alpha = Vector::Zero(n);
    result.weights = Vector::Zero(features.cols());
    result.primal = bound * static_cast<double>(n);
    std::vector<Index> order(static_cast<std::size_t>(n));
    while (result.rounds < stop.rounds && !result.reached(stop.gap)) {
        std::iota(order.begin(), order.end(), Index{0});
        Stream own = stream.child(static_cast<std::uint64_t>(result.rounds++));
        for (std::size_t left = order.size(); left > 0; --left) {
            std::swap(order[left - 1], order[own.below(left)]);
            const Index i = order[left - 1];
            const double gradient = labels[i] * features.row(i).dot(result.weights) - 1;
            const double before = result.alpha[i];
            const double after = squares[i] > 0 ? std::clamp(before - gradient / squares[i], 0.0, bound) : bound;
            if (after == before) continue;
            result.alpha[i] = after;
            result.weights += (after - before) * labels[i] * features.row(i).transpose();
        }
        const double half = result.weights.squaredNorm() / 2;
        result.primal = half + bound * hinge(labels, features * result.weights);
        result.dual = result.alpha.sum() - half;
    }
    return result;
}

}  // namespace rfbench::regression
