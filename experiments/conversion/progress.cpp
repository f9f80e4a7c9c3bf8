#include "conversion/progress.hpp"

#include <cmath>

#include "sources/stored_state.hpp"

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
    if (values("in_training").front() > 0) state = stored_state(*last);
}

store::Dataset Progress::kept() const {
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
    keep("in_training", {state ? 1.0 : 0.0});
    if (state) add_state(data, *state);
    return data;
}

}  // namespace rfbench::experiments
