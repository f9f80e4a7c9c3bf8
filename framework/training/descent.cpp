#include "rfbench/training/descent.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/parallel/loop.hpp"
#include "rfbench/text/number.hpp"
#include "rfbench/training/adam.hpp"
#include "rfbench/training/batches.hpp"

namespace rfbench::training {
namespace {

/// Mean loss and gradient of a batch.
struct BatchLoss {
    double loss = 0;
    Vector gradient;

    BatchLoss(const Vector& parameters, const std::vector<Index>& batch, const ExampleLoss& example_loss)
        : gradient(Vector::Zero(parameters.size())) {
        const Index count = static_cast<Index>(batch.size());
        // Each example has places of its own for its loss and its gradient.
        std::vector<double> losses(batch.size());
        std::vector<Vector> gradients(batch.size(), gradient);
        parallel::Loop(count, parallel::Share::evenly).run([&](Index i) {
            const auto at = static_cast<std::size_t>(i);
            losses[at] = example_loss(parameters, batch[at], gradients[at]);
        });
        // Added in the order of the batch, whichever thread had them.
        for (std::size_t i = 0; i < batch.size(); ++i) {
            loss += losses[i];
            gradient += gradients[i];
        }
        loss /= static_cast<double>(count);
        gradient /= static_cast<double>(count);
    }
};

/// f(); numbers in it that are not finite are those of the descent, at this step.
template <class F>
auto at_step(int step, F f) {
    try {
        return f();
    } catch (const rfbench::NotFinite&) {
        throw NotFinite(step);
    }
}

}  // namespace

void check(const Descent& descent) {
    if (descent.steps < 1)
        throw std::invalid_argument("training: " + std::to_string(descent.steps) + " steps; at least 1 is needed");
    if (descent.batch < 1)
        throw std::invalid_argument("training: mini-batches of " + std::to_string(descent.batch) +
                                    "; at least 1 is needed");
    if (!(descent.rate > 0) || !std::isfinite(descent.rate))
        throw std::invalid_argument("training: the rate is " + shortest_text(descent.rate) + "; it must be above 0");
    if (!(descent.max_norm > 0))
        throw std::invalid_argument("training: the maximum gradient norm is " + shortest_text(descent.max_norm) +
                                    "; it must be above 0");
}

NotFinite::NotFinite(int at)
    : std::domain_error("training: the loss or its gradient is not finite at step " + std::to_string(at) +
                        "; a smaller rate may help"),
      step(at) {}

DescentResult descend(const Vector& start, Index examples, const ExampleLoss& loss, const Descent& descent,
                      const Stream& stream) {
    check(descent);
    Batches batches(examples, stream);
    Adam adam(start.size());
    DescentResult out{start, {}};
    for (int step = 0; step < descent.steps; ++step) {
        BatchLoss of = at_step(step, [&] { return BatchLoss(out.parameters, batches.next(descent.batch), loss); });
        if (!std::isfinite(of.loss) || !of.gradient.allFinite()) throw NotFinite(step);
        out.losses.push_back(of.loss);
        // A gradient that is too long keeps its direction (Pascanu et al. 2013).
        const double length = of.gradient.norm();
        if (length > descent.max_norm) of.gradient *= descent.max_norm / length;
        adam.step(of.gradient, cosine_rate(descent.rate, step, descent.steps), out.parameters);
    }
    return out;
}

}  // namespace rfbench::training
