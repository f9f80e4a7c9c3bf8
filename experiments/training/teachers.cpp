// Softmax networks that are trained once for all studies that look at trained networks: their weights are kept in the
// result file, by the names of the layout, with sequences held out of training.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rfbench/networks/trainer.hpp"
#include "rfbench/report/averaged.hpp"
#include "sources/network_tasks.hpp"
#include "sources/stored_network.hpp"

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

store::Dataset checkpointed(const std::vector<double>& validation, const Trainer::State& state) {
    // Every float is a double, so that what goes on from a checkpoint comes to the same bits.
    const auto numbers = [](const auto& column) { return std::vector<double>(column.begin(), column.end()); };
    return {{},
            {{"validation", {}, validation, "", ""},
             {"weights", {}, numbers(state.weights), "", ""},
             {"mean", {}, numbers(state.adam.mean), "", ""},
             {"square", {}, numbers(state.adam.square), "", ""},
             {"scalars", {}, {static_cast<double>(state.steps), state.adam.power1, state.adam.power2}, "", ""}},
            {}};
}

/// Takes up what checkpointed() has kept.
void go_on(const store::Dataset& checkpoint, std::vector<double>& validation, Trainer& trainer) {
    const auto column = [&](const char* name) -> networks::Column<float> {
        const auto& values = checkpoint.variable(name).values;
        return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).cast<float>();
    };
    const auto& scalars = checkpoint.variable("scalars").values;
    trainer.resume(
        {static_cast<int>(scalars[0]), column("weights"), {column("mean"), column("square"), scalars[1], scalars[2]}});
    validation = checkpoint.variable("validation").values;
}

/// Trains to the last step and gives the loss on validation data after each of equal parts of the training. Throws
/// std::domain_error where it diverges: there is no network then.
std::vector<double> train(const Setting& setting, const NetworkTask& task, const Stream& seed, Trainer& trainer,
                          engine::Checkpoint& checkpoint) {
    std::vector<double> validation;
    if (const auto last = checkpoint.last()) go_on(*last, validation, trainer);
    const auto validation_data = task.validation(setting.judged);
    const auto evaluate = [&](int step) {
        // As many as parts of the training have ended: several at once, where parts are shorter than a step.
        while (static_cast<int>(validation.size()) < setting.evaluations &&
               static_cast<std::int64_t>(validation.size() + 1) * task.steps <=
                   static_cast<std::int64_t>(step) * setting.evaluations)
            validation.push_back(trainer.evaluate(validation_data).loss.mean());
    };
    for (int step = trainer.steps(); step < task.steps; ++step) {
        // Before anything of the step is done: whoever goes on from here begins with this step.
        checkpoint.save_if_due([&] { return checkpointed(validation, trainer.state()); });
        const double loss =
            trainer.step(task.mini_batch(seed.child("batches").child(static_cast<std::uint64_t>(step)))).loss.mean();
        checkpoint.tell(static_cast<double>(step + 1) / task.steps,
                        fmt::format("step {} of {}, loss {:.3f}", step + 1, task.steps, loss));
        evaluate(step + 1);
    }
    evaluate(task.steps);
    return validation;
}

/// Share of the target that is most frequent: what is reached without a look at the sequence.
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
    const std::vector<double> validation = train(setting, task, seed, trainer, at.checkpoint());
    const auto held_out = task.held_out(std::max(setting.judged, setting.kept));
    const networks::Loss loss = trainer.evaluate(held_out).loss;

    const double nan = std::nan("");
    const double without =
        task.without_attention ? task.without_attention(std::max(setting.judged, setting.kept)) : nan;
    const bool text = !std::isnan(task.bits);
    std::vector<double> shares;
    for (int i = 1; i <= setting.evaluations; ++i) shares.push_back(static_cast<double>(i) / setting.evaluations);
    store::Dataset data{
        {{"share", shares, "", "of the training"}},
        {{"validation_loss", {"share"}, validation, "", "mean over targets of validation data"},
         {"held_out_loss", {}, {loss.mean()}, "", "mean over targets of sequences held out"},
         {"bits_per_character", {}, {loss.mean() * task.bits}, "bit", "the same of a text, a character"},
         {"accuracy", {}, {loss.accuracy()}, "", "share of targets held out that have the largest output"},
         {"guess", {}, {guess(held_out)}, "", "share of the most frequent target of sequences held out"},
         {"counts_bits",
          {},
          {text ? without : nan},
          "bit",
          "per character of the same by counts: trigrams, or two neighbours"},
         {"linear", {}, {text ? nan : without}, "", "share of images held out that a linear classifier is right of"}},
        {}};
    setting.frame.add(data, network, trainer.weights().values(), held_out, setting.kept);
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
        // Parameters six times and as doubles, and some 30 numbers a token and column of the layers.
        const auto parameters = static_cast<double>(networks::Transformer(shapes[labels[i]]).layout().size());
        sweep.bytes = std::max(sweep.bytes,
                               40 * parameters + sizeof(float) * 30.0 * 512 *
                                                     static_cast<double>(setting.sizes.layers * setting.sizes.width));
    }
    sweep.attributes["networks"] = network_shapes_text(shapes);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "teachers",
        .title = "Softmax networks that others stand on",
        .caption = "Mean loss of validation targets against the share of the training; means over seeds.",
        .interval = "Bands: " + report::interval_words("seeds"),
        .columns = 2};
    for (const std::string& source : report::words(data, "source"))
        result.panels.push_back(
            {.title = source,
             .x = {.label = "share of the training"},
             .y = {.label = "validation loss"},
             .series = {report::averaged_series("softmax", report::numbers(data, "share"),
                                                report::average(data, "validation_loss", {{"source", source}}, "seed"),
                                                report::Style::line_points)}});
    return result;
}

report::Table table(const store::Dataset& data) {
    const auto percent = [](const char* title) {
        return report::number_column(title, {report::Format::Kind::percent, 2});
    };
    report::Table result{
        .name = "teachers",
        .caption =
            "Softmax networks on sequences held out of their training, mean over seeds ± half its 95 % "
            "interval: mean loss of a target, the same in bits per character where targets are of a text, share "
            "of targets that are right. Beside them what needs no attention: bits by counts (trigrams, "
            "or two neighbours of a hidden one on each side), what is right without a look at the sequence (the most "
            "frequent target), and by a linear classifier of images.",
        .columns = {report::word_column("source"),
                    {"loss"},
                    {"bits per character"},
                    {"counts", "bits per character"},
                    percent("right"),
                    percent("guess"),
                    percent("linear")}};
    for (const std::string& source : report::words(data, "source")) {
        report::Row row{{source}};
        for (const char* variable :
             {"held_out_loss", "bits_per_character", "counts_bits", "accuracy", "guess", "linear"})
            row.entries.push_back(
                report::averaged_entry(report::average(data, variable, {{"source", source}}, "seed")));
        result.rows.push_back(std::move(row));
    }
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

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
        report_of};
}

}  // namespace rfbench::experiments
