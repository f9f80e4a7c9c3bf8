// Networks that classify long sequences, by each method: accuracy against steps (Table 1 of LUNA, in small).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sources/least_margins.hpp"
#include "sources/long_tasks.hpp"
#include "training/baselines.hpp"
#include "training/network_report.hpp"
#include "training/network_training.hpp"
#include "training/training_memory.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = network_keys();
    all.push_back(long_tasks_key());
    all.push_back(defaulted("validation", integer(1, 1'000'000), "256", "sequences to choose rates by"));
    all.push_back(defaulted("test", integer(1, 1'000'000), "256", "sequences held out"));
    return all;
}

struct Setting {
    NetworkSetting network;
    Axis<LongTask> tasks;
    Index validation, test;
    Stream stream;

    networks::TransformerShape shape(const LongTask& task) const {
        networks::TransformerShape own = network.sizes;
        own.vocabulary = task.vocabulary;
        own.inputs = task.inputs;
        own.positions = task.longest;
        own.visible = attention::Visible::all;
        own.read_out = networks::ReadOutOf::mean;
        own.outputs = task.classes;
        return own;
    }

    /// A training, and the sequences held out.
    double bytes(const LongTask& task) const {
        const Index held_out = (validation + test) * task.longest * std::max<Index>(1, task.inputs);
        return training_bytes(shape(task), network.methods, network.columns) +
               sizeof(float) * static_cast<double>(held_out);
    }
};

/// The share that the most frequent class has: what is reached without reading the sequence.
double chance(const LongTask& task, const LongTask::Sequences& test) {
    std::vector<int> counts(static_cast<std::size_t>(task.classes), 0);
    for (const auto& sequence : test) ++counts[static_cast<std::size_t>(sequence.targets[0].value)];
    return *std::max_element(counts.begin(), counts.end()) / static_cast<double>(test.size());
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const LongTask& task = at[setting.tasks];
    // The same beginning and the same mini-batches for all methods and rates.
    const Stream seed = setting.stream.child(task.name).child(at[setting.network.seeds]);
    const auto validation = task.validation(setting.validation), test = task.test(setting.test);
    const networks::TransformerShape shape = setting.shape(task);
    networks::BatchOutcome held_out;
    const TrainedNetwork trained = train_network(
        setting.network, shape, at[setting.network.methods], seed, at.checkpoint(),
        {.next = [&](const Stream& own) { return task.mini_batch(own); },
         .validation = [&](networks::Trainer<float>& trainer) { return trainer.evaluate(validation).loss; },
         .test = [&](networks::Trainer<float>& trainer) { return trainer.evaluate(test).loss; },
         .keep = [&](const networks::Transformer&,
                     networks::Trainer<float>& trainer) { held_out = trainer.evaluate(test); }});

    double rows = 0;
    // Sequences differ in length: denominators are one for each token, head and layer.
    for (const auto& sequence : test) rows += static_cast<double>(sequence.length() * shape.layers * shape.heads);
    store::Dataset data{
        {},
        {{"accuracy",
          {},
          {trained.judged(held_out.loss.accuracy())},
          "",
          "share of sequences held out whose class is right"},
         {"test_loss", {}, {trained.judged(held_out.loss.mean())}, "", "mean cross-entropy of sequences held out"},
         {"nonpositive",
          {},
          {trained.judged(static_cast<double>(held_out.rows.nonpositive) / rows)},
          "",
          "share of denominators that are not positive, on sequences held out"},
         {"chance", {}, {chance(task, test)}, "", "share of the most frequent class of sequences held out"},
         {"linear",
          {},
          {task.linear ? task.linear(setting.test) : std::nan("")},
          "",
          "share of what is held out that a linear classifier of whole sequences is right of"}},
        {}};
    trained.add(data, setting.network);
    return data;
}

Sweep prepare(const config::Value& config) {
    const Stream stream = study_stream(config, "training/long-range");
    NetworkSetting network(config, encoder_methods);
    const SourceList<LongTask> tasks = long_tasks(config, stream);
    const Setting setting{network, tasks.axis, whole(config, "validation"), whole(config, "test"), stream};
    Sweep sweep = Sweep::over(setting.tasks, setting.network.methods, setting.network.seeds);
    sweep.notes = tasks.notes;
    note_softmax(sweep, setting.network);
    for (const LongTask& task : setting.tasks) sweep.bytes = std::max(sweep.bytes, setting.bytes(task));
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

double chance_of(const store::Dataset& data, const std::string& task) {
    return report::slice(data, "chance", {{"task", task}}).values.front();
}

/// Results before there was one have none, nor have tasks whose sequences differ in length.
double linear(const store::Dataset& data, const std::string& task) {
    return data.has_variable("linear") ? shared_value(data, "linear", {{"task", task}}) : std::nan("");
}

/// Least margin, and the best that is reached without attention.
std::pair<double, Baseline> without_attention(const store::Dataset& data, const std::string& task) {
    if (const double right = linear(data, task); !std::isnan(right))
        return {least_margin::images, {"a linear classifier", right}};
    return {least_margin::lists, {"the most frequent class", chance_of(data, task)}};
}

/// Share of validation sequences from which on a task is solved.
double solved_from(const store::Dataset& data, const std::string& task) {
    const double right = linear(data, task);
    return std::isnan(right) ? solved_share : right + least_margin::images;
}

std::string task_of(const Shown& trained) { return std::get<std::string>(trained.where.front().second.value); }

/// For each task.
std::string margin(const store::Dataset& data) {
    std::string all;
    for (const std::string& task : report::words(data, "task")) {
        const auto [least, baseline] = without_attention(data, task);
        all += fmt::format(
            "{}{}: {}", all.empty() ? "" : " ", task,
            margin_words(data, {"accuracy", false, least, 100, "percentage points"}, baseline, {{"task", task}}));
    }
    return all;
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "long-range",
                          .title = "Classifying long sequences",
                          .caption =
                              "Share of validation sequences, and of those held out, that are classified "
                              "rightly, against steps; means over seeds. What diverged ends where it did. " +
                              margin(data),
                          .interval = "Bands: " + report::interval_words("seeds"),
                          .columns = 2};
    for (const std::string& task : report::words(data, "task"))
        for (const auto& [variable, words] :
             {std::pair("validation_accuracy", "validation"), {"test_accuracy", "held out"}}) {
            report::Panel panel = curves(data, variable, {{"task", task}});
            panel.title = fmt::format("{}, {}", task, words);
            panel.y = {.label = "accuracy"};
            panel.y.range = {{0, 1.05}};
            panel.horizontal = {{chance_of(data, task), "most frequent class"}};
            if (const double right = linear(data, task); !std::isnan(right))
                panel.horizontal.push_back({right, "linear classifier"});
            result.panels.push_back(std::move(panel));
        }
    return result;
}

std::vector<TrainedRow> rows(const store::Dataset& data) {
    std::vector<TrainedRow> all;
    for (const std::string& task : report::words(data, "task"))
        for (const std::string& method : report::words(data, "method"))
            all.push_back({{method, {{"task", task}}},
                           {task, method},
                           method == report::words(data, "method").front() && !all.empty()});
    return all;
}

const std::vector<report::Column> first_columns{report::word_column("task"), report::word_column("method")};

report::Table table(const store::Dataset& data) {
    const OutcomeColumn most_frequent{share_column("most frequent class"),
                                      [&data](const Shown& trained) -> report::Entry {
                                          return report::slice(data, "chance", trained.where).values.front();
                                      }};
    const OutcomeColumn linear_classifier{
        share_column("linear classifier"),
        [&data](const Shown& trained) -> report::Entry { return linear(data, task_of(trained)); }};
    std::vector<OutcomeColumn> shown{mean_of(data, "accuracy", share_column("held out"))};
    for (OutcomeColumn& one :
         solved_of(data, [&data](const Shown& trained) { return solved_from(data, task_of(trained)); }))
        shown.push_back(std::move(one));
    shown.insert(shown.end(), {most_frequent, linear_classifier, nonpositive_of(data)});
    report::Table result = outcome_table(
        data, "long-range",
        fmt::format(
            "Share of sequences held out that are classified rightly after the last step, mean over seeds ± half its "
            "95 % interval; share of seeds that solved the task, which is {:g} % of validation sequences right, or, "
            "where all sequences are of one length, {:g} percentage points more than a linear classifier of them, and "
            "the median of their steps to it; what is reached without attention: the share of the most frequent class, "
            "and what a linear classifier is right of (least squares of indicators); share of denominators that are "
            "not positive; and what diverged, then and while rates were on trial.",
            100 * solved_share, 100 * least_margin::images),
        first_columns, rows(data), shown);
    result.notes.push_back(margin(data));
    return result;
}

report::Table rates(const store::Dataset& data) {
    return rates_table(data, "long-range-rates", first_columns, rows(data));
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data), rates(data)}}; }

}  // namespace

Study long_range_study() {
    return {"training",
            "long-range",
            "Transformers trained to classify long sequences, by each method",
            "Shahbazi et al. 2025, Table 1",
            2,
            encoder_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
