#include "rfbench/dof/training.hpp"

#include <LBFGS.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::dof {
namespace {

/// All parameters in one vector: points, column by column, then log weights if they are learned.
class Parameters {
public:
    Parameters(const WeightedFeatures& start, bool weights) : start_(start), weights_(weights) {}

    Vector flat(const Projections& points, const Vector& log_weights) const {
        Vector all(points.size() + (weights_ ? log_weights.size() : 0));
        all.head(points.size()) = points.reshaped();
        if (weights_) all.tail(log_weights.size()) = log_weights;
        return all;
    }

    WeightedFeatures features(const Vector& all) const {
        WeightedFeatures out = start_;
        out.points = all.head(out.points.size()).reshaped(out.points.rows(), out.points.cols());
        if (weights_) out.log_weights = all.tail(out.log_weights.size());
        return out;
    }

private:
    WeightedFeatures start_;
    bool weights_;
};

/// Adam with the published constants.
class Adam {
public:
    explicit Adam(Index size) : mean_(Vector::Zero(size)), square_(Vector::Zero(size)) {}

    void step(const Vector& gradient, double rate, Vector& parameters) {
        constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
        mean_ = beta1 * mean_ + (1 - beta1) * gradient;
        square_ = beta2 * square_ + (1 - beta2) * gradient.cwiseAbs2();
        power1_ *= beta1;
        power2_ *= beta2;
        parameters.array() -=
            rate / (1 - power1_) * mean_.array() / ((square_.array() / (1 - power2_)).sqrt() + epsilon);
    }

private:
    Vector mean_, square_;
    double power1_ = 1, power2_ = 1;
};

/// Sequences in a random order, drawn anew each time round (Fisher and Yates).
class Batches {
public:
    Batches(const std::vector<Sequence>& sequences, const Stream& stream) : stream_(stream) {
        for (const Sequence& sequence : sequences) order_.push_back(&sequence);
        next_ = order_.size();
    }

    std::vector<const Sequence*> next(std::size_t size) {
        std::vector<const Sequence*> batch;
        while (batch.size() < std::min(size, order_.size())) {
            if (next_ == order_.size()) shuffle();
            batch.push_back(order_[next_++]);
        }
        return batch;
    }

private:
    void shuffle() {
        Stream own = stream_.child(round_++);
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[own.below(i)]);
        next_ = 0;
    }

    std::vector<const Sequence*> order_;
    std::size_t next_ = 0;
    Stream stream_;
    std::uint64_t round_ = 0;
};

Vector adam(const Parameters& parameters, Vector at, const std::vector<Sequence>& sequences, const Training& training,
            const Stream& stream, std::vector<double>& losses) {
    Adam optimiser(at.size());
    Batches batches(sequences, stream);
    for (int step = 0; step < training.steps; ++step) {
        const LossAndGradient of = evaluate(training.loss, training.visible, parameters.features(at),
                                            batches.next(static_cast<std::size_t>(training.batch)));
        losses.push_back(of.loss);
        const double rate = 0.5 * training.rate * (1 + std::cos(M_PI * step / training.steps));
        optimiser.step(parameters.flat(of.points, of.log_weights), rate, at);
    }
    return at;
}

Vector lbfgs(const Parameters& parameters, Vector at, const std::vector<const Sequence*>& sequences,
             const Training& training, std::vector<double>& losses) {
    Vector best = at;
    double least = std::numeric_limits<double>::infinity();
    auto objective = [&](const Vector& x, Vector& gradient) {
        const LossAndGradient of = evaluate(training.loss, training.visible, parameters.features(x), sequences);
        gradient = parameters.flat(of.points, of.log_weights);
        losses.push_back(of.loss);
        if (of.loss < least) {
            least = of.loss;
            best = x;
        }
        return of.loss;
    };
    LBFGSpp::LBFGSParam<double> settings;
    settings.max_iterations = training.steps;
    settings.epsilon = settings.epsilon_rel = 1e-8;
    LBFGSpp::LBFGSSolver<double> solver(settings);
    double value = 0;
    try {
        solver.minimize(objective, at, value);
    } catch (const std::exception&) {
        // The solver reports a failed line search by throwing; `best` is what the descent came to.
    }
    return best;
}

}  // namespace

Trained train(const WeightedFeatures& start, const std::vector<Sequence>& sequences, const Training& training,
              const Stream& stream) {
    if (training.steps < 1 || training.batch < 1 || !(training.rate > 0))
        throw std::invalid_argument("training: steps, batch and rate are " + std::to_string(training.steps) + ", " +
                                    std::to_string(training.batch) + " and " + std::to_string(training.rate) +
                                    "; all must be positive");
    std::vector<const Sequence*> all;
    for (const Sequence& sequence : sequences) all.push_back(&sequence);
    const auto loss_over_all = [&](const WeightedFeatures& features) {
        return evaluate(training.loss, training.visible, features, all).loss;
    };

    const Parameters parameters(start, training.weights);
    const Vector from = parameters.flat(start.points, start.log_weights);
    Trained out{start, {}, loss_over_all(start), 0};
    const WeightedFeatures end =
        parameters.features(training.optimiser == Optimiser::adam
                                ? adam(parameters, from, sequences, training, stream, out.losses)
                                : lbfgs(parameters, from, all, training, out.losses));
    out.after = loss_over_all(end);
    if (out.after < out.before)
        out.features = end;
    else
        out.after = out.before;
    return out;
}

}  // namespace rfbench::dof
