// Attention trained end to end in a classifier of one layer: learned features beside fixed ones (the comparison of
// Table 1, the sweeps of Table 4, the ablation of Table 5, the channels of Figure 3, in small).
#include <fmt/format.h>

#include <algorithm>

#include "learned/sequence_tasks.hpp"
#include "learned/trained_parts.hpp"

namespace rfbench::experiments {
namespace {

using training::Classifier;

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = method_keys();
    for (KeyRule& rule : sequence_task_keys()) all.push_back(std::move(rule));
    all.push_back(defaulted("embedding", integer(1, 4096), "16", "h"));
    all.push_back(defaulted("values", integer(1, 4096), "16", "e, columns of values"));
    all.push_back(defaulted(
        "equal", one_or_more(one_of({"features", "parameters"})), "features",
        "features: methods differ in their features alone; parameters: those with fewer trained parameters than "
        "the method with most get as many more columns of values as make up for it"));
    return all;
}

struct Setting {
    SequenceTasks tasks;
    std::vector<Method> methods;
    std::vector<std::string> equal;
    const sampling::Scheme* sampling;
    Index dimension, embedding, values;
    training::Descent descent;
    TrainedParts parts;
    Stream seed;

    Classifier classifier(const SequenceTask& task, const Method& method, Index value_columns,
                          const Stream& stream) const {
        return {{task.tokens, task.inputs, task.classes, embedding, dimension, value_columns, task.pooling},
                method.head(dimension, *sampling, stream)};
    }

    /// The value columns that give a method at least as many trained parameters as any has with `values` of them.
    Index equal_values(const SequenceTask& task, const Method& method) const {
        Index most = 0, columns = values;
        for (const Method& one : methods) most = std::max(most, classifier(task, one, values, seed).trained());
        while (classifier(task, method, columns, seed).trained() < most) ++columns;
        return columns;
    }
};

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const SequenceTask& task = setting.tasks.all[cell.coordinates[0]];
    const Method& method = setting.methods[cell.coordinates[2]];
    const bool by_features = setting.equal[cell.coordinates[1]] == "features";
    const Index value_columns = by_features ? setting.values : setting.equal_values(task, method);
    // Data and the layer's beginning are the same for all methods.
    const Stream seed = setting.seed.child(task.name).child(cell.coordinates[3]);
    const auto [training, test] = task.split(seed.child("data"));
    const Classifier classifier =
        setting.classifier(task, method, value_columns, seed.child("features").child(method.label));
    const auto trained = training::train(classifier, training, setting.descent, seed.child("training"));

    const auto on_training = accuracy(classifier, trained.parameters, training);
    const auto on_test = accuracy(classifier, trained.parameters, test);
    store::Dataset data{
        {},
        {{"accuracy", {}, {on_test.accuracy}, "", "share of examples held out that are classified rightly"},
         {"test_loss", {}, {on_test.loss}, "", "cross-entropy of examples held out"},
         {"training_accuracy", {}, {on_training.accuracy}, "", "share of the training examples"},
         {"nonpositive", {}, {on_test.nonpositive}, "", "share of tokens whose denominator is not positive"},
         {"columns", {}, {static_cast<double>(method.columns)}, "", "real feature columns"},
         {"value_columns", {}, {static_cast<double>(value_columns)}, "", "e"},
         {"trained", {}, {static_cast<double>(classifier.trained())}, "", "parameters that are trained, all in all"}},
        {}};
    std::vector<Points> inputs;
    for (std::size_t i = 0; method.trained() && i < std::min<std::size_t>(100, test.size()); ++i) {
        auto rows = classifier.head_rows(trained.parameters, test[i]);
        inputs.push_back(std::move(rows.queries));
        inputs.push_back(std::move(rows.keys));
    }
    setting.parts.add(data, method, trained.losses, classifier.head_parameters(trained.parameters), inputs);
    return data;
}

Sweep prepare(const config::Value& config) {
    const auto integer = [&](const char* key) { return static_cast<Index>(config.at(key).integer()); };
    const std::vector<Method> all = methods(config);
    const Setting setting{SequenceTasks(config),
                          all,
                          config.at("equal").texts(),
                          &sampling::find(config.at("sampling").text()),
                          integer("dimension"),
                          integer("embedding"),
                          integer("values"),
                          descent(config),
                          TrainedParts(all, integer("dimension"), static_cast<int>(integer("steps"))),
                          Stream(static_cast<std::uint64_t>(integer("seed"))).child("learned/classify")};
    std::vector<std::string> tasks;
    for (const SequenceTask& task : setting.tasks.all) tasks.push_back(task.name);
    std::vector<double> samples;
    for (Index i = 0; i < integer("samples"); ++i) samples.push_back(static_cast<double>(i));
    Sweep sweep;
    sweep.axes = {{"task", tasks, "", "sequences to classify"},
                  {"equal", setting.equal, "", "what methods are equal in"},
                  method_axis(setting.methods),
                  {"sample", samples, "", "data, features and beginnings"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.data_hash = setting.tasks.data_hash;
    sweep.notes = setting.tasks.notes;
    sweep.compute = [setting](const engine::Cell& cell) { return compute(setting, cell); };
    return sweep;
}

report::Table table(const store::Dataset& data) {
    using enum report::Format::Kind;
    report::Table result{.name = "classify",
                         .caption =
                             "Accuracy on examples held out and on those trained on, mean over samples ± half its 95 % "
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
            bool first = true;
            for (const std::string& method : report::words(data, "method")) {
                const report::Fixed fixed{{"task", task}, {"equal", equal}, {"method", method}};
                const auto whole = [&](const char* variable) { return report::slice(data, variable, fixed).values[0]; };
                result.rows.push_back(
                    {{task, equal, method, whole("columns"), whole("value_columns"), whole("trained"),
                      mean_over_samples(data, "accuracy", fixed), mean_over_samples(data, "training_accuracy", fixed),
                      mean_over_samples(data, "nonpositive", fixed)},
                     first});
                first = false;
            }
        }
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
            1,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
