#include "conversion/conversion.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "conversion/kept_layers.hpp"
#include "rfbench/networks/aligned_gradient.hpp"

namespace rfbench::experiments {
namespace {

using Trainer = networks::Trainer<float>;

/// Share of a cell's work that is done with so much of the conversion. A training from scratch comes before it, and is
/// most of the work.
double work_done(const Conversion& given, double share) { return given.scratch ? 0.8 + 0.2 * share : share; }

/// Lets a trainer of the network train it by these parts of a loss beside the teacher.
void align(const Conversion& given, const networks::Transformer& network, const networks::Alignment& parts,
           Trainer& trainer) {
    const auto gradient = std::make_shared<networks::AlignedGradient<float>>(network, given.teacher.network,
                                                                             given.teacher.weights, parts);
    trainer.make_gradients(
        [gradient](const auto& weights, auto batch, auto& out) { return (*gradient)(weights, batch, out); });
}

/// Heads with features fitted to the teacher's, and frozen.
networks::Heads fitted_heads(const HeadRecipe& recipe, const TeacherHeads& teacher, const Distilling& how) {
    networks::Heads heads;
    for (std::size_t h = 0; h < teacher.size(); ++h)
        heads.push_back(recipe.fitted(static_cast<Index>(h), teacher[h], how));
    return heads;
}

/// Trains the parameters of one head after the other to match the teacher's.
void distil(const Conversion& given, const HeadRecipe& recipe, const TeacherHeads& teacher, Converted& converted,
            Progress& progress, ConversionOutcome& outcome, engine::Checkpoint& checkpoint) {
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
            try {
                const Vector trained = recipe.distilled(number, *layer.heads()[own], values.cast<double>(), teacher[h],
                                                        given.how.distilling);
                progress.distilled.insert(progress.distilled.end(), trained.begin(), trained.end());
            } catch (const training::NotFinite& error) {
                outcome.diverged_at = error.step;
                return;
            }
        }
        for (Index i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(progress.distilled.at(found + static_cast<std::size_t>(i)));
        found += static_cast<std::size_t>(values.size());
        checkpoint.tell(work_done(given, 0.3 * static_cast<double>(h + 1) / static_cast<double>(teacher.size())),
                        "distilled");
    }
}

/// Trains parameters of all layers at once, all else being held: by the loss of the network (Nishikawa, Higuchi and
/// Suzuki 2025, section 4.2, "direct"), or to match X after the teacher's layers (Goldstein et al. 2025). By the same
/// sequences, as many steps and as many sequences a step as heads are matched by.
void distil_together(const Conversion& given, const HeadRecipe& recipe, const NetworkInputs& sequences,
                     Converted& converted, Progress& progress, ConversionOutcome& outcome,
                     engine::Checkpoint& checkpoint) {
    const auto trained = [&](auto change) {
        for (const networks::Parameter& one : converted.network->layout().all())
            if (recipe.trains_together(one))
                for (float& value : converted.values.segment(one.first, one.size())) change(value);
    };
    if (!progress.distilled.empty()) {
        std::size_t found = 0;
        trained([&](float& value) { value = static_cast<float>(progress.distilled.at(found++)); });
        return;
    }
    const training::Descent& descent = given.how.distilling.descent;
    Trainer trainer(*converted.network, converted.values.template cast<double>(), descent, 0,
                    [&](const networks::Parameter& one) { return recipe.trains_together(one) ? 1.0 : 0.0; });
    if (recipe.hidden()) align(given, *converted.network, {.task = 0, .logits = 0, .hidden = 1}, trainer);
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
        checkpoint.tell(work_done(given, 0.3 * trainer.steps() / descent.steps), "all layers distilled");
    }
    progress.state.reset();
    converted.values = trainer.weights().values();
    trained([&](float& value) { progress.distilled.push_back(value); });
}

/// Whether rows of tokens become queries, keys and values by a matrix, or outputs of heads the output of attention.
bool is_projection(const networks::Parameter& one) {
    return one.name.ends_with(".attn.c_attn.weight") || one.name.ends_with(".attn.c_proj.weight");
}

/// Trains all parameters on the task, or updates of low rank of the projections.
void tune(const Conversion& given, const Judge& judge, Converted& converted, Progress& progress,
          ConversionOutcome& outcome, engine::Checkpoint& checkpoint) {
    const NetworkTask& task = given.task;
    const double rate = given.choice.entry.has("rate") ? given.choice.entry.at("rate").number() : task.rate;
    const training::Descent descent{std::max(1, task.steps), 1, rate, given.how.max_gradient_norm};
    const networks::Transformer& network = *converted.network;
    const Vector start = converted.values.template cast<double>();
    const config::Value& entry = given.choice.entry;
    Trainer trainer = entry.has("low_rank")
                          ? Trainer(network, start, descent, given.how.warmup_steps,
                                    networks::LowRank<float>(network.layout(), whole(entry, "low_rank"), is_projection),
                                    given.seed.child("low rank"))
                          : Trainer(network, start, descent, given.how.warmup_steps);
    if (entry.at("tune").text() == "logits") align(given, network, {.task = 0, .logits = 1, .hidden = 0}, trainer);
    const auto diverged = train_on_task({task, judge.held_out(), task.steps, given.how.evaluations,
                                         given.seed.child("batches"), work_done(given, 0.3), 1, "tuned"},
                                        trainer, progress.tuning, progress, checkpoint);
    if (diverged) outcome.diverged_at = *diverged;
    converted.values = trainer.weights().values();
}

/// Trains a network with the heads that are swapped in from its beginning, as the teacher was: by the teacher's rate,
/// for as many sequences as the teacher and the tuned network have seen together.
void train_from_scratch(const Conversion& given, const Judge& judge, const HeadRecipe& recipe, Progress& progress,
                        engine::Checkpoint& checkpoint) {
    if (progress.scratch.has(given.how.evaluations)) return;
    const TeacherTraining& teacher = *given.scratch;
    const Stream own = given.seed.child("scratch");
    const networks::Transformer network(given.teacher.network.shape(), recipe.swapped().value());
    const int steps = steps_from_scratch(teacher, given.task);
    Trainer trainer(network, network.start(teacher.initialization, own.child("start")),
                    {std::max(1, steps), 1, teacher.rate, teacher.max_gradient_norm}, teacher.warmup_steps);
    const auto diverged = train_on_task({given.task, judge.held_out(), steps, given.how.evaluations,
                                         own.child("batches"), 0, work_done(given, 0), "from scratch"},
                                        trainer, progress.scratch, progress, checkpoint);
    if (diverged) progress.scratch_diverged_at = {static_cast<double>(*diverged)};
    progress.scratch.fill(given.how.evaluations);
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
                      task.continues() ? given.how.continuation : 0, given.how.pictured);
    const NetworkInputs training = training_sequences(task, given.seed, given.how.fitted_on);
    const TeacherHeads heads = teacher_heads(given.teacher, training);
    const HeadRecipe recipe(given.choice, shape, given.columns,
                            kept_layers(given.choice.entry, given.teacher, training, own.child("kept")), own);

    ConversionOutcome outcome;
    Progress progress(checkpoint);
    if (given.scratch) train_from_scratch(given, judge, recipe, progress, checkpoint);
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
            outcome.stages.push_back(now ? judge.measure(*now) : StageMeasures(shape, given.how.pictured));
        else
            outcome.stages.push_back(outcome.stages.back());
        outcome.moved.push_back(now ? distance(now->values, begun) : std::nan(""));
    };
    if (const auto swapped = recipe.swapped()) take(*swapped);
    measure(true);
    if (recipe.fits()) take(fitted_heads(recipe, heads, given.how.distilling));
    measure(recipe.fits());
    const bool distils = recipe.distils(*now);
    if (distils && recipe.together())
        distil_together(given, recipe, training, *now, progress, outcome, checkpoint);
    else if (distils)
        distil(given, recipe, heads, *now, progress, outcome, checkpoint);
    outcome.cost =
        attention_cost(*now->network, [&](Index layer) { return given.choice->exact() || recipe.keeps(layer); });
    // A network that diverged has no stage from there on.
    if (!std::isnan(outcome.diverged_at)) now.reset();
    measure(distils);
    if (given.tuned && now) tune(given, judge, *now, progress, outcome, checkpoint);
    if (given.tuned && std::isnan(outcome.diverged_at)) {
        measure(true);
    } else {
        outcome.acts.push_back(given.tuned ? 1 : 0);
        outcome.moved.push_back(std::nan(""));
        outcome.stages.emplace_back(shape, given.how.pictured);
    }
    if (now && std::isnan(outcome.diverged_at))
        for (const training::Branch branch : {training::Branch::window, training::Branch::linear})
            if (const auto rest = without_branch(*now, branch))
                outcome.without[branch == training::Branch::window ? 0 : 1] = judge.loss(*rest);
    progress.tuning.fill(given.how.evaluations);
    progress.scratch.fill(given.how.evaluations);
    outcome.tuning = progress.tuning;
    outcome.scratch = progress.scratch;
    if (!progress.scratch_diverged_at.empty()) outcome.scratch_diverged_at = progress.scratch_diverged_at.front();
    return outcome;
}

}  // namespace rfbench::experiments
