#include "conversion/converting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "conversion/kept_layers.hpp"
#include "methods/learned_points.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/store/sha256.hpp"
#include "study/foundation.hpp"
#include "study/map_bytes.hpp"

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

/// Refuses a source that holds out what its network has learned. A file of networks that does not say is in order.
void require_same_split(const store::Dataset& trained, const std::string& source, const config::Value& entry) {
    if (!trained.attributes.contains("config")) return;
    if (const std::string words = held_out_otherwise(trained, source, entry); !words.empty())
        entry.refuse(words + ": what is held out must not be what it has learned");
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
        const config::Value& entry = config.at("sources").items()[i];
        try {
            add_trained(*trained, i, all);
            require_same_split(*trained, std::get<std::vector<std::string>>(all.tasks.labels)[i], entry);
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
    const double longest = config.at("max_gradient_norm").number();
    return {{points.steps, points.batch, points.rate, longest},
            points,
            whole(config, "points"),
            config.at("lambda").number()};
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
        if (shape.positions <= all.how.continuation && all.tasks.values[key.first].continues())
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

/// Bytes that a cell holds of one network, about.
double bytes_of_network(const Converting& all, const StoredNetwork& teacher, Index columns) {
    const networks::TransformerShape& shape = teacher.network.shape();
    const auto real = [](Index count) { return static_cast<double>(count); };
    // Values, their gradients, moments and copies.
    const double parameters = 60 * real(teacher.network.layout().size());
    // Queries, keys and values of all heads on the sequences that these are fitted to.
    const double fitted = 3 * sizeof(double) * real(all.how.fitted_on * shape.positions * shape.layers * shape.width);
    // Networks are evaluated on some 512 tokens at a time, or on a sequence.
    const double passes = 30 * sizeof(float) * real(std::max<Index>(512, shape.positions) * shape.layers * shape.width);
    // Maps of all heads, and features of queries and keys of a sequence with their gradients.
    const double maps = real(shape.layers * shape.heads) * map_bytes(shape.width / shape.heads, columns) +
                        8 * sizeof(float) * real(shape.positions * columns);
    // Weights of all heads of a layer of both networks, the rows that they are made from, and kernels of points.
    const double weights = sizeof(double) * (2 * real(shape.heads) + 2) * std::pow(real(shape.positions), 2);
    const double kernels = 2 * sizeof(double) * std::pow(real(all.how.distilling.sampled), 2);
    return parameters + fitted + passes + maps + weights + kernels;
}

/// The same of the largest network with the largest method.
double bytes_of_cell(const Converting& all, Index columns) {
    double most = 0;
    for (const auto& [key, teacher] : all.teachers)
        for (const MethodChoice& method : all.methods)
            most = std::max(most, bytes_of_network(all, *teacher, method.columns_within(columns)));
    return most;
}

bool trains_together(const std::string& distilled_to) { return distilled_to == "direct" || distilled_to == "hidden"; }

/// Refuses keys of an entry that would change nothing whatever the networks are: before these are trained.
void require_effect(const MethodChoice& choice) {
    const config::Value &entry = choice.entry, &distil = entry.at("distil");
    require_layers_to_keep(entry);
    if (choice->exact() && whole(entry, "kept") > 0)
        entry.at("kept").refuse("'exact' is softmax attention in every layer");
    if (trains_together(distil.text())) return;
    if (holds_points(choice))
        entry.at("points_held")
            .refuse(
                "points are held while heads are trained with 'distil: direct' or 'hidden'; otherwise they are "
                "found from the teacher's heads");
    if (choice->finder() && distil.text() != "distributions")
        distil.refuse(
            fmt::format("features of '{}' are found from the teacher's heads, and trained if 'distil' is "
                        "'direct' or 'hidden'",
                        choice.info->name));
}

/// Refuses to distil heads that have no parameters.
void require_parameters(const MethodChoice& choice, const networks::TransformerShape& shape, Index columns) {
    const config::Value& distil = choice.entry.at("distil");
    if (distil.text() == "distributions" || distil.text() == "hidden") return;
    const auto heads = HeadRecipe(choice, shape, equal_columns(shape, columns), {}, Stream(0)).swapped();
    if (!heads || heads->front()->parameters() == 0)
        distil.refuse(fmt::format("heads of '{}' have no parameters that could be trained before the network is",
                                  choice.info->name));
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

/// Sources that come with a network, the same for every seed, a line each.
std::string with_one_network(const Axis<NetworkTask>& tasks) {
    std::string lines;
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (tasks.values[i].network) lines += std::get<std::vector<std::string>>(tasks.labels)[i] + "\n";
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
        optional("rate", real(above(0).at_most(10)), "of Adam while the network is tuned; the source's unless given")};
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
        defaulted("max_gradient_norm", real(above(0)), "1",
                  "longer gradients are shortened to this, but for those of points that are found head by head"),
        defaulted("evaluations", integer(1, 1000), "10", "how often sequences held out are evaluated while tuning"),
        defaulted("judged", integer(1, 1'000'000), "64", "sequences held out"),
        defaulted("compared", integer(1, 100'000), "4",
                  "sequences held out that are compared head by head and layer by layer"),
        defaulted("pictured", integer(1, 1024), "32", "first tokens whose weights of attention are kept"),
        defaulted("continuation", integer(1, 100'000), "16",
                  "tokens at the end of a text's sequence, which are to be told from another sequence's"),
        defaulted("fitted_on", integer(1, 100'000), "16", "sequences of training data that heads are fitted to"),
        defaulted("distil_steps", integer(1, 1'000'000), "100", "mini-batches that each head is distilled by"),
        defaulted("distil_batch", integer(1, 100'000), "4", "sequences of such a mini-batch"),
        defaulted("distil_rate", real(above(0).at_most(10)), "0.01", "of Adam while heads are distilled"),
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
                        {"continuation", fmt::format("{}", how.continuation)},
                        {"one_network", with_one_network(tasks)}};
    return sweep;
}

Converting converting(const config::Value& config, const MethodKey& taken, const std::string& study, Index columns) {
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
    for (const MethodChoice& choice : all.methods) require_effect(choice);
    add_teachers(config, all);
    require_alike(config, all);
    require_room(config, all);
    for (const MethodChoice& choice : all.methods)
        require_parameters(choice, all.teachers.begin()->second->network.shape(), columns);
    all.bytes = bytes_of_cell(all, columns);
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
