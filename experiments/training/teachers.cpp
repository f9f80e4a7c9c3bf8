// Softmax networks that are trained once for all studies of trained networks: their weights are kept in the
// result file, by the names of the layout, with sequences held out of training.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rfbench/networks/trainer.hpp"
#include "sources/network_tasks.hpp"
#include "sources/stored_network.hpp"
#include "sources/stored_state.hpp"
#include "training/teachers_report.hpp"
#include "training/training_memory.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey none{};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        network_tasks_key(),
        defaulted("layers", integer(1, 100), "4", "of the Transformer"),
        defaulted("heads", integer(1, 256), "4", "of each layer"),
        defaulted("width", integer(1, 16384), "128", "of a token, a multiple of heads"),
        defaulted("inner", integer(1, 65536), "512", "width within the feed-forward part"),
        defaulted("warmup_steps", integer(0, 1'000'000), "20", "steps over which the rate rises"),
        defaulted("max_gradient_norm", real(above(0)), "1", "longer gradients are shortened to this"),
        defaulted("evaluations", integer(1, 1000), "10", "how often validation data are evaluated"),
        defaulted("judged", integer(1, 1'000'000), "64", "sequences of validation data, and of those held out"),
        defaulted("kept", integer(1, 100'000), "64", "sequences held out that stay in the result file"),
        defaulted("room",
                  object({defaulted("vocabulary", integer(1, 1'000'000), "257", "tokens, and outputs"),
                          defaulted("positions", integer(1, 100'000), "128", "tokens of a sequence"),
                          defaulted("inputs", integer(1, 65536), "16", "numbers of a patch"),
                          defaulted("convolution", integer(1, 64), "3", "tokens that a convolution sees")}),
                  "{}", "that the arrays of the result file have for each network, so that sources can be added"),
        defaulted("seeds", integer(1, 1000), "3", "initial weights and orders of mini-batches"),
    };
}

struct Setting {
    Axis<NetworkTask> tasks;
    Axis<std::uint64_t> seeds;
    networks::TransformerShape sizes;  ///< layers, heads, width, inner
    int warmup_steps, evaluations;
    double max_gradient_norm;
    Index judged, kept;
    NetworkFrame frame;
    Stream stream;

    networks::TransformerShape shape(const NetworkTask& task) const {
        networks::TransformerShape own = task.shape;
        own.layers = sizes.layers;
        own.heads = sizes.heads;
        own.width = sizes.width;
        own.inner = sizes.inner;
        return own;
    }
};

using Trainer = networks::Trainer<float>;

/// On validation data, after each of equal parts of a training.
struct Evaluations {
    std::vector<double> loss, accuracy;
};

/// Trains to the last step. Throws std::domain_error where it diverges: there is no network then.
Evaluations train(const Setting& setting, const NetworkTask& task, const Stream& seed, Trainer& trainer,
                  engine::Checkpoint& checkpoint) {
    Evaluations found;
    if (const auto last = checkpoint.last()) {
        trainer.resume(stored_state(*last));
        found = {last->variable("loss").values, last->variable("accuracy").values};
    }
    const auto validation_data = task.validation(setting.judged);
    const auto evaluate = [&](int step) {
        // As many as parts of the training have ended: several at once, where parts are shorter than a step.
        while (static_cast<int>(found.loss.size()) < setting.evaluations &&
               static_cast<std::int64_t>(found.loss.size() + 1) * task.steps <=
                   static_cast<std::int64_t>(step) * setting.evaluations) {
            const networks::Loss loss = trainer.evaluate(validation_data).loss;
            found.loss.push_back(loss.mean());
            found.accuracy.push_back(loss.accuracy());
        }
    };
    for (int step = trainer.steps(); step < task.steps; ++step) {
        // Before anything of the step is done: whoever goes on from here begins with this step.
        checkpoint.save_if_due([&] {
            store::Dataset now{{}, {{"loss", {}, found.loss, "", ""}, {"accuracy", {}, found.accuracy, "", ""}}, {}};
            add_state(now, trainer.state());
            return now;
        });
        const double loss =
            trainer.step(task.mini_batch(seed.child("batches").child(static_cast<std::uint64_t>(step)))).loss.mean();
        checkpoint.tell(static_cast<double>(step + 1) / task.steps,
                        fmt::format("step {} of {}, loss {:.3f}", step + 1, task.steps, loss));
        evaluate(step + 1);
    }
    evaluate(task.steps);
    return found;
}

/// Share of the target that is most frequent: what is reached without reading the sequence.
double guess(const NetworkTask::Sequences& sequences) {
    std::map<int, double> counts;
    double all = 0, most = 0;
    for (const auto& sequence : sequences)
        for (const networks::Target& target : sequence.targets) {
            most = std::max(most, ++counts[target.value]);
            ++all;
        }
    return most / all;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const NetworkTask& task = at[setting.tasks];
    // Keyed by the kind: of two sources of one kind the longer training begins as the shorter one does.
    const Stream seed = setting.stream.child(task.kind).child(at[setting.seeds]);
    const networks::Transformer network(setting.shape(task));
    const training::Descent descent{std::max(1, task.steps), 1, task.rate, setting.max_gradient_norm};
    Trainer trainer(network, network.start(task.initialization, seed.child("start")), descent, setting.warmup_steps);
    const Evaluations validation = train(setting, task, seed, trainer, at.checkpoint());
    const auto held_out = task.held_out(setting.judged);
    const networks::Loss loss = trainer.evaluate(held_out).loss;

    const double nan = std::nan("");
    const double without = task.without_attention ? task.without_attention(setting.judged) : nan;
    const bool text = !std::isnan(task.bits);
    std::vector<double> shares;
    for (int i = 1; i <= setting.evaluations; ++i) shares.push_back(static_cast<double>(i) / setting.evaluations);
    store::Dataset data{
        {{"share", shares, "", "of the training"}},
        {{"validation_loss", {"share"}, validation.loss, "", "mean over targets of validation data"},
         {"validation_accuracy", {"share"}, validation.accuracy, "", "share of them that have the largest output"},
         {"held_out_loss", {}, {loss.mean()}, "", "mean over targets of sequences held out"},
         {"bits_per_character", {}, {loss.mean() * task.bits}, "bit", "the same of a text, a character"},
         {"accuracy", {}, {loss.accuracy()}, "", "share of targets held out that have the largest output"},
         {"guess", {}, {guess(held_out)}, "", "share of the most frequent target of sequences held out"},
         {"counts_bits",
          {},
          {text ? without : nan},
          "bit",
          "per character of the same by counts: trigrams, or two neighbours"},
         {"linear", {}, {text ? nan : without}, "", "share of images held out that a linear classifier is right of"},
         {"margin",
          {},
          {task.margin},
          "",
          "by which attention must be better than these: bits of a text, shares of other sources"}},
        {}};
    setting.frame.add(data, network, trainer.weights().values(), task.held_out(setting.kept), setting.kept);
    return data;
}

/// Room for networks over tokens and over rows of numbers. It follows from keys of the study alone, and not from the
/// sources that there are: another source changes nothing for those before it.
NetworkFrame frame(const config::Value& room, networks::TransformerShape sizes) {
    sizes.positions = whole(room, "positions");
    sizes.outputs = whole(room, "vocabulary");
    networks::TransformerShape tokens = sizes, rows = sizes;
    tokens.vocabulary = whole(room, "vocabulary");
    tokens.convolution = whole(room, "convolution");
    tokens.read_out = networks::ReadOutOf::own;
    rows.inputs = whole(room, "inputs");
    rows.class_token = true;
    rows.read_out = networks::ReadOutOf::class_token;
    return NetworkFrame({tokens, rows});
}

networks::TransformerShape sizes_of(const config::Value& config) {
    networks::TransformerShape sizes;
    sizes.layers = whole(config, "layers");
    sizes.heads = whole(config, "heads");
    sizes.width = whole(config, "width");
    sizes.inner = whole(config, "inner");
    if (sizes.width % sizes.heads != 0)
        config.at("width").refuse(fmt::format("{} is not a multiple of heads, {}", sizes.width, sizes.heads));
    return sizes;
}

Sweep prepare(const config::Value& config) {
    const networks::TransformerShape sizes = sizes_of(config);
    const Stream stream = study_stream(config, "training/teachers");
    SourceList<NetworkTask> tasks = network_tasks(config, stream);
    const Setting setting{tasks.axis,
                          repeat_axis("seed", Key{config, "seeds"}, "beginning and mini-batches"),
                          sizes,
                          static_cast<int>(config.at("warmup_steps").integer()),
                          static_cast<int>(config.at("evaluations").integer()),
                          config.at("max_gradient_norm").number(),
                          whole(config, "judged"),
                          whole(config, "kept"),
                          frame(config.at("room"), sizes),
                          stream};
    Sweep sweep = Sweep::over(setting.tasks, setting.seeds);
    sweep.notes = tasks.notes;
    std::map<std::string, networks::TransformerShape> shapes;
    const auto& labels = std::get<std::vector<std::string>>(setting.tasks.labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (setting.tasks.values[i].network)
            config.at("sources").refuse("'" + labels[i] + "' is trained already; conversions take it as it is");
        shapes[labels[i]] = setting.shape(setting.tasks.values[i]);
        if (const std::string lack = setting.frame.lack(shapes[labels[i]]); !lack.empty())
            config.at("room").refuse("there is no room for '" + labels[i] + "': " + lack);
        // The weights are kept as doubles, too.
        const auto parameters = static_cast<double>(networks::Transformer(shapes[labels[i]]).layout().size());
        sweep.bytes = std::max(sweep.bytes, training_bytes(shapes[labels[i]]) + 2 * sizeof(double) * parameters);
    }
    for (const char* key : {"judged", "kept"}) require_held_out(config.at(key), setting.tasks);
    sweep.attributes["networks"] = network_shapes_text(shapes);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

}  // namespace

Study teachers_study() {
    return {
        "training",
        "teachers",
        "softmax networks whose weights stay in the result file, for studies of trained networks",
        "none; what Nishikawa, Higuchi and Suzuki 2025, Tables 1 and 2, and Likhosherstov 2022, Figure 3.7, ask for",
        1,
        none,
        keys,
        prepare,
        teachers_report};
}

}  // namespace rfbench::experiments
