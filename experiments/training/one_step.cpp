#include "training/one_step.hpp"

#include <cmath>

#include "rfbench/errors.hpp"

namespace rfbench::experiments {

double loss_after_step(const networks::Transformer& network, const networks::Column<float>& w,
                       const networks::Column<float>& g, double rate,
                       const std::vector<networks::Sequence<float>>& sequences, networks::Workspace<float>& work) {
    const networks::Column<float> tuned = w - static_cast<float>(rate) * g;
    if (!tuned.allFinite()) return std::nan("");
    try {
        const networks::Weights<float> weights(network.layout(), tuned, networks::Passes::forward);
        return network.evaluate<float>(weights, sequences, work).loss.sum;
    } catch (const NotFinite&) {
        return std::nan("");
    }
}

}  // namespace rfbench::experiments
