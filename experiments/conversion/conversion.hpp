#pragma once
// One conversion: a teacher through all stages, measured after each.
#include "conversion/judge.hpp"
#include "conversion/task_training.hpp"

namespace rfbench::experiments {

struct ConversionSetting {
    int warmup_steps, evaluations;  ///< of tuning; evaluations are of held-out sequences
    double max_gradient_norm;
    Index judged, compared;  ///< sequences held out, and those of them that are compared head by head
    Index pictured;          ///< first tokens whose weights of attention are kept
    Index continuation;      ///< tokens at the end of a text's sequence
    Index fitted_on;         ///< sequences of training data
    Distilling distilling;
};

struct Conversion {
    const NetworkTask& task;
    const StoredNetwork& teacher;
    const MethodChoice& choice;
    HeadColumns columns;
    bool tuned;
    const ConversionSetting& how;
    Stream seed;   ///< of all methods: what sequences are drawn by does not depend on the method
    Stream heads;  ///< of features, layers that are kept, and all else that heads begin with
    std::optional<TeacherTraining> scratch = {};  ///< by which a network is trained from scratch, too
};

/// Result, stage by stage; NaN where a stage was not reached.
struct ConversionOutcome {
    std::vector<StageMeasures> stages;
    std::vector<double> acts;   ///< 1 where a stage changed anything
    std::vector<double> moved;  ///< |w - w0| / |w0| of all parameters, w0 those that were swapped in
    Curve tuning, scratch;
    /// Final loss without the window branch, and without the linear branch; no targets if heads have no branches.
    networks::Loss without[2];
    double diverged_at = std::nan("");          ///< step of tuning, or of distilling before it
    double scratch_diverged_at = std::nan("");  ///< step of the training from scratch
    AttentionCost cost{};
};

/// The training data that heads of a conversion by this seed are fitted to and distilled on.
NetworkInputs training_sequences(const NetworkTask&, const Stream& seed, Index count);

/// Goes on from the checkpoint where there is one: heads that were distilled are not distilled again.
ConversionOutcome convert(const Conversion&, engine::Checkpoint&);

}  // namespace rfbench::experiments
