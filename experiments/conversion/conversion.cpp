#include "conversion/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "conversion/kept_layers.hpp"
#include "rfbench/networks/trainer.hpp"

namespace rfbench::experiments {
namespace {

using Trainer = networks::Trainer<float>;

/// How far a cell has come: parameters of the heads that are distilled, one head after the other; then the curve of
/// tuning, and the state that it goes on from.
struct Progress {
    std::vector<double> distilled, loss, accuracy;
    std::optional<Trainer::State> state = {};

    explicit Progress(const engine::Checkpoint& checkpoint) {
        const auto last = checkpoint.last();
        if (!last) return;
        distilled = last->variable("distilled").values;
        loss = last->variable("loss").values;
        accuracy = last->variable("accuracy").values;
        const auto& scalars = last->variable("scalars").values;
        if (scalars.empty()) return;
        const auto column = [&](const char* name) -> networks::Column<float> {
            const auto& values = last->variable(name).values;
            return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).cast<float>();
        };
        state = Trainer::State{static_cast<int>(scalars[0]),
                               column("weights"),
                               {column("mean"), column("square"), scalars[1], scalars[2]}};
    }

    store::Dataset kept() const {
        // Every float is a double, so that what goes on from a checkpoint comes to the same bits.
        const auto numbers = [](const auto& column) { return std::vector<double>(column.begin(), column.end()); };
        store::Dataset data{
            {},
            {{"distilled", {}, distilled, "", ""}, {"loss", {}, loss, "", ""}, {"accuracy", {}, accuracy, "", ""}},
            {}};
        std::vector<double> scalars;
        if (state) {
            data.variables.push_back({"weights", {}, numbers(state->weights), "", ""});
            data.variables.push_back({"mean", {}, numbers(state->adam.mean), "", ""});
            data.variables.push_back({"square", {}, numbers(state->adam.square), "", ""});
            scalars = {static_cast<double>(state->steps), state->adam.power1, state->adam.power2};
        }
        data.variables.push_back({"scalars", {}, scalars, "", ""});
        return data;
    }
};

/// Heads with features fitted to the teacher's, and frozen.
networks::Heads fitted_heads(const HeadRecipe& recipe, const TeacherHeads& teacher, const Distilling& how) {
    networks::Heads heads;
    for (std::size_t h = 0; h < teacher.size(); ++h)
        heads.push_back(recipe.fitted(static_cast<Index>(h), teacher[h], how));
    return heads;
}

/// Trains the parameters of one head after the other to match the teacher's.
void distil(const HeadRecipe& recipe, const TeacherHeads& teacher, const Distilling& how, Converted& converted,
            Progress& progress, engine::Checkpoint& checkpoint) {
    std::size_t found = 0;
    const Index heads = converted.network->shape().heads;
    for (std::size_t h = 0; h < teacher.size(); ++h) {
        const auto number = static_cast<Index>(h);
        const networks::MultiHead& layer = converted.network->layer(number / heads).attention();
        const auto own = static_cast<std::size_t>(number % heads);
        const networks::Parameter& parameter = layer.head_parameters()[own];
        auto values = converted.values.segment(parameter.first, parameter.size());
        // A layer that stays softmax has nothing to train.
        if (values.size() == 0) continue;
        if (found == progress.distilled.size()) {
            checkpoint.save_if_due([&] { return progress.kept(); });
            const Vector trained =
                recipe.distilled(number, *layer.heads()[own], values.cast<double>(), teacher[h], how);
            progress.distilled.insert(progress.distilled.end(), trained.begin(), trained.end());
        }
        for (Index i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(progress.distilled.at(found + static_cast<std::size_t>(i)));
        found += static_cast<std::size_t>(values.size());
        checkpoint.tell(0.3 * static_cast<double>(h + 1) / static_cast<double>(teacher.size()), "distilled");
    }
}

/// Trains the parameters of all heads at once by the loss of the network, all else being held (Nishikawa, Higuchi and
/// Suzuki 2025, section 4.2, "direct"): by the same sequences, as many steps and as many sequences a step as heads are
/// matched by.
void distil_directly(const Conversion& given, const NetworkInputs& sequences, Converted& converted, Progress& progress,
                     ConversionOutcome& outcome, engine::Checkpoint& checkpoint) {
    const auto heads = [&](auto change) {
        for (const networks::Parameter& one : converted.network->layout().all())
            if (of_head(one))
                for (float& value : converted.values.segment(one.first, one.size())) change(value);
    };
    if (!progress.distilled.empty()) {
        std::size_t found = 0;
        heads([&](float& value) { value = static_cast<float>(progress.distilled.at(found++)); });
        return;
    }
    const training::Descent& descent = given.how.distilling.descent;
    Trainer trainer(*converted.network, converted.values.template cast<double>(), descent, 0,
                    [](const networks::Parameter& one) { return of_head(one) ? 1.0 : 0.0; });
    if (progress.state) trainer.resume(*progress.state);
    const Stream order = given.seed.child("direct");
    while (trainer.steps() < descent.steps) {
        checkpoint.save_if_due([&] {
            progress.state = trainer.state();
            return progress.kept();
        });
        Stream chosen = order.child(static_cast<std::uint64_t>(trainer.steps()));
        NetworkInputs batch;
        for (int i = 0; i < descent.batch; ++i)
            batch.push_back(sequences[chosen.below(static_cast<std::uint32_t>(sequences.size()))]);
        try {
            trainer.step(batch);
        } catch (const std::domain_error&) {
            outcome.diverged_at = trainer.steps();
            return;
        }
        checkpoint.tell(0.3 * trainer.steps() / descent.steps, "trained directly");
    }
    progress.state.reset();
    converted.values = trainer.weights().values();
    heads([&](float& value) { progress.distilled.push_back(value); });
}

/// Trains all parameters on the task, looked at on sequences held out.
void tune(const Conversion& given, const Judge& judge, Converted& converted, Progress& progress,
          ConversionOutcome& outcome, engine::Checkpoint& checkpoint) {
    const NetworkTask& task = given.task;
    const double rate = given.choice.entry.has("rate") ? given.choice.entry.at("rate").number() : task.rate;
    const Stream batches = given.seed.child("batches");
    const training::Descent descent{std::max(1, task.steps), 1, rate, given.how.max_gradient_norm};
    Trainer trainer(*converted.network, converted.values.template cast<double>(), descent, given.how.warm);
    if (progress.state) trainer.resume(*progress.state);
    const auto look = [&](int step) {
        // As many looks as parts of the tuning have ended; where parts are shorter than a step, several at once.
        while (static_cast<int>(progress.loss.size()) < given.how.looks &&
               static_cast<std::int64_t>(progress.loss.size() + 1) * task.steps <=
                   static_cast<std::int64_t>(step) * given.how.looks) {
            const networks::Loss seen = trainer.evaluate(judge.held_out()).loss;
            progress.loss.push_back(seen.mean());
            progress.accuracy.push_back(seen.accuracy());
        }
    };
    try {
        for (int step = trainer.steps(); step < task.steps; ++step) {
            checkpoint.save_if_due([&] {
                progress.state = trainer.state();
                return progress.kept();
            });
            const double loss =
                trainer.step(task.mini_batch(batches.child(static_cast<std::uint64_t>(step)))).loss.mean();
            checkpoint.tell(0.3 + 0.7 * static_cast<double>(step + 1) / task.steps,
                            fmt::format("step {} of {}, loss {:.3f}", step + 1, task.steps, loss));
            look(step + 1);
        }
        look(task.steps);
    } catch (const std::domain_error&) {
        // A training that diverges has no stage tuned: the table says so.
        outcome.diverged_at = trainer.steps();
        return;
    }
    converted.values = trainer.weights().values();
}

/// |b - a| / |a|.
double distance(const networks::Column<float>& b, const networks::Column<float>& a) {
    return (b - a).cast<double>().norm() / a.cast<double>().norm();
}

}  // namespace

NetworkInputs training_sequences(const NetworkTask& task, const Stream& seed, Index count) {
    const Stream fit = seed.child("fit");
    NetworkInputs all = task.mini_batch(fit);
    for (std::uint64_t more = 1; static_cast<Index>(all.size()) < count; ++more)
        for (auto& one : task.mini_batch(fit.child(more))) all.push_back(std::move(one));
    all.resize(static_cast<std::size_t>(count));
    return all;
}

ConversionOutcome convert(const Conversion& given, engine::Checkpoint& checkpoint) {
    const NetworkTask& task = given.task;
    const networks::TransformerShape& shape = given.teacher.network.shape();
    const Stream& own = given.heads;
    const Judge judge(given.teacher, task.held_out(given.how.judged), given.how.compared,
                      std::isnan(task.bits) ? 0 : given.how.continuation);
    const NetworkInputs training = training_sequences(task, given.seed, given.how.fitted_on);
    const TeacherHeads heads = teacher_heads(given.teacher, training);
    const HeadRecipe recipe(given.choice, shape, given.columns,
                            kept_layers(given.choice.entry, given.teacher, training, own.child("kept")), own);

    ConversionOutcome outcome;
    Progress progress(checkpoint);
    std::optional<Converted> now;
    networks::Column<float> begun;
    const auto take = [&](const networks::Heads& all) {
        now =
            with_heads(shape, all, given.teacher.network.layout(), given.teacher.weights.values(), own.child("start"));
        begun = now->values;
    };
    const auto measure = [&](bool acts) {
        outcome.acts.push_back(acts ? 1 : 0);
        if (acts)
            outcome.stages.push_back(now ? judge.measure(*now) : StageMeasures(shape));
        else
            outcome.stages.push_back(outcome.stages.back());
        outcome.moved.push_back(now ? distance(now->values, begun) : std::nan(""));
    };
    if (const auto swapped = recipe.swapped()) take(*swapped);
    measure(true);
    if (recipe.fits()) take(fitted_heads(recipe, heads, given.how.distilling));
    measure(recipe.fits());
    const bool distils = recipe.distils(*now);
    if (distils && recipe.direct())
        distil_directly(given, training, *now, progress, outcome, checkpoint);
    else if (distils)
        distil(recipe, heads, given.how.distilling, *now, progress, checkpoint);
    outcome.cost = attention_cost(*now->network,
                                  [&](Index layer) { return given.choice.can(Ability::exact) || recipe.keeps(layer); });
    // A network that diverged has no stage from there on.
    if (!std::isnan(outcome.diverged_at)) now.reset();
    measure(distils);
    if (given.tuned && now) tune(given, judge, *now, progress, outcome, checkpoint);
    if (given.tuned && std::isnan(outcome.diverged_at)) {
        measure(true);
    } else {
        outcome.acts.push_back(given.tuned ? 1 : 0);
        outcome.moved.push_back(std::nan(""));
        outcome.stages.emplace_back(shape);
    }
    progress.loss.resize(static_cast<std::size_t>(given.how.looks), std::nan(""));
    progress.accuracy.resize(static_cast<std::size_t>(given.how.looks), std::nan(""));
    outcome.loss = progress.loss;
    outcome.accuracy = progress.accuracy;
    return outcome;
}

}  // namespace rfbench::experiments
