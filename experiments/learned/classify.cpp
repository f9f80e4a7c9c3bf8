// Attention trained end to end in a classifier of one layer: learned features beside fixed ones (the comparison of
// Table 1, the sweeps of Table 4, the ablation of Table 5, the channels of Figure 3, in small).
#include <fmt/format.h>

#include <algorithm>

#include "learned/trained_parts.hpp"
#include "report/best_report.hpp"
#include "rfbench/networks/classifier.hpp"
#include "sources/sequence_tasks.hpp"
#include "study/map_bytes.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = layer_keys();
    all.push_back(sequence_tasks_key());
    all.push_back(defaulted("embedding", integer(1, 4096), "16", "h"));
    all.push_back(defaulted("values", integer(1, 4096), "16", "e, columns of values"));
    all.push_back(defaulted(
        "equal", one_or_more(one_of({"features", "parameters"})), "features",
        "features: methods differ in their features alone; parameters: those with fewer trained parameters than "
        "the method with most get as many more columns of values as make up for it"));
    return all;
}

struct Setting {
    Layers layers;
    TrainedParts parts;
    training::Descent descent;
    Index embedding, values;

    networks::Transformer classifier(const SequenceTask& task, const MethodChoice& method, Index value_columns,
                                     const Stream& stream) const {
        return networks::classifier(
            {task.tokens, task.inputs, task.classes, embedding, layers.dimension(), value_columns, task.pooling},
            layers.layer(method, task.tokens, stream));
    }

    /// Trained parameters of the method that has most.
    Index max_trained(const SequenceTask& task, const Stream& stream) const {
        Index most = 0;
        for (const MethodChoice& one : layers.axis())
            most = std::max(most, trained(classifier(task, one, values, stream)));
        return most;
    }
    /// The same of all tasks, in words.
    std::string max_trained(const std::vector<SequenceTask>& tasks, const Stream& stream) const {
        std::string all;
        for (const SequenceTask& task : tasks) all += fmt::format("{}: {}, ", task.name, max_trained(task, stream));
        return all;
    }

    /// The value columns that give a method at least as many trained parameters as any has with `values` of them.
    Index equal_values(const SequenceTask& task, const MethodChoice& method, const Stream& stream) const {
        const Index most = max_trained(task, stream);
        // Parameters grow with the columns of values: the first number of these that reaches the most is the least.
        Index columns = values;
        while (trained(classifier(task, method, columns, stream)) < most) ++columns;
        return columns;
    }

    /// About what a cell holds: all examples, some 30 numbers a token and column of a part of a batch, some matrices of
    /// attention and, of the method that takes most, what the gradient of one sequence needs of the features of its
    /// queries and keys: a map, and some copies of features and of their gradients.
    double bytes(const SequenceTask& task) const {
        const auto size = [](Index n) { return static_cast<double>(n); };
        // A part of a batch has some 256 tokens, or one sequence that is longer, and never more than there are.
        const Index rows = std::min(std::max<Index>(256, task.tokens), task.examples * task.tokens);
        double features = 0;
        for (const MethodChoice& one : layers.axis()) {
            const Index columns = layers.columns(one);
            features = std::max(
                features, map_bytes(layers.dimension(), columns) + sizeof(double) * size(12 * task.tokens * columns));
        }
        return features + sizeof(double) * (size(task.examples) * size(task.tokens * task.inputs) +
                                            30 * size(rows * embedding) + 4 * size(task.tokens * task.tokens));
    }
};

/// `seed`: of the task and the repeat, the same for all methods, which begin alike on the same data.
store::Dataset compute(const Setting& setting, const SequenceTask& task, const MethodChoice& method,
                       Index value_columns, const Stream& seed) {
    const auto [training, test] = task.split(seed.child("data"));
    // Features are keyed by the method's label, data and training are not: methods differ in nothing else.
    const networks::Transformer classifier =
        setting.classifier(task, method, value_columns, seed.child("features").child(method.label));
    const auto trained = networks::train(classifier, training, setting.descent, seed.child("training"));

    const networks::Weights<double> weights(classifier.layout(), trained.parameters, networks::Passes::forward);
    networks::Workspace<double> work;
    const networks::Loss on_training = classifier.evaluate<double>(weights, training, work).loss;
    const networks::BatchOutcome on_test = classifier.evaluate<double>(weights, test, work);
    const auto examples = static_cast<double>(test.size());
    store::Dataset data{
        {},
        {{"accuracy", {}, {on_test.loss.accuracy()}, "", "share of examples held out that are classified rightly"},
         {"test_loss", {}, {on_test.loss.mean()}, "", "cross-entropy of examples held out"},
         {"training_accuracy", {}, {on_training.accuracy()}, "", "share of the training examples"},
         {"nonpositive",
          {},
          {static_cast<double>(on_test.rows.nonpositive) / (examples * static_cast<double>(task.tokens))},
          "",
          "share of tokens whose denominator is not positive"},
         {"columns", {}, {static_cast<double>(setting.layers.columns(method))}, "", "real feature columns"},
         {"value_columns", {}, {static_cast<double>(value_columns)}, "", "e"},
         {"trained",
          {},
          {static_cast<double>(networks::trained(classifier))},
          "",
          "parameters that are trained, all in all"}},
        {}};
    const auto map = setting.layers.trained(method);
    std::vector<Points> inputs;
    // Inputs of the channels from up to a hundred sequences: enough for a histogram. The classifier has one head.
    for (std::size_t i = 0; map && i < std::min<std::size_t>(100, test.size()); ++i) {
        auto rows = classifier.heads(weights, test[i])[0][0];
        inputs.push_back(std::move(rows.queries));
        inputs.push_back(std::move(rows.keys));
    }
    setting.parts.add(data, map, trained.losses, head_parameters(classifier, trained.parameters), inputs);
    return data;
}

Sweep prepare(const config::Value& config) {
    const Layers layers(config);
    const Setting setting{layers, TrainedParts(layers, static_cast<int>(config.at("steps").integer())), descent(config),
                          whole(config, "embedding"), whole(config, "values")};
    const auto sources = sequence_tasks(config);
    const Axis<SequenceTask> tasks = sources.axis;
    const Stream root = study_stream(config, "learned/classify");
    // With equal parameters, a method is measured with more value columns the more the largest of the others has.
    auto equal = word_axis("equal", Key{config, "equal"}, "what methods are equal in");
    for (const std::string& what : equal)
        equal.contents.push_back(what == "features" ? "" : setting.max_trained(tasks.values, root));
    auto compared = layers.axis();
    // Arrays are padded to those of the largest method: how large that is belongs to what a cell is.
    for (std::string& content : compared.contents) content += ", " + setting.parts.sizes();
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "data, features and beginnings");
    Sweep sweep = Sweep::over(tasks, equal, compared, repeats);
    sweep.notes = sources.notes;
    sweep.attributes = layers.attributes();
    for (const SequenceTask& task : tasks) sweep.bytes = std::max(sweep.bytes, setting.bytes(task));
    sweep.compute = [=](const Point& at) {
        const MethodChoice& method = at[setting.layers.axis()];
        const Index value_columns =
            at[equal] == "features" ? setting.values : setting.equal_values(at[tasks], method, root);
        return compute(setting, at[tasks], method, value_columns, root.child(at[tasks].name).child(at[repeats]));
    };
    return sweep;
}

report::Table table(const store::Dataset& data) {
    using enum report::Format::Kind;
    report::Table result{.name = "classify",
                         .caption =
                             "Accuracy on examples held out and on those trained on, mean over repeats ± half its 95 % "
                             "interval, and the "
                             "share of tokens whose denominator is not positive.",
                         .columns = {{"task", "", report::Alignment::left},
                                     {"equal", "", report::Alignment::left},
                                     {"method", "", report::Alignment::left},
                                     {"columns"},
                                     {"values"},
                                     {"trained parameters"},
                                     {"accuracy", "", report::Alignment::right, {percent, 2}},
                                     {"in training", "", report::Alignment::right, {percent, 2}},
                                     {"not positive", "", report::Alignment::right, {percent, 2}}}};
    for (const std::string& task : report::words(data, "task"))
        for (const std::string& equal : report::words(data, "equal")) {
            for (const std::string& method : report::words(data, "method")) {
                const report::Fixed fixed{{"task", task}, {"equal", equal}, {"method", method}};
                const auto whole = [&](const char* variable) { return report::slice(data, variable, fixed).values[0]; };
                result.rows.push_back(
                    {{task, equal, method, columns_entry(whole("columns")), whole("value_columns"), whole("trained"),
                      mean_over_repeats(data, "accuracy", fixed), mean_over_repeats(data, "training_accuracy", fixed),
                      mean_over_repeats(data, "nonpositive", fixed)}});
            }
        }
    report::group_by_first(result, 2);
    report::mark_best(result, report::Best::greatest, report::columns_called(result, {"accuracy"}), exact_labels(data));
    return result;
}

Report report_of(const store::Dataset& data) {
    const std::string equal = report::words(data, "equal").front();
    Report result{{loss_figure(data, "task", {{"equal", equal}})}, {table(data)}};
    result.figures[0].name = "classify-loss";
    for (const std::string& task : report::words(data, "task"))
        if (auto figure = channel_figure(data, "classify-channels-" + task, "Learned channels: " + task,
                                         {{"task", task}, {"equal", equal}}))
            result.figures.push_back(std::move(*figure));
    return result;
}

}  // namespace

Study classify_study() {
    return {"learned",
            "classify",
            "attention trained end to end in a classifier of one layer",
            "Shahbazi et al. 2025, Tables 1, 4 and 5, Figure 3",
            3,
            layer_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
