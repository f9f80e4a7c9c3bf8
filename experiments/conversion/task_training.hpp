#pragma once
// A training on the task within a conversion: the tuning, and the training from scratch beside it.
#include <string>

#include "conversion/progress.hpp"
#include "sources/network_tasks.hpp"

namespace rfbench::experiments {

struct TaskTraining {
    const NetworkTask& task;
    const NetworkTask::Sequences& held_out;  ///< evaluated
    int steps, evaluations;
    Stream batches;
    double from, to;  ///< shares of the cell's work
    std::string words;
};

/// Trains to the last step, from progress.state where there is one. Nothing, or the step at which it diverged.
std::optional<int> train_on_task(const TaskTraining&, networks::Trainer<float>&, Curve&, Progress&,
                                 engine::Checkpoint&);

/// Training of a network before it is converted.
struct TeacherTraining {
    int steps, batch, warmup_steps;
    double rate, max_gradient_norm;
    networks::Initialization initialization;
};
/// Reads it of a source, as the configuration in the result file of the networks says. Throws std::invalid_argument
/// where it does not.
TeacherTraining teacher_training(const store::Dataset& teachers, const std::string& source);

/// Words on a source that holds out other data than its network did, by the configuration in the result file of
/// the networks: a key and both values, empty where nothing differs. Throws std::invalid_argument where it has no
/// such source.
std::string held_out_otherwise(const store::Dataset& teachers, const std::string& source, const config::Value& entry);

/// Steps by mini-batches of this task after which a network trained from scratch has seen as many sequences as the
/// teacher and the network that is tuned together.
int steps_from_scratch(const TeacherTraining&, const NetworkTask&);

}  // namespace rfbench::experiments
