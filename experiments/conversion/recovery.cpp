// A trained softmax network is made linear: what is lost when its heads are swapped, and what fitting, distilling and
// tuning bring back, beside softmax that is tuned on by the same steps and attention that is uniform.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "conversion/conversion.hpp"
#include "conversion/kept_layers.hpp"
#include "conversion/recovery_report.hpp"
#include "foundation.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::experiments {
namespace {

/// Keys of an entry beside the method's.
std::vector<config::KeyRule> entry_keys() {
    using namespace config;
    std::vector<KeyRule> all{
        defaulted(
            "distil", one_of({"distributions", "outputs", "none"}), "distributions",
            "of methods whose heads have parameters: what of the teacher's heads these are trained to match before "
            "the network is tuned"),
        optional("rate", real(above(0).at_most(10)), "of tuning; that of the source unless given")};
    for (KeyRule& rule : kept_keys()) all.push_back(std::move(rule));
    return all;
}

const MethodKey taken{.abilities = {Ability::layer, Ability::found},
                      .keys = entry_keys(),
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
        defaulted("continuation", integer(1, 100'000), "16",
                  "tokens at the end of a text's sequence, which are to be told from another sequence's"),
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
    ConversionSetting how;
    Stream stream;

    const StoredNetwork& teacher(const Point& at) const { return *teachers.at({at.index(tasks.name), at[seeds]}); }
    /// Costs are those of the method's own columns, where no budget decides them: it is measured once.
    bool has_cell(const Point& at) const {
        const MethodChoice& choice = at[methods];
        if (!choice.budgeted() && at[columns] != tuned_columns) return false;
        const bool causal = at[tasks].shape.visible == attention::Visible::causal;
        return !causal || !choice.can(Ability::layer) || choice.can(Ability::causal_layer);
    }
};

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
    const bool tuned = at[setting.columns] == setting.tuned_columns;
    // Sequences are drawn by what they are for: all methods are fitted, tuned and judged on the same.
    const Stream seed = setting.stream.child(task.kind).child(at[setting.seeds]);
    const ConversionOutcome outcome = convert(
        {task, setting.teacher(at), at[setting.methods], at[setting.columns], tuned, setting.how, seed}, at.draft());
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
    for (int i = 1; i <= setting.how.looks; ++i) shares.push_back(static_cast<double>(i) / setting.how.looks);
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
         {"chosen",
          {"stage"},
          collected([](Stage s) { return One{s.chosen}; }),
          "",
          "share of sequences of a text held out whose end is likelier than that of another sequence"},
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
                    {static_cast<int>(config.at("warm").integer()), static_cast<int>(config.at("looks").integer()),
                     config.at("longest_gradient").number(), whole(config, "judged"), whole(config, "compared"),
                     whole(config, "continuation"), whole(config, "fitted_on"), distilling(config)},
                    stream};
    require_controls(config, setting.methods);
    add_teachers(config, setting);
    double parameters = 0, tokens = 0;
    for (const auto& [key, teacher] : setting.teachers) {
        const networks::TransformerShape& shape = teacher->network.shape();
        for (const MethodChoice& choice : setting.methods) {
            choice.require_dimension(shape.width / shape.heads);
            if (whole(choice.entry, "kept") > shape.layers)
                choice.entry.at("kept").refuse(fmt::format("{} layers are to stay softmax, and the networks have {}",
                                                           whole(choice.entry, "kept"), shape.layers));
        }
        parameters = std::max(parameters, static_cast<double>(teacher->network.layout().size()));
        if (teacher->network.shape().positions <= setting.how.continuation &&
            !std::isnan(setting.tasks.values[key.first].bits))
            config.at("continuation")
                .refuse(fmt::format("{} tokens are to follow others, and a sequence of the text has {}",
                                    setting.how.continuation, teacher->network.shape().positions));
        tokens = std::max(tokens, static_cast<double>(shape.positions * shape.layers * shape.width));
    }
    Sweep sweep = Sweep::over(setting.tasks, setting.methods, setting.columns, setting.seeds);
    sweep.notes = tasks.notes;
    // Parameters, their gradients, moments and copies; sequences that heads are fitted to, and passes of layers.
    sweep.bytes = 60 * parameters + 24.0 * static_cast<double>(setting.how.fitted_on) * tokens +
                  sizeof(float) * 30.0 * 512 * tokens / static_cast<double>(setting.how.judged);
    sweep.attributes["without_causal_form"] = without_causal_form(setting);
    sweep.attributes["judged"] = fmt::format("{}", setting.how.judged);
    sweep.attributes["continuation"] = fmt::format("{}", setting.how.continuation);
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
