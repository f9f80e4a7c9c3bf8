#include "training/low_memory_training_report.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "training/baselines.hpp"
#include "training/network_report.hpp"

namespace rfbench::experiments {
namespace {

/// Copying is judged by accuracy, a text by bits.
bool is_text(const store::Dataset& data, const std::string& task) {
    return !report::all_missing(report::slice(data, "second_half", {{"task", task}}).values);
}

/// Baselines without attention. Results of earlier versions have none.
std::vector<Baseline> without_attention(const store::Dataset& data, const std::string& task) {
    if (!data.has_variable("counts_bits")) return {};
    if (!is_text(data, task)) return {{"guessing", shared_value(data, "guess", {{"task", task}})}};
    std::vector<Baseline> all;
    for (const char* name : {"unigrams", "bigrams", "trigrams"})
        all.push_back(
            {name, shared_value(data, "counts_bits", {{"task", task}, {"order", static_cast<double>(all.size())}})});
    return all;
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "low-memory-training",
        .title = "Training slice by slice",
        .caption =
            "Validation sequences against steps, by gradients of whole sequences, slice by slice "
            "from the first step on, and slice by slice after half of the steps; at the rate that was "
            "best on trial; means over seeds. What diverged ends where it did. Dashed: counts of characters, guessing.",
        .interval = "Bands: " + report::interval_words("seeds"),
        .columns = 2};
    for (const std::string& task : report::words(data, "task"))
        for (const std::string& method : report::words(data, "method")) {
            const bool text = is_text(data, task);
            report::Panel panel{.title = task + ", " + method};
            panel.x = {.label = "steps"};
            panel.y = {.label = text ? "bits per character" : "accuracy"};
            if (!text) panel.y.range = {{0, 1.05}};
            panel.series = report::averaged_curves(data, text ? "validation_bits" : "validation_accuracy",
                                                   {"regime", "step", "seed"}, {{"method", method}, {"task", task}});
            add_lines(panel, without_attention(data, task));
            result.panels.push_back(std::move(panel));
        }
    return result;
}

/// A row each, a group the regimes of one method in one task.
std::vector<TrainedRow> rows(const store::Dataset& data) {
    std::vector<TrainedRow> all;
    const auto& regimes = report::words(data, "regime");
    for (const std::string& task : report::words(data, "task"))
        for (const std::string& method : report::words(data, "method"))
            for (const std::string& regime : regimes)
                all.push_back({{method, {{"task", task}, {"regime", regime}}},
                               {task, method, regime},
                               regime == regimes.front() && !all.empty()});
    return all;
}

const std::vector<report::Column> first_columns{report::word_column("task"), report::word_column("method"),
                                                report::word_column("gradients")};

report::Table outcomes(const store::Dataset& data) {
    report::Table result = outcome_table(
        data, "low-memory-training",
        "Bits per character and accuracy of sequences held out, mean over seeds ± half its 95 % interval; and what "
        "diverged, then and while rates were on trial.",
        first_columns, rows(data),
        {mean_of(data, "bits_per_character", {"bits per character"}),
         mean_of(data, "accuracy", share_column("right"))});
    bool rule = true;
    for (const std::string& task : report::words(data, "task"))
        for (const auto& [name, value, more] : without_attention(data, task)) {
            report::Row row{{task, "without attention: " + name, ""}, std::exchange(rule, false)};
            row.entries.resize(result.columns.size());
            row.entries[is_text(data, task) ? 4 : 5] = value;
            result.rows.push_back(std::move(row));
        }
    result.notes.push_back(margin_words(data, {}, {}));
    return result;
}

report::Table rates(const store::Dataset& data) {
    return rates_table(data, "low-memory-training-rates", first_columns, rows(data));
}

/// The rate of the one step whose mean on validation text is least, of those that are too long for the fewest seeds.
double tuning_rate(const store::Dataset& data, const Shown& trained, const std::string& step) {
    double best = std::nan(""), least = std::numeric_limits<double>::infinity();
    std::size_t most = 0;
    for (const double rate : report::numbers(data, "tuning_rate")) {
        const report::Averages all =
            over_seeds(data, "validation_second_half", trained, {{"tuning", step}, {"tuning_rate", rate}});
        const std::size_t count = all.count.front();
        if (count < most || (count == most && !(all.mean.front() < least))) continue;
        most = count;
        least = all.mean.front();
        best = rate;
    }
    return best;
}

report::Table tuning(const store::Dataset& data) {
    report::Table result{
        .name = "low-memory-tuning",
        .caption =
            "Bits per character of the second halves of texts held out: of the trained network, and after one "
            "step of gradient descent on the first half of each, whose gradient is that of the whole half or "
            "slice by slice (Table 5.3). At the rate of that step that is best on validation text; mean over "
            "seeds ± half its 95 % interval.",
        .columns = first_columns};
    result.columns.push_back(report::word_column("step"));
    result.columns.push_back({"rate of the step"});
    result.columns.push_back({"bits per character"});
    for (const auto& [trained, entries, group] : rows(data)) {
        bool first = true;
        for (const std::string& step : report::words(data, "tuning")) {
            const double rate = tuning_rate(data, trained, step);
            // Copying has no such step.
            if (std::isnan(rate)) continue;
            report::Row row{entries, first && !result.rows.empty()};
            row.entries.emplace_back(step);
            // Without a step all rates have the same number, and none is shown.
            row.entries.push_back(step == "none" ? report::Entry() : report::Entry(rate));
            row.entries.push_back(report::averaged_entry(
                over_seeds(data, "second_half", trained, {{"tuning", step}, {"tuning_rate", rate}})));
            result.rows.push_back(std::move(row));
            first = false;
        }
    }
    return result;
}

}  // namespace

Report low_memory_training_report(const store::Dataset& data) {
    return {{figure(data)}, {outcomes(data), rates(data), tuning(data)}};
}

}  // namespace rfbench::experiments
