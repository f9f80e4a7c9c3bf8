// A trained softmax network is made linear: what is lost when its heads are swapped, and what fitting, distilling and
// tuning bring back, beside softmax that is tuned on by the same steps and attention that is uniform.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "conversion/judge.hpp"
#include "conversion/recovery_report.hpp"
#include "foundation.hpp"
#include "rfbench/networks/part_trainer.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/network_tasks.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken = {
    .abilities = {Ability::layer, Ability::found},
    .keys = {config::defaulted("distil", config::one_of({"distributions", "outputs", "none"}), "distributions",
                               "of methods whose heads have parameters: what of the teacher's heads these are trained "
                               "to match before the network is tuned"),
             config::optional("rate", config::real(config::above(0).at_most(10)),
                              "of tuning; that of the source unless given")},
    .columns = true,
    .sampling = EntrySampling::drawn};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("from", text(), "the configuration whose networks are converted, as training/teachers; run first"),
        network_tasks_key(),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head in networks that are tuned"),
        optional("more_columns", integers(1, 65536),
                 "others, at which networks are swapped, fitted and distilled, but not tuned"),
        defaulted("warm", integer(0, 1'000'000), "10", "steps of tuning over which the rate rises"),
        defaulted("longest_gradient", real(above(0)), "1", "longer gradients are shortened to this"),
        defaulted("looks", integer(1, 1000), "10", "how often sequences held out are looked at while tuning"),
        defaulted("judged", integer(1, 1'000'000), "64", "sequences held out"),
        defaulted("compared", integer(1, 100'000), "4", "of these, looked at head by head and layer by layer"),
        defaulted("fitted_on", integer(1, 100'000), "16", "sequences of training data that heads are fitted to"),
        defaulted("distil_steps", integer(1, 1'000'000), "100", "mini-batches of Adam, of each head"),
        defaulted("distil_batch", integer(1, 100'000), "4", "sequences of such a mini-batch"),
        defaulted("distil_rate", real(above(0).at_most(10)), "0.01", "of that"),
        defaulted("points", integer(2, 8192), "256", "J, queries and keys that points are found from"),
        defaulted("lambda", real(above(0)), "0.0625", "of degrees of freedom, as a share of tr S"),
        defaulted("seeds", integer(1, 1000), "3", "networks of each source, by their seeds 0, 1, ..."),
    };
}

struct Setting {
    Axis<NetworkTask> tasks;
    Axis<MethodChoice> methods;
    Axis<Index> columns;
    Axis<std::uint64_t> seeds;
    std::map<std::pair<std::size_t, std::uint64_t>, std::shared_ptr<const StoredNetwork>> teachers;
    Index tuned_columns;
    int warm, looks;
    double longest_gradient;
    Index judged, compared, fitted_on;
    Distilling distilling;
    Stream stream;

    const StoredNetwork& teacher(const Point& at) const { return *teachers.at({at.index(tasks.name), at[seeds]}); }
    /// Costs are those of the method's own columns, where no budget decides them: it is measured once.
    bool has_cell(const Point& at) const {
        const MethodChoice& choice = at[methods];
        if (!choice.budgeted() && at[columns] != tuned_columns) return false;
        const bool causal = at[tasks].shape.visible == attention::Visible::causal;
        return !causal || !choice.can(Ability::layer) || choice.can(Ability::causal_layer);
    }
    bool tunes(const Point& at) const { return at[columns] == tuned_columns; }
};

using Trainer = networks::PartTrainer<float>;

/// How far a cell has come: parameters of the heads that are distilled, one head after the other; then the curve of
/// tuning, and the state that it goes on from.
struct Progress {
    std::vector<double> distilled, loss, accuracy;
    std::optional<Trainer::State> state = {};

    explicit Progress(const engine::Draft& draft) {
        const auto last = draft.last();
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
        // Every float is a double, so that what goes on from a draft comes to the same bits.
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

/// Result of a cell, stage by stage.
struct Outcome {
    std::vector<StageMeasures> stages;
    std::vector<double> acts;            ///< 1 where a stage changed anything
    std::vector<double> moved;           ///< by which the stages changed parameters, relative to all of them
    std::vector<double> loss, accuracy;  ///< while tuning
    double diverged_at = std::nan("");
    AttentionCost cost;
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
            Progress& progress, engine::Draft& draft) {
    std::size_t found = 0;
    const Index heads = converted.network->shape().heads;
    for (std::size_t h = 0; h < teacher.size(); ++h) {
        const auto number = static_cast<Index>(h);
        const networks::MultiHead& layer = converted.network->layer(number / heads).attention();
        const auto own = static_cast<std::size_t>(number % heads);
        const networks::Parameter& parameter = layer.head_parameters()[own];
        auto values = converted.values.segment(parameter.first, parameter.size());
        if (found == progress.distilled.size()) {
            draft.offer([&] { return progress.kept(); });
            const Vector trained =
                recipe.distilled(number, *layer.heads()[own], values.cast<double>(), teacher[h], how);
            progress.distilled.insert(progress.distilled.end(), trained.begin(), trained.end());
        }
        for (Index i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(progress.distilled.at(found + static_cast<std::size_t>(i)));
        found += static_cast<std::size_t>(values.size());
        draft.tell(0.3 * static_cast<double>(h + 1) / static_cast<double>(teacher.size()), "distilled");
    }
}

/// Trains all parameters on the task, looked at on sequences held out.
void tune(const Setting& setting, const NetworkTask& task, double rate, const Stream& batches, const Judge& judge,
          Converted& converted, Progress& progress, Outcome& outcome, engine::Draft& draft) {
    const training::Descent descent{std::max(1, task.steps), 1, rate, setting.longest_gradient};
    Trainer trainer(*converted.network, converted.values, descent, setting.warm,
                    [](const networks::Parameter&) { return 1.0; });
    if (progress.state) trainer.resume(*progress.state);
    const auto look = [&](int step) {
        // As many looks as parts of the tuning have ended; where parts are shorter than a step, several at once.
        while (static_cast<int>(progress.loss.size()) < setting.looks &&
               static_cast<std::int64_t>(progress.loss.size() + 1) * task.steps <=
                   static_cast<std::int64_t>(step) * setting.looks) {
            const networks::Loss seen = trainer.evaluate(judge.held_out()).loss;
            progress.loss.push_back(seen.mean());
            progress.accuracy.push_back(seen.accuracy());
        }
    };
    try {
        for (int step = trainer.steps(); step < task.steps; ++step) {
            draft.offer([&] {
                progress.state = trainer.state();
                return progress.kept();
            });
            const double loss =
                trainer.step(task.mini_batch(batches.child(static_cast<std::uint64_t>(step)))).loss.mean();
            draft.tell(0.3 + 0.7 * static_cast<double>(step + 1) / task.steps,
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

Outcome convert(const Setting& setting, const Point& at) {
    const NetworkTask& task = at[setting.tasks];
    const StoredNetwork& teacher = setting.teacher(at);
    const MethodChoice& choice = at[setting.methods];
    const networks::TransformerShape& shape = teacher.network.shape();
    // Sequences are drawn by what they are for: all methods are fitted, tuned and judged on the same.
    const Stream seed = setting.stream.child(task.kind).child(at[setting.seeds]);
    const Stream own = seed.child("heads").child(choice.label);
    const HeadRecipe recipe(choice, shape, at[setting.columns], own);
    const Judge judge(teacher, task.held_out(setting.judged), setting.compared);
    NetworkInputs given = task.mini_batch(seed.child("fit"));
    for (std::uint64_t more = 1; static_cast<Index>(given.size()) < setting.fitted_on; ++more)
        for (auto& one : task.mini_batch(seed.child("fit").child(more))) given.push_back(std::move(one));
    given.resize(static_cast<std::size_t>(setting.fitted_on));
    const TeacherHeads heads = teacher_heads(teacher, given);

    Outcome outcome;
    Progress progress(at.draft());
    std::optional<Converted> now;
    networks::Column<float> begun;
    const auto measured = [&](bool acts) {
        outcome.acts.push_back(acts ? 1 : 0);
        if (acts)
            outcome.stages.push_back(now ? judge.measure(*now) : StageMeasures(shape));
        else
            outcome.stages.push_back(outcome.stages.back());
        outcome.moved.push_back(now ? distance(now->values, begun) : std::nan(""));
    };
    const auto take = [&](const networks::Heads& all) {
        now = with_heads(shape, all, teacher.network.layout(), teacher.weights.values(), own.child("start"));
        begun = now->values;
    };
    const auto swapped = recipe.swapped();
    if (swapped) take(*swapped);
    measured(true);
    if (recipe.fits()) take(fitted_heads(recipe, heads, setting.distilling));
    measured(recipe.fits());
    if (recipe.distils()) distil(recipe, heads, setting.distilling, *now, progress, at.draft());
    measured(recipe.distils());
    outcome.cost = attention_cost(*now->network, choice.can(Ability::exact));
    if (setting.tunes(at)) {
        const double rate = choice.entry.has("rate") ? choice.entry.at("rate").number() : task.rate;
        tune(setting, task, rate, seed.child("batches"), judge, *now, progress, outcome, at.draft());
        if (!std::isnan(outcome.diverged_at)) now.reset();
        measured(true);
    } else {
        outcome.acts.push_back(0);
        outcome.moved.push_back(std::nan(""));
        outcome.stages.emplace_back(shape);
    }
    progress.loss.resize(static_cast<std::size_t>(setting.looks), std::nan(""));
    progress.accuracy.resize(static_cast<std::size_t>(setting.looks), std::nan(""));
    outcome.loss = progress.loss;
    outcome.accuracy = progress.accuracy;
    return outcome;
}

std::vector<double> counted_from_one(Index count) {
    std::vector<double> all;
    for (Index i = 1; i <= count; ++i) all.push_back(static_cast<double>(i));
    return all;
}

/// Tokens of a mini-batch, the class token not counted.
double tokens_of(const NetworkTask& task) {
    double tokens = 0;
    for (const auto& one : task.mini_batch(Stream(0))) tokens += static_cast<double>(one.length());
    return tokens;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const NetworkTask& task = at[setting.tasks];
    const networks::TransformerShape& shape = setting.teacher(at).network.shape();
    const Outcome outcome = convert(setting, at);
    const auto collected = [&](auto part) {
        std::vector<double> all;
        for (const StageMeasures& stage : outcome.stages) {
            const auto own = part(stage);
            all.insert(all.end(), own.begin(), own.end());
        }
        return all;
    };
    using One = std::vector<double>;
    using Stage = const StageMeasures&;
    std::vector<double> shares;
    for (int i = 1; i <= setting.looks; ++i) shares.push_back(static_cast<double>(i) / setting.looks);
    const std::vector<std::string> head_axes{"stage", "layer", "head"};
    return {
        {{"stage", stage_names, "", "of the conversion, each from the one before"},
         {"share", shares, "", "of the tuning"},
         {"layer", counted_from_one(shape.layers), "", "of the network"},
         {"head", counted_from_one(shape.heads), "", "of a layer"}},
        {{"loss", {"stage"}, collected([](Stage s) { return One{s.loss}; }), "", "mean over targets held out"},
         {"bits_per_character",
          {"stage"},
          collected([&](Stage s) { return One{s.loss * task.bits}; }),
          "bit",
          "the same of a text, a character"},
         {"accuracy",
          {"stage"},
          collected([](Stage s) { return One{s.accuracy}; }),
          "",
          "share of targets held out that have the largest output"},
         {"nonpositive",
          {"stage"},
          collected([](Stage s) { return One{s.nonpositive}; }),
          "",
          "share of denominators of all heads that are not positive"},
         {"acts", {"stage"}, outcome.acts, "", "1 where the stage changes anything of this method"},
         {"moved", {"stage"}, outcome.moved, "", "|w - w0| / |w0| of all parameters, w0 those that were swapped in"},
         {"divergence", head_axes, collected([](Stage s) { return s.divergence; }), "",
          "Kullback-Leibler divergence of the attention weights from the teacher's, pairs that are lost left out"},
         {"lost", head_axes, collected([](Stage s) { return s.lost; }), "",
          "share of the teacher's weight on pairs whose weight is not positive"},
         {"output_error", head_axes, collected([](Stage s) { return s.output_error; }), "",
          "|O^ - O| / |O| of a head's outputs, given what the teacher's layer is given"},
         {"hidden_error",
          {"stage", "layer"},
          collected([](Stage s) { return s.hidden_error; }),
          "",
          "|X^ - X| / |X| behind a layer"},
         {"tuning_loss", {"share"}, outcome.loss, "", "mean over targets held out, while the network is tuned"},
         {"tuning_accuracy", {"share"}, outcome.accuracy, "", "of targets held out, likewise"},
         {"diverged_at", {}, {outcome.diverged_at}, "step", "of tuning"},
         {"features", {}, {outcome.cost.columns}, "", "mean over heads of the columns that are summed"},
         {"operations", {}, {outcome.cost.operations}, "", "multiplications a token in all heads"},
         {"state_bytes", {}, {outcome.cost.state_bytes}, "byte", "kept of a whole sequence while it is decoded"},
         {"bits", {}, {task.bits}, "bit", "a character for each unit of the loss; NaN where there is no text"},
         {"tuning_tokens", {}, {tokens_of(task) * task.steps}, "", "tokens of all steps of tuning"}},
        {}};
}

/// The shape a teacher must have to do this task: what of it differs, in words; empty where nothing does.
std::string difference(const networks::TransformerShape& teacher, const networks::TransformerShape& task) {
    const auto differing = [&](const char* name, auto own, auto asked) {
        return own == asked ? std::string() : fmt::format("{} {} where the source has {}", own, name, asked);
    };
    for (const std::string& words :
         {differing("tokens there are", teacher.vocabulary, task.vocabulary),
          differing("numbers a row", teacher.inputs, task.inputs),
          differing("tokens of a sequence", teacher.positions, task.positions),
          differing("outputs", teacher.outputs, task.outputs),
          differing("tokens that a convolution sees", teacher.convolution, task.convolution)})
        if (!words.empty()) return words;
    if (teacher.visible != task.visible || teacher.read_out != task.read_out || teacher.class_token != task.class_token)
        return "another form: what its tokens see, or where its outputs are read, is not that of the source";
    return "";
}

/// Networks of all sources, and as data of each source the hash of all that the configuration `from` has trained of it:
/// with more seeds there, or other weights, results are others.
void add_teachers(const config::Value& config, Setting& setting) {
    const store::Dataset data = foundation(config.at("from"));
    const auto& labels = std::get<std::vector<std::string>>(setting.tasks.labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const config::Value& entry = config.at("sources");
        try {
            for (const std::uint64_t seed : setting.seeds) {
                auto network =
                    std::make_shared<const StoredNetwork>(read_network(data, labels[i], static_cast<double>(seed)));
                if (const std::string words = difference(network->network.shape(), setting.tasks.values[i].shape);
                    !words.empty())
                    throw std::invalid_argument(fmt::format("the network of '{}' has {}", labels[i], words));
                setting.teachers.emplace(std::pair(i, seed), std::move(network));
            }
            std::string hashes = setting.tasks.data[i];
            for (const double seed : report::numbers(data, "seed"))
                hashes += " " + read_network(data, labels[i], seed).weights_hash;
            setting.tasks.data[i] = store::sha256(hashes);
        } catch (const std::invalid_argument& error) {
            entry.refuse(fmt::format("{}: {}", config.at("from").text(), error.what()));
        }
    }
}

/// Columns at which networks are tuned, then the others.
Axis<Index> columns_axis(const config::Value& config) {
    std::vector<std::int64_t> all{config.at("columns").integer()};
    if (config.has("more_columns"))
        for (const std::int64_t more : config.at("more_columns").integers())
            if (more != all.front()) all.push_back(more);
    std::sort(all.begin(), all.end());
    Axis<Index> axis = whole_axis("columns", all, "real feature columns of a head, about");
    axis.keys = {"more_columns"};
    return axis;
}

Distilling distilling(const config::Value& config) {
    training::PointTraining points;
    points.steps = static_cast<int>(config.at("distil_steps").integer());
    points.batch = static_cast<int>(config.at("distil_batch").integer());
    points.rate = config.at("distil_rate").number();
    return {
        {points.steps, points.batch, points.rate, 1}, points, whole(config, "points"), config.at("lambda").number()};
}

/// Recovery is told on the way from uniform attention to softmax: both must be there.
void require_controls(const config::Value& config, const Axis<MethodChoice>& methods) {
    const auto has = [&](auto is) { return std::any_of(methods.begin(), methods.end(), is); };
    if (!has([](const MethodChoice& one) { return one.can(Ability::exact); }))
        config.at("methods").refuse("there is no 'exact': softmax that is tuned on is what others are told against");
    if (!has([](const MethodChoice& one) { return one.info->name == "uniform"; }))
        config.at("methods").refuse("there is no 'uniform': recovery begins at what uniform attention reaches");
}

/// Methods without a causal form, a line each, and the sources that ask for one.
std::string without_causal_form(const Setting& setting) {
    std::string lines;
    for (std::size_t i = 0; i < setting.methods.size(); ++i) {
        const MethodChoice& choice = setting.methods.values[i];
        if (choice.can(Ability::layer) && !choice.can(Ability::causal_layer))
            lines += std::get<std::vector<std::string>>(setting.methods.labels)[i] + "\n";
    }
    return lines;
}

Sweep prepare(const config::Value& config) {
    const Stream stream = study_stream(config, "conversion/recovery");
    SourceList<NetworkTask> tasks = network_tasks(config, stream);
    Setting setting{tasks.axis,
                    method_axis(methods(config, taken), "attention in place of softmax"),
                    columns_axis(config),
                    repeat_axis("seed", Key{config, "seeds"}, "the teacher's, and that of mini-batches and features"),
                    {},
                    whole(config, "columns"),
                    static_cast<int>(config.at("warm").integer()),
                    static_cast<int>(config.at("looks").integer()),
                    config.at("longest_gradient").number(),
                    whole(config, "judged"),
                    whole(config, "compared"),
                    whole(config, "fitted_on"),
                    distilling(config),
                    stream};
    require_controls(config, setting.methods);
    add_teachers(config, setting);
    double parameters = 0, tokens = 0;
    for (const auto& [key, teacher] : setting.teachers) {
        const networks::TransformerShape& shape = teacher->network.shape();
        for (const MethodChoice& choice : setting.methods) choice.require_dimension(shape.width / shape.heads);
        parameters = std::max(parameters, static_cast<double>(teacher->network.layout().size()));
        tokens = std::max(tokens, static_cast<double>(shape.positions * shape.layers * shape.width));
    }
    Sweep sweep = Sweep::over(setting.tasks, setting.methods, setting.columns, setting.seeds);
    sweep.notes = tasks.notes;
    // Parameters, their gradients, moments and copies; sequences that heads are fitted to, and passes of layers.
    sweep.bytes = 60 * parameters + 24.0 * static_cast<double>(setting.fitted_on) * tokens +
                  sizeof(float) * 30.0 * 512 * tokens / static_cast<double>(setting.judged);
    sweep.attributes["without_causal_form"] = without_causal_form(setting);
    sweep.attributes["tuned_columns"] = fmt::format("{}", setting.tuned_columns);
    sweep.keep = [setting](const Point& at) { return setting.has_cell(at); };
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

}  // namespace

Study recovery_study() {
    return {"conversion",
            "recovery",
            "a trained softmax network made linear: what each attention loses when swapped in, and what comes back",
            "Chen et al. 2024, Algorithm 1 and Table 2; Shahbazi et al. 2025, Tables 2 and 3",
            1,
            taken,
            keys,
            prepare,
            recovery_report};
}

}  // namespace rfbench::experiments
