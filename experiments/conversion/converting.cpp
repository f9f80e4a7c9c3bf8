#include "conversion/converting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "conversion/kept_layers.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/store/sha256.hpp"
#include "study/foundation.hpp"

namespace rfbench::experiments {
namespace {

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
void add_teachers(const config::Value& config, Converting& all) {
    const store::Dataset data = foundation(config.at("from"));
    const auto& labels = std::get<std::vector<std::string>>(all.tasks.labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const config::Value& entry = config.at("sources");
        try {
            for (const std::uint64_t seed : all.seeds) {
                auto network =
                    std::make_shared<const StoredNetwork>(read_network(data, labels[i], static_cast<double>(seed)));
                if (const std::string words = difference(network->network.shape(), all.tasks.values[i].shape);
                    !words.empty())
                    throw std::invalid_argument(fmt::format("the network of '{}' has {}", labels[i], words));
                all.teachers.emplace(std::pair(i, seed), std::move(network));
            }
            std::string hashes = all.tasks.data[i];
            for (const double seed : report::numbers(data, "seed"))
                hashes += " " + read_network(data, labels[i], seed).weights_hash;
            all.tasks.data[i] = store::sha256(hashes);
        } catch (const std::invalid_argument& error) {
            entry.refuse(fmt::format("{}: {}", config.at("from").text(), error.what()));
        }
    }
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

/// Refuses what the networks have no room for.
void require_room(const config::Value& config, const Converting& all) {
    for (const auto& [key, teacher] : all.teachers) {
        const networks::TransformerShape& shape = teacher->network.shape();
        for (const MethodChoice& choice : all.methods) {
            choice.require_dimension(shape.width / shape.heads);
            if (whole(choice.entry, "kept") > shape.layers)
                choice.entry.at("kept").refuse(fmt::format("{} layers are to stay softmax, and the networks have {}",
                                                           whole(choice.entry, "kept"), shape.layers));
        }
        if (shape.positions <= all.how.continuation && !std::isnan(all.tasks.values[key.first].bits))
            config.at("continuation")
                .refuse(fmt::format("{} tokens are to follow others, and a sequence of the text has {}",
                                    all.how.continuation, shape.positions));
    }
}

/// Parameters, their gradients, moments and copies; sequences that heads are fitted to, and passes of layers.
double bytes_of_cell(const Converting& all) {
    double parameters = 0, tokens = 0;
    for (const auto& [key, teacher] : all.teachers) {
        const networks::TransformerShape& shape = teacher->network.shape();
        parameters = std::max(parameters, static_cast<double>(teacher->network.layout().size()));
        tokens = std::max(tokens, static_cast<double>(shape.positions * shape.layers * shape.width));
    }
    return 60 * parameters + 24.0 * static_cast<double>(all.how.fitted_on) * tokens +
           sizeof(float) * 30.0 * 512 * tokens / static_cast<double>(all.how.judged);
}

/// Methods without a causal form, a line each.
std::string without_causal_form(const Axis<MethodChoice>& methods) {
    std::string lines;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const MethodChoice& choice = methods.values[i];
        if (choice.can(Ability::layer) && !choice.can(Ability::causal_layer))
            lines += std::get<std::vector<std::string>>(methods.labels)[i] + "\n";
    }
    return lines;
}

}  // namespace

std::vector<config::KeyRule> recipe_keys() {
    using namespace config;
    std::vector<KeyRule> all{
        defaulted(
            "distil", one_of({"distributions", "outputs", "direct", "none"}), "distributions",
            "of methods whose heads have parameters: what of the teacher's heads these are trained to match before "
            "the network is tuned; direct: they are trained by the loss of the network, all else being held"),
        optional("rate", real(above(0).at_most(10)), "of tuning; that of the source unless given")};
    for (KeyRule& rule : kept_keys()) all.push_back(std::move(rule));
    return all;
}

std::vector<config::KeyRule> conversion_keys() {
    using namespace config;
    return {
        required("from", text(), "the configuration whose networks are converted, as training/teachers; run first"),
        network_tasks_key(),
        defaulted("warm", integer(0, 1'000'000), "10", "steps of tuning over which the rate rises"),
        defaulted("max_gradient_norm", real(above(0)), "1", "longer gradients are shortened to this"),
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

bool Converting::has_form(const Point& at) const {
    const MethodChoice& choice = at[methods];
    const bool causal = at[tasks].shape.visible == attention::Visible::causal;
    return !causal || !choice.can(Ability::layer) || choice.can(Ability::causal_layer);
}

Sweep Converting::completed(Sweep sweep) const {
    sweep.notes = notes;
    sweep.bytes = bytes;
    sweep.attributes = {{"without_causal_form", without_causal_form(methods)},
                        {"judged", fmt::format("{}", how.judged)},
                        {"continuation", fmt::format("{}", how.continuation)}};
    return sweep;
}

Converting converting(const config::Value& config, const MethodKey& taken, const std::string& study) {
    const Stream stream = study_stream(config, study);
    SourceList<NetworkTask> tasks = network_tasks(config, stream);
    Converting all{tasks.axis,
                   method_axis(methods(config, taken), "attention in place of softmax"),
                   repeat_axis("seed", Key{config, "seeds"}, "the teacher's, and that of mini-batches and features"),
                   {},
                   {static_cast<int>(config.at("warm").integer()), static_cast<int>(config.at("looks").integer()),
                    config.at("max_gradient_norm").number(), whole(config, "judged"), whole(config, "compared"),
                    whole(config, "continuation"), whole(config, "fitted_on"), distilling(config)},
                   stream,
                   tasks.notes,
                   0};
    require_controls(config, all.methods);
    add_teachers(config, all);
    require_room(config, all);
    all.bytes = bytes_of_cell(all);
    return all;
}

std::vector<double> counted_from_one(Index count) {
    std::vector<double> all;
    for (Index i = 1; i <= count; ++i) all.push_back(static_cast<double>(i));
    return all;
}

store::Dataset stage_data(const ConversionOutcome& outcome, const NetworkTask& task,
                          const networks::TransformerShape& shape) {
    const auto collected = [&](auto part) {
        std::vector<double> all;
        for (const StageMeasures& stage : outcome.stages) {
            const auto own = part(stage);
            all.insert(all.end(), own.begin(), own.end());
        }
        return all;
    };
    using One = std::vector<double>;
    using Of = const StageMeasures&;
    const std::vector<std::string> head_axes{"stage", "layer", "head"};
    return {
        {{"stage", stage_names, "", "of the conversion, each from the one before"},
         {"layer", counted_from_one(shape.layers), "", "of the network"},
         {"head", counted_from_one(shape.heads), "", "of a layer"}},
        {{"loss", {"stage"}, collected([](Of s) { return One{s.loss}; }), "", "mean over targets held out"},
         {"bits_per_character",
          {"stage"},
          collected([&](Of s) { return One{s.loss * task.bits}; }),
          "bit",
          "the same of a text, a character"},
         {"accuracy",
          {"stage"},
          collected([](Of s) { return One{s.accuracy}; }),
          "",
          "share of targets held out that have the largest output"},
         {"nonpositive",
          {"stage"},
          collected([](Of s) { return One{s.nonpositive}; }),
          "",
          "share of denominators of all heads that are not positive"},
         {"chosen",
          {"stage"},
          collected([](Of s) { return One{s.chosen}; }),
          "",
          "share of sequences of a text held out whose end is likelier than that of another sequence"},
         {"acts", {"stage"}, outcome.acts, "", "1 where the stage changes anything of this method"},
         {"moved", {"stage"}, outcome.moved, "", "|w - w0| / |w0| of all parameters, w0 those that were swapped in"},
         {"divergence", head_axes, collected([](Of s) { return s.divergence; }), "",
          "Kullback-Leibler divergence of the attention weights from the teacher's, pairs that are lost left out"},
         {"lost", head_axes, collected([](Of s) { return s.lost; }), "",
          "share of the teacher's weight on pairs whose weight is not positive"},
         {"output_error", head_axes, collected([](Of s) { return s.output_error; }), "",
          "|O^ - O| / |O| of a head's outputs, given what the teacher's layer is given"},
         {"class_entropy", head_axes, collected([](Of s) { return s.class_entropy; }), "",
          "entropy in nats of the class token's row of attention, of sequences that have one"},
         {"hidden_error",
          {"stage", "layer"},
          collected([](Of s) { return s.hidden_error; }),
          "",
          "|X^ - X| / |X| behind a layer"},
         {"bits", {}, {task.bits}, "bit", "a character for each unit of the loss; NaN where there is no text"}},
        {}};
}

}  // namespace rfbench::experiments
