#include "conversion/progress.hpp"

#include <cmath>

namespace rfbench::experiments {

void Curve::fill(int evaluations) {
    loss.resize(static_cast<std::size_t>(evaluations), std::nan(""));
    accuracy.resize(static_cast<std::size_t>(evaluations), std::nan(""));
}

Progress::Progress(const engine::Checkpoint& checkpoint) {
    const auto last = checkpoint.last();
    if (!last) return;
    const auto values = [&](const char* name) { return last->variable(name).values; };
    scratch = {values("scratch_loss"), values("scratch_accuracy")};
    tuning = {values("loss"), values("accuracy")};
    scratch_diverged_at = values("scratch_diverged_at");
    distilled = values("distilled");
    const std::vector<double> scalars = values("scalars");
    if (scalars.empty()) return;
    const auto column = [&](const char* name) -> networks::Column<float> {
        const auto& all = last->variable(name).values;
        return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size())).cast<float>();
    };
    state = {
        static_cast<int>(scalars[0]), column("weights"), {column("mean"), column("square"), scalars[1], scalars[2]}};
}

store::Dataset Progress::kept() const {
    // Every float is a double, so that what goes on from a checkpoint comes to the same bits.
    const auto numbers = [](const auto& column) { return std::vector<double>(column.begin(), column.end()); };
    store::Dataset data;
    const auto keep = [&](const char* name, std::vector<double> values) {
        data.variables.push_back({name, {}, std::move(values), "", ""});
    };
    keep("scratch_loss", scratch.loss);
    keep("scratch_accuracy", scratch.accuracy);
    keep("loss", tuning.loss);
    keep("accuracy", tuning.accuracy);
    keep("scratch_diverged_at", scratch_diverged_at);
    keep("distilled", distilled);
    std::vector<double> scalars;
    if (state) {
        keep("weights", numbers(state->weights));
        keep("mean", numbers(state->adam.mean));
        keep("square", numbers(state->adam.square));
        scalars = {static_cast<double>(state->steps), state->adam.power1, state->adam.power2};
    }
    keep("scalars", scalars);
    return data;
}

}  // namespace rfbench::experiments
