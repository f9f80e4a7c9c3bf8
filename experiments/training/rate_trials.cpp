// One training with rates on trial: a short training at every rate, and a long one at the best of them.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "sources/stored_state.hpp"
#include "training/network_training.hpp"

namespace rfbench::experiments {
namespace {

using State = networks::Trainer<float>::State;

/// Resumable state of one training.
struct TrainingState {
    NetworkRun run;
    State state;
};

/// Progress of all trainings of a cell, as its checkpoint stores it.
struct CellProgress {
    std::vector<Trial> trials;             ///< results of the rates that have been tried, in their order
    std::optional<TrainingState> current;  ///< training in progress: a trial or, after all trials, the full training
};

store::Dataset checkpointed(const CellProgress& progress) {
    store::Dataset data;
    const auto add = [&](const char* name, std::vector<double> values) {
        data.variables.push_back({name, {}, std::move(values), "", ""});
    };
    std::vector<double> trials;
    for (const auto& [loss, diverged_at, divergence] : progress.trials)
        trials.insert(trials.end(), {loss, diverged_at, static_cast<double>(divergence)});
    add("trials", trials);
    const auto& [run, state] = *progress.current;
    add("losses", run.losses);
    add("validation", run.validation);
    add("right", run.right);
    add("test", run.test);
    add_state(data, state);
    return data;
}

CellProgress read_progress(const store::Dataset& data) {
    const auto values = [&](const char* name) { return data.variable(name).values; };
    CellProgress progress;
    const auto trials = values("trials");
    for (std::size_t i = 0; i + 2 < trials.size(); i += 3)
        progress.trials.push_back({trials[i], trials[i + 1], static_cast<Divergence>(static_cast<int>(trials[i + 2]))});
    progress.current =
        TrainingState{{values("losses"), values("validation"), values("right"), values("test")}, stored_state(data)};
    return progress;
}

Index tokens_of(const std::vector<networks::Sequence<float>>& batch) {
    Index count = 0;
    for (const auto& sequence : batch) count += sequence.length();
    return count;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

networks::TransformerShape shape_with(networks::TransformerShape shape, const networks::BesideHeads& beside) {
    shape.beside = beside;
    return shape;
}

/// The trainings of one cell, which share their beginning, mini-batches and features.
class Trials {
public:
    Trials(const NetworkSetting& setting, const networks::TransformerShape& shape, const MethodChoice& method,
           const Stream& seed, engine::Checkpoint& checkpoint, const TrainingTask& task)
        : setting_(setting),
          method_(method),
          // Draws of features are keyed by the label, beginnings and mini-batches are not: entries of different labels
          // have other draws, even where they differ in a mask, a gate, a convolution or `redraw` alone.
          features_(seed.child("features").child(method.label)),
          length_(shape.positions + (shape.class_token ? 1 : 0)),
          redraw_(static_cast<int>(method.entry.at("redraw").integer())),
          network_(shape_with(shape, setting.beside(method)), setting.heads(method, length_, features_, 0)),
          start_(network_.start(setting.initialization, seed.child("start"))),
          batches_(seed.child("batches")),
          checkpoint_(checkpoint),
          task_(task) {
        if (const auto last = checkpoint_.last()) progress_ = read_progress(*last);
    }

    TrainedNetwork train() {
        const std::vector<double>& rates = setting_.rates;
        // One rate alone leaves nothing to choose.
        for (std::size_t i = progress_.trials.size(); rates.size() > 1 && i < rates.size(); ++i) {
            double loss = std::nan("");
            advance(rates[i], setting_.trial_steps,
                    [&](networks::Trainer<float>& trainer) { loss = task_.validation(trainer).mean(); });
            progress_.trials.push_back({loss, progress_.current->run.diverged_at, progress_.current->run.divergence});
            progress_.current.reset();
        }
        const double rate = rates[best_trial(progress_.trials)];
        advance(rate, setting_.descent.steps,
                [&](networks::Trainer<float>& trainer) { task_.keep(network_, trainer); });
        progress_.trials.resize(rates.size());
        return {std::move(progress_.current->run), rate, std::move(progress_.trials)};
    }

private:
    TrainingState beginning() const {
        const std::vector<double> none(setting_.evaluated_at.size(), std::nan(""));
        NetworkRun run{std::vector<double>(static_cast<std::size_t>(setting_.descent.steps), std::nan("")), none, none,
                       task_.test ? none : std::vector<double>()};
        return {std::move(run),
                networks::Trainer<float>(network_, start_, setting_.descent, setting_.warmup_steps).state()};
    }

    /// Sets the features of this step. They are drawn from its number, so that checkpoints need not store them.
    void draw(int step) {
        if (redraw_ > 0)
            network_.replace_heads(
                setting_.heads(method_, length_, features_, static_cast<std::uint64_t>(step / redraw_)));
    }

    /// A whole training of so many steps, or what is left of it; what ends it early is kept in its run.
    void advance(double rate, int steps, const std::function<void(networks::Trainer<float>&)>& finished) {
        if (!progress_.current) progress_.current = beginning();
        auto& [run, state] = *progress_.current;
        training::Descent descent = setting_.descent;
        descent.rate = rate;
        descent.steps = steps;
        networks::Trainer<float> trainer(network_, start_, descent, setting_.warmup_steps);
        trainer.resume(state);
        draw(state.steps);
        try {
            take_steps(trainer, descent);
            finished(trainer);
        } catch (const networks::Diverged& error) {
            run.diverged_at = trainer.steps();
            run.divergence = error.reason;
        }
    }

    void take_steps(networks::Trainer<float>& trainer, const training::Descent& descent) {
        auto& [run, state] = *progress_.current;
        const auto begin = std::chrono::steady_clock::now();
        Index tokens = 0;
        for (int step = trainer.steps(); step < descent.steps; ++step) {
            // Before anything of the step is done: whoever goes on from here begins with this step.
            checkpoint_.save_if_due([&, &state = state] {
                state = trainer.state();
                return checkpointed(progress_);
            });
            if (redraw_ > 0 && step > 0 && step % redraw_ == 0) draw(step);
            if (setting_.slicing) trainer.slice(setting_.slicing(step));
            const auto mini_batch = task_.next(batches_.child(static_cast<std::uint64_t>(step)));
            const double loss = trainer.step(mini_batch).loss.mean();
            run.losses[static_cast<std::size_t>(step)] = loss;
            tokens += tokens_of(mini_batch);
            tell(descent, step, loss, static_cast<double>(tokens) / seconds_since(begin));
            // Trials are evaluated when they have ended.
            if (descent.steps == setting_.descent.steps) evaluate(run, trainer);
        }
    }

    void evaluate(NetworkRun& run, networks::Trainer<float>& trainer) const {
        const auto found =
            std::find(setting_.evaluated_at.begin(), setting_.evaluated_at.end(), static_cast<double>(trainer.steps()));
        if (found == setting_.evaluated_at.end()) return;
        const auto at = static_cast<std::size_t>(found - setting_.evaluated_at.begin());
        const networks::Loss seen = task_.validation(trainer);
        run.validation[at] = seen.mean();
        run.right[at] = seen.accuracy();
        if (task_.test) run.test[at] = task_.test(trainer).accuracy();
    }

    /// How far all of the cell has come.
    void tell(const training::Descent& descent, int step, double loss, double speed) const {
        const double rates = setting_.rates.size() > 1 ? static_cast<double>(setting_.rates.size()) : 0;
        const double trial_steps = setting_.trial_steps,
                     done = static_cast<double>(progress_.trials.size()) * trial_steps + step + 1;
        checkpoint_.tell(done / (rates * trial_steps + setting_.descent.steps),
                         fmt::format("rate {}, step {} of {}, loss {:.3f}, {:.0f} tokens/s", descent.rate, step + 1,
                                     descent.steps, loss, speed));
    }

    const NetworkSetting& setting_;
    const MethodChoice& method_;
    Stream features_;
    Index length_;
    int redraw_;
    networks::Transformer network_;
    Vector start_;
    Stream batches_;
    engine::Checkpoint& checkpoint_;
    const TrainingTask& task_;
    CellProgress progress_;
};

}  // namespace

TrainedNetwork train_network(const NetworkSetting& setting, const networks::TransformerShape& shape,
                             const MethodChoice& method, const Stream& seed, engine::Checkpoint& checkpoint,
                             const TrainingTask& task) {
    return Trials(setting, shape, method, seed, checkpoint, task).train();
}

std::size_t best_trial(const std::vector<Trial>& trials) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < trials.size(); ++i)
        // Written so that NaN, as the best so far, is worse than any number.
        if (!std::isnan(trials[i].loss) && !(trials[i].loss >= trials[best].loss)) best = i;
    return best;
}

std::string words_of(Divergence what) {
    switch (what) {
        case Divergence::loss: return "the loss is not finite";
        case Divergence::gradient: return "the gradient is not finite";
        case Divergence::rows: return "queries, keys or values are not finite";
        default: return "";
    }
}

void TrainedNetwork::add(store::Dataset& data, const NetworkSetting& setting) const {
    // One number between two evaluations: steps by themselves are noise.
    std::vector<double> losses;
    double before = 0;
    for (const double evaluation : setting.evaluated_at) {
        double sum = 0;
        for (auto step = static_cast<std::size_t>(before); step < static_cast<std::size_t>(evaluation); ++step)
            sum += run.losses[step];
        losses.push_back(sum / (evaluation - before));
        before = evaluation;
    }
    const auto over_rates = [&](const char* name, const char* units, const char* description, auto value) {
        store::Variable variable{name, {"rate"}, {}, units, description};
        for (const Trial& trial : trials) variable.values.push_back(value(trial));
        data.variables.push_back(std::move(variable));
    };
    data.axes.push_back({"rate", setting.rates, "", "largest rate of Adam"});
    data.axes.push_back({"step", setting.evaluated_at, "", "steps after which validation data are evaluated"});
    data.variables.push_back(
        {"loss", {"step"}, losses, "nat", "of mini-batches since the evaluation before, their mean"});
    data.variables.push_back(
        {"validation_loss", {"step"}, run.validation, "nat", "mean over targets of validation data"});
    data.variables.push_back({"validation_accuracy",
                              {"step"},
                              run.right,
                              "",
                              "share of targets of validation data that have the largest output"});
    if (!run.test.empty())
        data.variables.push_back({"test_accuracy", {"step"}, run.test, "", "the same of targets that are held out"});
    data.variables.push_back({"diverged_at", {}, {run.diverged_at}, "", "step at which training ended early"});
    data.variables.push_back({"divergence",
                              {},
                              {static_cast<double>(run.divergence)},
                              "",
                              "0: none; not finite were 1: the loss, 2: its gradient, 3: what attention was given"});
    data.variables.push_back({"chosen_rate", {}, {rate}, "", "at which training went on to its end"});
    over_rates("trial_loss", "nat", "validation loss by which the rate was chosen",
               [](const Trial& one) { return one.loss; });
    over_rates("trial_diverged_at", "", "step at which that training ended early",
               [](const Trial& one) { return one.diverged_at; });
    over_rates("trial_divergence", "", "as divergence",
               [](const Trial& one) { return static_cast<double>(one.divergence); });
}

}  // namespace rfbench::experiments
