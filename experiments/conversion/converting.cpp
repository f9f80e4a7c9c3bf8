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
        return own == asked ? std::string() : fmt::format("{} {} where the source has {}", name, own, asked);
    };
    for (const std::string& words :
         {differing("vocabulary", teacher.vocabulary, task.vocabulary),
          differing("inputs", teacher.inputs, task.inputs), differing("length", teacher.positions, task.positions),
          differing("outputs", teacher.outputs, task.outputs),
          differing("convolution", teacher.convolution, task.convolution)})
        if (!words.empty()) return words;
    if (teacher.visible != task.visible || teacher.read_out != task.read_out || teacher.class_token != task.class_token)
        return "another form: what its tokens see, or where its outputs are read, is not that of the source";
    return "";
}

std::optional<TeacherTraining> training_of(const store::Dataset& teachers, const std::string& source) {
    try {
        return teacher_training(teachers, source);
    } catch (const std::invalid_argument&) {
        // A file that does not say is in order, as long as nothing is trained from scratch.
        return {};
    }
}

/// Networks of a source, by seed, and as its data the hash of all that the configuration `from` has trained of it: with
/// more seeds there, or other weights, results are others.
void add_trained(const store::Dataset& data, std::size_t source, Converting& all) {
    const std::string& label = std::get<std::vector<std::string>>(all.tasks.labels)[source];
    for (const std::uint64_t seed : all.seeds)
        all.teachers.emplace(std::pair(source, seed),
                             network_for(data, label, static_cast<double>(seed), all.tasks.values[source]));
    std::string hashes = all.tasks.data[source];
    for (const double seed : report::numbers(data, "seed"))
        hashes += " " + read_network(data, label, seed).weights_hash;
    all.tasks.data[source] = store::sha256(hashes);
    all.trainings[source] = training_of(data, label);
}

/// Networks of all sources: those that come with them, one for all seeds, and those that were trained.
void add_teachers(const config::Value& config, Converting& all) {
    const std::optional<store::Dataset> trained = trained_networks(config, all.tasks.values);
    all.trainings.resize(all.tasks.size());
    for (std::size_t i = 0; i < all.tasks.size(); ++i) {
        if (all.tasks.values[i].network) {
            const auto network = all.tasks.values[i].network();
            for (const std::uint64_t seed : all.seeds) all.teachers.emplace(std::pair(i, seed), network);
            continue;
        }
        try {
            add_trained(*trained, i, all);
        } catch (const std::invalid_argument& error) {
            config.at("sources").refuse(fmt::format("{}: {}", config.at("from").text(), error.what()));
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

/// Refuses what the networks have no room for.
void require_room(const config::Value& config, const Converting& all) {
    for (const auto& [key, teacher] : all.teachers) {
        const networks::TransformerShape& shape = teacher->network.shape();
        for (const MethodChoice& choice : all.methods) {
            choice.require_dimension(shape.width / shape.heads);
            if (choice->layers()) choice.require_heads({shape.layers, shape.heads});
            if (whole(choice.entry, "kept") > shape.layers)
                choice.entry.at("kept").refuse(fmt::format("{} layers are to stay softmax, and the networks have {}",
                                                           whole(choice.entry, "kept"), shape.layers));
            if (choice.entry.has("low_rank") && whole(choice.entry, "low_rank") > shape.width)
                choice.entry.at("low_rank")
                    .refuse(fmt::format("{}; projections are {} wide", whole(choice.entry, "low_rank"), shape.width));
        }
        if (shape.positions <= all.how.continuation && !std::isnan(all.tasks.values[key.first].bits))
            config.at("continuation")
                .refuse(fmt::format("{} tokens are to follow others, and a sequence of the text has {}",
                                    all.how.continuation, shape.positions));
    }
}

/// Results have one array for all sources: refuses networks of other numbers of layers and heads than the first's.
void require_alike(const config::Value& config, const Converting& all) {
    const auto& labels = std::get<std::vector<std::string>>(all.tasks.labels);
    const networks::TransformerShape& first = all.teachers.begin()->second->network.shape();
    for (const auto& [key, teacher] : all.teachers) {
        const networks::TransformerShape& own = teacher->network.shape();
        if (own.layers != first.layers || own.heads != first.heads)
            config.at("sources").refuse(
                fmt::format("the network of '{}' has {} layers of {} heads, and that of '{}' {} of {}; results have "
                            "one array for all",
                            labels[key.first], own.layers, own.heads, labels.front(), first.layers, first.heads));
    }
}

/// Parameters, their gradients, moments and copies; sequences that heads are fitted to, and passes of layers.
double bytes_of_cell(const Converting& all) {
    double parameters = 0, tokens = 0, of_token = 0;
    for (const auto& [key, teacher] : all.teachers) {
        const networks::TransformerShape& shape = teacher->network.shape();
        parameters = std::max(parameters, static_cast<double>(teacher->network.layout().size()));
        tokens = std::max(tokens, static_cast<double>(shape.positions * shape.layers * shape.width));
        of_token = std::max(of_token, static_cast<double>(shape.layers * shape.width));
    }
    // Networks are evaluated on some 512 tokens at a time.
    return 60 * parameters + 24.0 * static_cast<double>(all.how.fitted_on) * tokens +
           sizeof(float) * 30.0 * 512 * of_token;
}

/// Methods that are layers without this form, a line each.
std::string without_form(const Axis<MethodChoice>& methods, attention::Visible visible) {
    std::string lines;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const MethodChoice& choice = methods.values[i];
        if (choice->layers() && !choice->layers_seeing(visible))
            lines += std::get<std::vector<std::string>>(methods.labels)[i] + "\n";
    }
    return lines;
}

}  // namespace

std::optional<store::Dataset> trained_networks(const config::Value& config, const std::vector<NetworkTask>& tasks) {
    if (std::all_of(tasks.begin(), tasks.end(), [](const NetworkTask& one) { return bool(one.network); })) return {};
    if (!config.has("from"))
        config.at("sources").refuse(
            "'from' must name the configuration that has trained networks for them, as training/teachers");
    return foundation(config.at("from"));
}

std::shared_ptr<const StoredNetwork> network_for(const store::Dataset& networks, const std::string& source, double seed,
                                                 const NetworkTask& task) {
    auto network = std::make_shared<const StoredNetwork>(read_network(networks, source, seed));
    if (const std::string words = difference(network->network.shape(), task.shape); !words.empty())
        throw std::invalid_argument(fmt::format("the network of '{}' has {}", source, words));
    return network;
}

config::KeyRule networks_key() {
    return config::optional("from", config::text(),
                            "the configuration whose networks are converted, as training/teachers, but for models, "
                            "which come with theirs; run first");
}

std::vector<config::KeyRule> recipe_keys() {
    using namespace config;
    std::vector<KeyRule> all{
        defaulted(
            "distil", one_of({"distributions", "outputs", "direct", "hidden", "none"}), "distributions",
            "of methods whose heads have parameters: what of the teacher's heads these are trained to match before "
            "the network is tuned; direct: they are trained by the loss of the network, all else being held; hidden: "
            "they and the projections of all layers are trained to match X after each of the teacher's layers"),
        defaulted("tune", one_of({"targets", "logits"}), "targets",
                  "what the network is tuned to: the targets of its task, or the teacher's distribution of outputs"),
        optional("low_rank", integer(1, 4096),
                 "rank of updates of queries, keys, values and outputs of attention while the network is tuned, all "
                 "else being held; all weights are tuned unless it is given"),
        optional("rate", real(above(0).at_most(10)), "of tuning; that of the source unless given")};
    for (KeyRule& rule : kept_keys()) all.push_back(std::move(rule));
    return all;
}

std::vector<Control> conversion_controls() {
    return {{"exact", "softmax that is tuned on, which others are told against"},
            {"uniform", "at which recovery begins"}};
}

std::vector<config::KeyRule> conversion_keys() {
    using namespace config;
    return {
        networks_key(),
        network_tasks_key(),
        defaulted("warmup_steps", integer(0, 1'000'000), "10", "steps of tuning over which the rate rises"),
        defaulted("max_gradient_norm", real(above(0)), "1", "longer gradients are shortened to this"),
        defaulted("evaluations", integer(1, 1000), "10", "how often sequences held out are evaluated while tuning"),
        defaulted("judged", integer(1, 1'000'000), "64", "sequences held out"),
        defaulted("compared", integer(1, 100'000), "4", "of these, compared head by head and layer by layer"),
        defaulted("pictured", integer(1, 1024), "32", "first tokens whose weights of attention are kept"),
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
    return !choice->layers() || choice->layers_seeing(at[tasks].shape.visible);
}

Sweep Converting::completed(Sweep sweep) const {
    sweep.notes = notes;
    sweep.bytes = bytes;
    sweep.attributes = {{"without_causal_form", without_form(methods, attention::Visible::causal)},
                        {"causal_alone", without_form(methods, attention::Visible::all)},
                        {"judged", fmt::format("{}", how.judged)},
                        {"continuation", fmt::format("{}", how.continuation)}};
    return sweep;
}

Converting converting(const config::Value& config, const MethodKey& taken, const std::string& study) {
    const Stream stream = study_stream(config, study);
    SourceList<NetworkTask> tasks = network_tasks(config, stream);
    Converting all{
        tasks.axis,
        method_axis(methods(config, taken), "attention in place of softmax"),
        repeat_axis("seed", Key{config, "seeds"}, "the teacher's, and that of mini-batches and features"),
        {},
        {},
        {static_cast<int>(config.at("warmup_steps").integer()), static_cast<int>(config.at("evaluations").integer()),
         config.at("max_gradient_norm").number(), whole(config, "judged"), whole(config, "compared"),
         whole(config, "pictured"), whole(config, "continuation"), whole(config, "fitted_on"), distilling(config)},
        stream,
        tasks.notes,
        0};
    require_held_out(config.at("judged"), all.tasks);
    for (const MethodChoice& choice : all.methods) require_layers_to_keep(choice.entry);
    add_teachers(config, all);
    require_alike(config, all);
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
                          const networks::TransformerShape& shape, Index pictured) {
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
         {"head", counted_from_one(shape.heads), "", "of a layer"},
         {"query", counted_from_one(pictured), "", "token, the class token first"},
         {"key", counted_from_one(pictured), "", "token, likewise"}},
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
         {"attention",
          {"stage", "query", "key"},
          collected([](Of s) { return s.picture; }),
          "",
          "weights in the network as it is, mean over all heads, of the first sequence held out, to a 1024th"},
         {"hidden_error",
          {"stage", "layer"},
          collected([](Of s) { return s.hidden_error; }),
          "",
          "|X^ - X| / |X| after a layer"},
         {"bits", {}, {task.bits}, "bit", "a character for each unit of the loss; NaN where there is no text"}},
        {}};
}

}  // namespace rfbench::experiments
