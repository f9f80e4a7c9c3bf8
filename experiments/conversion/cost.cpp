// Tables 4 and 5 of Nishikawa, Higuchi and Suzuki 2025: time of a sequence in converted networks whose features are
// spent by each strategy, and of a sample of each loss that features are trained by; beside a step of tuning with each
// attention. A study whose results are times: its files differ from run to run, and say so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "conversion/converting.hpp"
#include "conversion/cost_report.hpp"
#include "conversion/strategies.hpp"
#include "rfbench/dof/trained_points.hpp"
#include "rfbench/networks/trainer.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/training/linear_head.hpp"
#include "study/measured_runs.hpp"

namespace rfbench::experiments {
namespace {

using networks::Sequence;
using networks::Transformer;
using networks::TransformerShape;

const MethodKey taken{.abilities = {Ability::layer}, .sampling = EntrySampling::drawn};

/// squared and softmax: the paper's, head by head; outputs and distributions: those of `distil`; direct: the network's.
const std::vector<std::string> losses{"squared", "softmax", "outputs", "distributions", "direct"};

/// Steps of a descent that is measured as a whole; a sample is a step's share.
constexpr int descent_steps = 8;

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all{
        networks_key(),
        network_tasks_key(),
        strategies_key("[Fix, DoF, DoF + Clip]"),
        defaulted("length", integer(2, 1'000'000), "1024", "tokens of the sequence that strategies are timed on"),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head in the mean; the clip as well"),
        defaulted("fitted_on", integer(1, 100'000), "16", "sequences that degrees of freedom and features are of"),
        defaulted("points", integer(2, 8192), "256", "J, queries and keys that degrees of freedom are of"),
        defaulted("lambda", real(above(0)), "0.0625", "of degrees of freedom, as a share of tr S"),
    };
    for (KeyRule& rule : rounds_keys()) all.push_back(std::move(rule));
    return all;
}

struct Setting {
    Axis<NetworkTask> tasks;
    std::vector<std::shared_ptr<const StoredNetwork>> teachers;  // by source
    Axis<MethodChoice> methods;                                  // this and the next three are inside a cell
    Axis<Strategy> strategies;
    Axis<std::string> losses;
    Axis<std::uint64_t> repeats;
    Rounds rounds;
    Index length, columns, fitted_on, points;
    double lambda;
    Stream stream;
};

/// Whether the method has a form for what tokens of the task see.
bool has_form(const MethodChoice& choice, const NetworkTask& task) {
    return task.shape.visible == attention::Visible::all || choice->layers_seeing(attention::Visible::causal);
}

/// Heads as they are in a converted network: features of mechanisms are fitted to the teacher's, and frozen.
networks::Heads heads_of(const Setting& setting, const MethodChoice& choice, const TransformerShape& shape,
                         const HeadColumns& columns, const TeacherHeads& teacher) {
    const HeadRecipe recipe(choice, shape, columns, {}, setting.stream.child("heads"));
    if (!choice->mechanism()) return recipe.swapped().value();
    networks::Heads all;
    for (std::size_t h = 0; h < teacher.size(); ++h)
        all.push_back(recipe.fitted(static_cast<Index>(h), teacher[h], {{}, {}, setting.points, setting.lambda}));
    return all;
}

/// A network with weights as training begins: times do not depend on them.
struct Network {
    Transformer transformer;
    networks::Weights<float> weights;
    networks::Workspace<float> work;
    networks::Column<float> gradient;

    Network(const TransformerShape& shape, const networks::Heads& heads, const Stream& stream, networks::Passes passes)
        : transformer(shape, heads),
          weights(transformer.layout(), transformer.start({}, stream).cast<float>(), passes) {}
};

/// A sequence of `length` tokens of the task with one target: outputs of others are not made.
Sequence<float> long_sequence(const TransformerShape& shape, Index length, Stream stream) {
    Sequence<float> one;
    for (Index i = 0; shape.vocabulary > 0 && i < length; ++i)
        one.tokens.push_back(static_cast<int>(stream.below(static_cast<std::uint64_t>(shape.vocabulary))));
    if (shape.vocabulary == 0) {
        Eigen::MatrixXd rows(length, shape.inputs);
        fill_normal(stream, rows);
        one.rows = rows.cast<float>();
    }
    one.targets = {{0, 0}};
    return one;
}

class Cell {
public:
    Cell(const Setting& setting, const NetworkTask& task, const StoredNetwork& teacher)
        : setting_(setting),
          task_(task),
          shape_(teacher.network.shape()),
          batch_(task.mini_batch(setting.stream.child("batch"))),
          heads_(teacher_heads(teacher, training_sequences(task, setting.stream, setting.fitted_on))) {}

    store::Dataset dataset() const {
        std::vector<double> features;
        const std::vector<double> sequence = strategy_seconds(features);
        return {{setting_.methods.stored(), setting_.strategies.stored(), setting_.losses.stored(),
                 setting_.repeats.stored()},
                {{"sequence_seconds",
                  {"method", "strategy", "repeat"},
                  sequence,
                  "s",
                  "time of one forward pass of a sequence"},
                 {"features", {"method", "strategy"}, features, "", "mean over heads of the columns that are summed"},
                 {"sample_seconds",
                  {"loss", "repeat"},
                  loss_seconds(),
                  "s",
                  "time of a loss of features of all heads and of its gradient, by one sequence of the task"},
                 {"step_seconds",
                  {"method", "repeat"},
                  step_seconds(),
                  "s",
                  "time of a step of tuning, by a mini-batch of the task"},
                 exact_variable(setting_.methods)},
                measured_attributes()};
    }

private:
    TransformerShape longer() const {
        TransformerShape shape = shape_;
        shape.positions = setting_.length;
        return shape;
    }

    /// Forward passes [method][strategy][repeat]. A method whose columns no strategy decides has those of the first.
    std::vector<double> strategy_seconds(std::vector<double>& features) const {
        const Eigen::ArrayXXd degrees = degrees_of(heads_, shape_, setting_.points, setting_.lambda);
        const auto sequence = std::make_shared<const Sequence<float>>(
            long_sequence(shape_, setting_.length, setting_.stream.child("long")));
        std::vector<MeasuredRun> runs;
        for (const MethodChoice& choice : setting_.methods)
            for (std::size_t s = 0; s < setting_.strategies.size(); ++s) {
                features.push_back(std::nan(""));
                if (!has_form(choice, task_) || (s > 0 && !choice.budgeted())) {
                    runs.emplace_back();
                    continue;
                }
                const HeadColumns columns = spent(degrees, setting_.strategies.values[s], setting_.columns);
                std::shared_ptr<Network> network;
                try {
                    network = std::make_shared<Network>(longer(), heads_of(setting_, choice, longer(), columns, heads_),
                                                        setting_.stream.child("start"), networks::Passes::forward);
                } catch (const std::invalid_argument&) {
                    // A map that cannot have these numbers of features, as one of several channels: the table says so.
                    runs.emplace_back();
                    continue;
                }
                features.back() = attention_cost(network->transformer, [&](Index) { return choice->exact(); }).columns;
                runs.emplace_back(
                    [network, sequence] {
                        network->transformer.evaluate<float>(network->weights, {sequence.get(), 1}, network->work);
                    },
                    setting_.rounds);
            }
        return seconds_in_turns(runs, setting_.rounds);
    }

    /// A loss of learned points and its gradient for one sequence, [loss][repeat]: of all heads, one after the other,
    /// or of the network, whose backward pass is that of all its parameters.
    std::vector<double> loss_seconds() const {
        std::vector<MeasuredRun> runs;
        std::vector<double> samples;
        for (const std::string& loss : setting_.losses) {
            runs.emplace_back(run_of(loss), setting_.rounds);
            samples.push_back(loss == "outputs" || loss == "distributions" ? descent_steps : 1);
        }
        std::vector<double> seconds = seconds_in_turns(runs, setting_.rounds);
        for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] /= samples[i / setting_.repeats.size()];
        return seconds;
    }

    dof::WeightedFeatures points() const {
        return {features::draw_normals(shape_.width / shape_.heads, setting_.columns, sampling::find("orthogonal"),
                                       setting_.stream.child("points")),
                Vector::Zero(setting_.columns)};
    }

    std::function<void()> run_of(const std::string& loss) const {
        const dof::WeightedFeatures start = points();
        if (loss == "squared" || loss == "softmax")
            return [this, start, of = loss == "squared" ? dof::Loss::squared : dof::Loss::softmax] {
                for (const auto& head : heads_) {
                    const dof::Sequence sequence{head.front().queries, head.front().keys};
                    dof::evaluate(of, shape_.visible, start, {&sequence});
                }
            };
        const std::shared_ptr<const training::HeadAttention> head =
            training::linear_attention({dof::trained_points(start)});
        if (loss != "direct")
            return
                [this, head, of = loss == "outputs" ? training::Matched::outputs : training::Matched::distributions] {
                    for (const auto& sequences : heads_)
                        training::match_softmax(of, *head, head->start(setting_.stream), {sequences.front()},
                                                shape_.visible, {descent_steps, 1, 0.01, 1}, setting_.stream);
                };
        const auto network = std::make_shared<Network>(
            shape_, networks::Heads(static_cast<std::size_t>(shape_.layers * shape_.heads), head),
            setting_.stream.child("start"), networks::Passes::both);
        return [this, network] {
            network->transformer.gradient<float>(network->weights, {batch_.data(), 1}, network->work,
                                                 network->gradient);
        };
    }

    /// Steps of Adam on all parameters, [method][repeat].
    std::vector<double> step_seconds() const {
        struct Tuned {
            Transformer network;
            networks::Trainer<float> trainer;

            Tuned(const TransformerShape& shape, const networks::Heads& heads, const Stream& stream)
                // A rate by which nothing diverges, however often it is timed.
                : network(shape, heads), trainer(network, network.start({}, stream), {1'000'000, 1, 1e-9, 1}) {}
        };
        const HeadColumns columns = equal_columns(shape_, setting_.columns);
        std::vector<MeasuredRun> runs;
        for (const MethodChoice& choice : setting_.methods) {
            if (!has_form(choice, task_)) {
                runs.emplace_back();
                continue;
            }
            const auto tuned = std::make_shared<Tuned>(shape_, heads_of(setting_, choice, shape_, columns, heads_),
                                                       setting_.stream.child("start"));
            runs.emplace_back([this, tuned] { tuned->trainer.step(batch_); }, setting_.rounds);
        }
        return seconds_in_turns(runs, setting_.rounds);
    }

    const Setting& setting_;
    const NetworkTask& task_;
    TransformerShape shape_;
    NetworkTask::Sequences batch_;
    TeacherHeads heads_;
};

Sweep prepare(const config::Value& config) {
    const Stream stream = study_stream(config, "conversion/cost");
    SourceList<NetworkTask> tasks = network_tasks(config, stream);
    Setting own{tasks.axis,
                {},
                method_axis(methods(config, taken), "attention in place of softmax"),
                strategy_axis(config),
                axis("loss", losses, "features of heads are trained by"),
                repeat_axis("repeat", config.at("repeats").integer(), "round of samples"),
                Rounds(config),
                whole(config, "length"),
                whole(config, "columns"),
                whole(config, "fitted_on"),
                whole(config, "points"),
                config.at("lambda").number(),
                stream};
    const std::optional<store::Dataset> trained = trained_networks(config, own.tasks.values);
    const auto& labels = std::get<std::vector<std::string>>(own.tasks.labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const NetworkTask& task = own.tasks.values[i];
        try {
            own.teachers.push_back(task.network ? task.network() : network_for(*trained, labels[i], 0, task));
        } catch (const std::invalid_argument& error) {
            config.at("sources").refuse(fmt::format("{}: {}", config.at("from").text(), error.what()));
        }
        own.tasks.data[i] = own.teachers.back()->weights_hash;
        const TransformerShape& shape = own.teachers.back()->network.shape();
        for (const MethodChoice& choice : own.methods) choice.require_dimension(shape.width / shape.heads);
    }
    // Methods, strategies and losses are inside a cell: they are measured in turns.
    Sweep sweep = Sweep::over(own.tasks);
    sweep.notes = tasks.notes;
    sweep.alone = true;
    for (const auto& teacher : own.teachers) {
        const TransformerShape& shape = teacher->network.shape();
        // Networks are measured in turns: each has its values, packed once or twice, and its passes.
        const double each = 8 * sizeof(float) * static_cast<double>(teacher->network.layout().size()) +
                            30 * sizeof(float) * static_cast<double>(own.length * shape.width * shape.layers);
        sweep.bytes =
            std::max(sweep.bytes, each * static_cast<double>(own.methods.size() * (own.strategies.size() + 1)));
    }
    sweep.attributes = {{"length", fmt::format("{}", own.length)}, {"columns", fmt::format("{}", own.columns)}};
    sweep.compute = [own](const Point& at) {
        const parallel::OpenMpThreads team(1);
        return Cell(own, at[own.tasks], *own.teachers[at.index(own.tasks.name)]).dataset();
    };
    return sweep;
}

}  // namespace

Study conversion_cost_study() {
    return {"conversion",
            "cost",
            "times of a sequence for each distribution of features, of a sample for each loss, and of a tuning step",
            "Nishikawa, Higuchi and Suzuki 2025, Tables 4 and 5",
            1,
            taken,
            keys,
            prepare,
            conversion_cost_report};
}

}  // namespace rfbench::experiments
