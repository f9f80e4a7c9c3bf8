#pragma once
// How far the cell of a conversion has come, as its checkpoint keeps it.
#include <optional>
#include <vector>

#include "rfbench/engine/checkpoint.hpp"
#include "rfbench/networks/trainer.hpp"

namespace rfbench::experiments {

/// Mean loss and share of right targets of sequences held out, after each of equal parts of a training.
struct Curve {
    std::vector<double> loss, accuracy;

    bool has(int evaluations) const { return static_cast<int>(loss.size()) >= evaluations; }
    /// NaN at the evaluations that there were not.
    void fill(int evaluations);
};

/// The training from scratch comes first, where there is one; then parameters of the heads that are distilled, one head
/// after the other; then the tuning. `state` is what the training at work goes on from.
struct Progress {
    Curve scratch, tuning;
    std::vector<double> scratch_diverged_at;  ///< one number, once it has
    std::vector<double> distilled;
    std::optional<networks::Trainer<float>::State> state = {};

    explicit Progress(const engine::Checkpoint&);
    store::Dataset kept() const;
};

}  // namespace rfbench::experiments
