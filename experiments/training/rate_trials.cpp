// One training with rates on trial: every rate for the first steps, the best of them to the end.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "training/network_training.hpp"

namespace rfbench::experiments {
namespace {

using State = networks::Trainer<float>::State;

/// A training at one rate that may be taken up again.
struct Leg {
    NetworkRun run;
    State state;
};

/// How far all of them have come: what is kept in the cell's draft.
struct Course {
    std::vector<NetworkRun> trials;  ///< of the first rates, which were tried
    std::size_t chosen = 0;          ///< the best of these rates
    std::optional<Leg> best;         ///< at that rate; none before the first trial has ended
    std::optional<Leg> current;      ///< the trial that has begun; none behind the last
};

/// A trial that diverged is worse than any that did not.
bool better(const NetworkRun& one, const NetworkRun& other) {
    return !std::isnan(one.trial) && (std::isnan(other.trial) || one.trial < other.trial);
}

void add_run(store::Dataset& data, const std::string& name, const NetworkRun& run) {
    data.variables.push_back({name + "losses", {}, run.losses, "", ""});
    data.variables.push_back({name + "validation", {}, run.validation, "", ""});
    data.variables.push_back({name + "right", {}, run.right, "", ""});
    data.variables.push_back({name + "test", {}, run.test, "", ""});
    data.variables.push_back(
        {name + "outcome", {}, {run.trial, run.diverged_at, static_cast<double>(run.divergence)}, "", ""});
}

NetworkRun read_run(const store::Dataset& data, const std::string& name) {
    const auto values = [&](const char* what) { return data.variable(name + what).values; };
    const auto outcome = values("outcome");
    return {values("losses"),
            values("validation"),
            values("right"),
            values("test"),
            outcome[0],
            outcome[1],
            static_cast<Divergence>(static_cast<int>(outcome[2]))};
}

void add_leg(store::Dataset& data, const std::string& name, const std::optional<Leg>& leg) {
    if (!leg) return;
    add_run(data, name, leg->run);
    // Every float is a double, so that what goes on from a draft comes to the same bits.
    const auto numbers = [](const auto& column) { return std::vector<double>(column.begin(), column.end()); };
    const auto& [steps, weights, adam] = leg->state;
    data.variables.push_back({name + "weights", {}, numbers(weights), "", ""});
    data.variables.push_back({name + "mean", {}, numbers(adam.mean), "", ""});
    data.variables.push_back({name + "square", {}, numbers(adam.square), "", ""});
    data.variables.push_back({name + "scalars", {}, {static_cast<double>(steps), adam.power1, adam.power2}, "", ""});
}

std::optional<Leg> read_leg(const store::Dataset& data, const std::string& name) {
    const auto is_scalars = [&](const store::Variable& variable) { return variable.name == name + "scalars"; };
    if (std::none_of(data.variables.begin(), data.variables.end(), is_scalars)) return {};
    const auto column = [&](const char* what) -> networks::Column<float> {
        const auto& values = data.variable(name + what).values;
        return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).cast<float>();
    };
    const auto& scalars = data.variable(name + "scalars").values;
    return Leg{
        read_run(data, name),
        {static_cast<int>(scalars[0]), column("weights"), {column("mean"), column("square"), scalars[1], scalars[2]}}};
}

store::Dataset drafted(const Course& course) {
    store::Dataset data{
        {},
        {{"course", {}, {static_cast<double>(course.trials.size()), static_cast<double>(course.chosen)}, "", ""}},
        {}};
    for (std::size_t i = 0; i < course.trials.size(); ++i) add_run(data, fmt::format("trial_{}_", i), course.trials[i]);
    add_leg(data, "best_", course.best);
    add_leg(data, "current_", course.current);
    return data;
}

Course read_course(const store::Dataset& data) {
    const auto& numbers = data.variable("course").values;
    Course course{{}, static_cast<std::size_t>(numbers[1]), read_leg(data, "best_"), read_leg(data, "current_")};
    for (std::size_t i = 0; i < static_cast<std::size_t>(numbers[0]); ++i)
        course.trials.push_back(read_run(data, fmt::format("trial_{}_", i)));
    return course;
}

Index tokens_of(const std::vector<networks::Sequence<float>>& batch) {
    Index count = 0;
    for (const auto& sequence : batch) count += sequence.length();
    return count;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Why a training ended that threw this. The sentence about the gradient names the loss as well, and so is looked for
/// first; all others are of rows.
Divergence divergence_of(const std::domain_error& error) {
    const std::string said = error.what();
    if (said.find("gradient of the loss") != std::string::npos) return Divergence::gradient;
    return said.find("the loss") != std::string::npos ? Divergence::loss : Divergence::rows;
}

/// The trainings of one cell, which share their beginning, mini-batches and features.
class Trials {
public:
    Trials(const NetworkSetting& setting, const networks::TransformerShape& shape, const MethodChoice& method,
           const Stream& seed, engine::Draft& draft, const Batch& batch, const Look& look, const Look& look_at_test)
        : setting_(setting),
          method_(method),
          // Draws of features are keyed by the method, beginnings and mini-batches are not: methods differ in nothing
          // else.
          features_(seed.child("features").child(method.label)),
          length_(shape.positions + (shape.class_token ? 1 : 0)),
          redraw_(static_cast<int>(method.entry.at("redraw").integer())),
          network_(shape, setting.heads(method, length_, features_, 0)),
          start_(network_.start(setting.beginning, seed.child("start"))),
          draft_(draft),
          batch_(batch),
          look_(look),
          look_at_test_(look_at_test) {
        if (const auto last = draft_.last()) course_ = read_course(*last);
    }

    TrainedNetwork train(const std::function<void(const networks::Transformer&, networks::Trainer<float>&)>& finish) {
        for (std::size_t i = course_.trials.size(); i < setting_.rates.size(); ++i) {
            if (!course_.current) course_.current = beginning();
            advance(*course_.current, setting_.rates[i], setting_.trial);
            if (!course_.best || better(course_.current->run, course_.best->run)) {
                course_.chosen = i;
                course_.best = course_.current;
            }
            course_.trials.push_back(std::move(course_.current->run));
            course_.current.reset();
        }
        const double rate = setting_.rates[course_.chosen];
        advance(*course_.best, rate, setting_.descent.steps);
        if (course_.best->run.divergence == Divergence::none)
            guarded(*course_.best, [&] {
                auto trainer = trainer_of(*course_.best, rate);
                draw(setting_.descent.steps - 1);
                finish(network_, *trainer);
            });
        return {std::move(course_.best->run), rate, std::move(course_.trials)};
    }

private:
    Leg beginning() const {
        const std::vector<double> looks(setting_.looks.size(), std::nan(""));
        NetworkRun run{std::vector<double>(static_cast<std::size_t>(setting_.descent.steps), std::nan("")), looks,
                       looks, look_at_test_ ? looks : std::vector<double>()};
        networks::Trainer<float> trainer(network_, start_, setting_.descent, setting_.warm);
        return {std::move(run), trainer.state()};
    }

    std::unique_ptr<networks::Trainer<float>> trainer_of(const Leg& leg, double rate) const {
        training::Descent descent = setting_.descent;
        descent.rate = rate;
        auto trainer = std::make_unique<networks::Trainer<float>>(network_, start_, descent, setting_.warm);
        trainer->resume(leg.state);
        return trainer;
    }

    /// The features of this step, which are drawn again from its number and so are in no draft.
    void draw(int step) {
        if (redraw_ > 0)
            network_.replace_heads(
                setting_.heads(method_, length_, features_, static_cast<std::uint64_t>(step / redraw_)));
    }

    /// What ends a training is kept in its run.
    template <class Work>
    void guarded(Leg& leg, Work work) const {
        try {
            work();
        } catch (const std::domain_error& error) {
            leg.run.diverged_at = leg.state.steps;
            leg.run.divergence = divergence_of(error);
        }
    }

    /// Takes a training that has not diverged to this step.
    void advance(Leg& leg, double rate, int last) {
        if (leg.run.divergence != Divergence::none || leg.state.steps >= last) return;
        const auto trainer = trainer_of(leg, rate);
        const auto begin = std::chrono::steady_clock::now();
        Index tokens = 0;
        draw(leg.state.steps);
        guarded(leg, [&] {
            while (leg.state.steps < last) {
                const int step = leg.state.steps;
                // Before anything of the step is done: whoever goes on from here begins with this step.
                draft_.offer([&] {
                    leg.state = trainer->state();
                    return drafted(course_);
                });
                if (redraw_ > 0 && step > 0 && step % redraw_ == 0) draw(step);
                if (setting_.slicing) trainer->slice(setting_.slicing(step));
                const auto mini_batch = batch_(step);
                const double loss = trainer->step(mini_batch).loss.mean();
                leg.run.losses[static_cast<std::size_t>(step)] = loss;
                leg.state.steps = trainer->steps();
                tokens += tokens_of(mini_batch);
                tell(rate, step, loss, static_cast<double>(tokens) / seconds_since(begin));
                look_after(leg.run, *trainer);
            }
        });
        leg.state = trainer->state();
    }

    void look_after(NetworkRun& run, networks::Trainer<float>& trainer) const {
        const int done = trainer.steps();
        const auto found = std::find(setting_.looks.begin(), setting_.looks.end(), static_cast<double>(done));
        const bool looked_at = found != setting_.looks.end();
        if (!looked_at && done != setting_.trial) return;
        const networks::Loss seen = look_(trainer);
        if (done == setting_.trial) run.trial = seen.mean();
        if (!looked_at) return;
        const auto at = static_cast<std::size_t>(found - setting_.looks.begin());
        run.validation[at] = seen.mean();
        run.right[at] = seen.accuracy();
        if (look_at_test_) run.test[at] = look_at_test_(trainer).accuracy();
    }

    /// How far all of the cell has come.
    void tell(double rate, int step, double loss, double speed) const {
        const double steps = setting_.descent.steps, trial = setting_.trial;
        const auto tried = static_cast<double>(course_.trials.size()),
                   rates = static_cast<double>(setting_.rates.size());
        const double all = rates * trial + steps - trial;
        // Behind the last trial the one that goes on has the steps of its own trial behind it.
        const double done = course_.current ? tried * trial + step + 1 : (rates - 1) * trial + step + 1;
        draft_.tell(done / all, fmt::format("rate {}, step {} of {}, loss {:.3f}, {:.0f} tokens/s", rate, step + 1,
                                            course_.current ? setting_.trial : setting_.descent.steps, loss, speed));
    }

    const NetworkSetting& setting_;
    const MethodChoice& method_;
    Stream features_;
    Index length_;
    int redraw_;
    networks::Transformer network_;
    Vector start_;
    engine::Draft& draft_;
    const Batch& batch_;
    const Look &look_, &look_at_test_;
    Course course_;
};

}  // namespace

TrainedNetwork train_network(const NetworkSetting& setting, const networks::TransformerShape& shape,
                             const MethodChoice& method, const Stream& seed, engine::Draft& draft, const Batch& batch,
                             const Look& look,
                             const std::function<void(const networks::Transformer&, networks::Trainer<float>&)>& finish,
                             const Look& look_at_test) {
    return Trials(setting, shape, method, seed, draft, batch, look, look_at_test).train(finish);
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
    // One number between two looks: steps by themselves are noise.
    std::vector<double> losses;
    double before = 0;
    for (const double look : setting.looks) {
        double sum = 0;
        for (auto step = static_cast<std::size_t>(before); step < static_cast<std::size_t>(look); ++step)
            sum += run.losses[step];
        losses.push_back(sum / (look - before));
        before = look;
    }
    const auto over_rates = [&](const char* name, const char* description, auto value) {
        store::Variable variable{name, {"rate"}, {}, "", description};
        for (const NetworkRun& trial : trials) variable.values.push_back(value(trial));
        data.variables.push_back(std::move(variable));
    };
    data.axes.push_back({"rate", setting.rates, "", "largest rate of Adam"});
    data.axes.push_back({"look", setting.looks, "", "steps after which validation data are looked at"});
    data.variables.push_back({"loss", {"look"}, losses, "", "of mini-batches since the look before, their mean"});
    data.variables.push_back({"validation_loss", {"look"}, run.validation, "", "mean over targets of validation data"});
    data.variables.push_back({"validation_accuracy",
                              {"look"},
                              run.right,
                              "",
                              "share of targets of validation data that have the largest output"});
    if (!run.test.empty())
        data.variables.push_back({"test_accuracy", {"look"}, run.test, "", "the same of targets that are held out"});
    data.variables.push_back({"diverged_at", {}, {run.diverged_at}, "", "step at which training ended early"});
    data.variables.push_back({"divergence",
                              {},
                              {static_cast<double>(run.divergence)},
                              "",
                              "0: none; not finite were 1: the loss, 2: its gradient, 3: what attention was given"});
    data.variables.push_back({"chosen_rate", {}, {rate}, "", "at which training went on to its end"});
    over_rates("trial_loss", "validation loss when the rate was chosen",
               [](const NetworkRun& one) { return one.trial; });
    over_rates("trial_diverged_at", "step at which that training ended early",
               [](const NetworkRun& one) { return one.diverged_at; });
    over_rates("trial_divergence", "as divergence",
               [](const NetworkRun& one) { return static_cast<double>(one.divergence); });
}

}  // namespace rfbench::experiments
