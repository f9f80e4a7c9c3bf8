#include "rfbench/training/point_training.hpp"

#include <LBFGS.h>

#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/text/number.hpp"
#include "rfbench/training/adam.hpp"
#include "rfbench/training/batches.hpp"

namespace rfbench::training {
namespace {

using dof::LossAndGradient;
using dof::Sequence;
using dof::WeightedFeatures;

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
        // Parts that are not learned stay as they were.
        WeightedFeatures out = start_;
        out.points = all.head(out.points.size()).reshaped(out.points.rows(), out.points.cols());
        if (weights_) out.log_weights = all.tail(out.log_weights.size());
        return out;
    }

private:
    WeightedFeatures start_;
    bool weights_;
};

Vector adam(const Parameters& parameters, Vector at, const std::vector<Sequence>& sequences,
            const PointTraining& training, const Stream& stream, std::vector<double>& losses) {
    Adam optimiser(at.size());
    Batches batches(static_cast<Index>(sequences.size()), stream);
    for (int step = 0; step < training.steps; ++step) {
        std::vector<const Sequence*> batch;
        for (const Index number : batches.next(training.batch))
            batch.push_back(&sequences[static_cast<std::size_t>(number)]);
        const LossAndGradient of = evaluate(training.loss, training.visible, parameters.features(at), batch);
        losses.push_back(of.loss);
        optimiser.step(parameters.flat(of.points, of.log_weights), cosine_rate(training.rate, step, training.steps),
                       at);
    }
    return at;
}

/// The loss over all sequences. Keeps the best that it saw: a line search looks at points that are worse, too, and need
/// not end at the best.
struct Objective {
    const Parameters& parameters;
    const std::vector<const Sequence*>& sequences;
    const PointTraining& training;
    std::vector<double>& losses;
    Vector best;
    double least = std::numeric_limits<double>::infinity();
    std::exception_ptr failure = nullptr;

    double operator()(const Vector& x, Vector& gradient) {
        try {
            const LossAndGradient of = evaluate(training.loss, training.visible, parameters.features(x), sequences);
            gradient = parameters.flat(of.points, of.log_weights);
            if (of.loss < least) {
                least = of.loss;
                best = x;
            }
            return of.loss;
        } catch (...) {
            failure = std::current_exception();
            throw;
        }
    }
};

/// The solver's own line search, one of every step; the loss before it is noted.
template <class Scalar>
struct NotedLineSearch {
    template <class... Rest>
    static void LineSearch(Objective& objective, Scalar& loss, Rest&... rest) {
        objective.losses.push_back(loss);
        LBFGSpp::LineSearchBacktracking<Scalar>::LineSearch(objective, loss, rest...);
    }
};

Vector lbfgs(const Parameters& parameters, Vector at, const std::vector<const Sequence*>& sequences,
             const PointTraining& training, std::vector<double>& losses) {
    Objective objective{parameters, sequences, training, losses, at};
    LBFGSpp::LBFGSParam<double> settings;
    settings.max_iterations = training.steps;
    settings.epsilon = settings.epsilon_rel = 1e-8;
    LBFGSpp::LBFGSSolver<double, NotedLineSearch> solver(settings);
    double value = 0;
    try {
        solver.minimize(objective, at, value);
    } catch (const std::exception&) {
        // The solver reports a failed line search by throwing; `best` is what the descent came to.
        if (objective.failure) std::rethrow_exception(objective.failure);
    }
    return objective.best;
}

}  // namespace

TrainedPoints train_points(const WeightedFeatures& start, const std::vector<Sequence>& sequences,
                           const PointTraining& training, const Stream& stream) {
    if (training.steps < 1 || training.batch < 1 || !(training.rate > 0))
        throw std::invalid_argument("training: steps, batch and rate are " + std::to_string(training.steps) + ", " +
                                    std::to_string(training.batch) + " and " + shortest_text(training.rate) +
                                    "; all must be positive");
    std::vector<const Sequence*> all;
    all.reserve(sequences.size());
    for (const Sequence& sequence : sequences) all.push_back(&sequence);
    const auto loss_over_all = [&](const WeightedFeatures& features) {
        return evaluate(training.loss, training.visible, features, all).loss;
    };

    const Parameters parameters(start, training.weights);
    const Vector from = parameters.flat(start.points, start.log_weights);
    TrainedPoints out{start, {}, loss_over_all(start), 0};
    const WeightedFeatures end = parameters.features(
        training.optimiser == Optimiser::adam ? adam(parameters, from, sequences, training, stream, out.losses)
                                              : lbfgs(parameters, from, all, training, out.losses));
    // Losses of mini-batches do not say what all sequences have: the end is taken only where it is better over all of
    // them, and a loss that is no number never is.
    out.after = loss_over_all(end);
    if (out.after < out.before)
        out.features = end;
    else
        out.after = out.before;
    return out;
}

}  // namespace rfbench::training
