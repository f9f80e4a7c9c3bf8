#include "training/network_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "training/network_training.hpp"

namespace rfbench::experiments {
namespace {

/// "2 of 3 seeds: the loss is not finite, first at step 17", of steps at which they ended early, NaN where they did
/// not.
std::string words_about(const std::vector<double>& steps, const std::vector<double>& reasons) {
    std::size_t count = 0, first = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (std::isnan(steps[i])) continue;
        // The reason is that of the seed that diverged first.
        if (count++ == 0 || steps[i] < steps[first]) first = i;
    }
    if (count == 0) return "";
    return fmt::format("{} of {} seeds: {}, first at step {}", count, steps.size(),
                       words_of(static_cast<Divergence>(static_cast<int>(reasons[first]))), steps[first]);
}

/// Words about the trials at all rates.
std::string trial_divergences(const store::Dataset& data, const Shown& trained) {
    std::string all;
    for (const double rate : report::numbers(data, "rate")) {
        const report::Fixed at = trained.fixed({{"rate", rate}});
        const std::string words = words_about(report::slice(data, "trial_diverged_at", at).values,
                                              report::slice(data, "trial_divergence", at).values);
        // Only rates at which something diverged are named.
        if (!words.empty()) all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", rate, words);
    }
    return all;
}

constexpr std::size_t max_named_rows = 6;  ///< of more their number is told

/// Names the rows of which most seeds chose this rate.
std::string rows_that_chose(const store::Dataset& data, const std::vector<TrainedRow>& rows, double rate) {
    std::string all;
    std::size_t num_chose = 0;
    for (const auto& [trained, entries, group] : rows) {
        const auto chosen = report::slice(data, "chosen_rate", trained.fixed()).values;
        const auto count = std::count(chosen.begin(), chosen.end(), rate);
        if (2 * count <= static_cast<std::ptrdiff_t>(chosen.size())) continue;
        std::string label = trained.method;
        for (const auto& [axis, where] : trained.where)
            label += std::visit([](const auto& value) { return fmt::format(", {}", value); }, where.value);
        all += (all.empty() ? "" : "; ") + label;
        ++num_chose;
    }
    return num_chose <= max_named_rows ? all : fmt::format("{} of {} rows", num_chose, rows.size());
}

/// Says which rows chose a rate at an end of those tried: beyond it may be a better one.
void note_ends(report::Table& table, const store::Dataset& data, const std::vector<TrainedRow>& rows) {
    const auto& rates = report::numbers(data, "rate");
    if (rates.size() < 2) return;
    const auto [least, largest] = std::minmax_element(rates.begin(), rates.end());
    for (const auto& [rate, words] : {std::pair(*least, "smallest"), {*largest, "largest"}})
        if (const std::string chose = rows_that_chose(data, rows, rate); !chose.empty())
            table.notes.push_back(
                fmt::format("The {} rate that was tried is best for {}: one beyond it may be better.", words, chose));
}

}  // namespace

report::Averages over_seeds(const store::Dataset& data, const std::string& variable, const Shown& trained,
                            const report::Fixed& more) {
    return report::average(data, variable, trained.fixed(more), "seed");
}

report::Entry chosen_rates(const store::Dataset& data, const Shown& trained) {
    std::map<double, int> counts;
    for (const double rate : report::slice(data, "chosen_rate", trained.fixed()).values)
        if (!std::isnan(rate)) ++counts[rate];
    if (counts.empty()) return report::Missing{};
    if (counts.size() == 1) return counts.begin()->first;
    std::string all;
    for (const auto& [rate, count] : counts) all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", rate, count);
    return all;
}

std::string divergence_words(const store::Dataset& data, const Shown& trained) {
    return words_about(report::slice(data, "diverged_at", trained.fixed()).values,
                       report::slice(data, "divergence", trained.fixed()).values);
}

report::Panel curves(const store::Dataset& data, const std::string& variable, const report::Fixed& where) {
    report::Panel panel;
    panel.x = {.label = "steps"};
    panel.series = report::averaged_curves(data, variable, {"method", "step", "seed"}, where);
    return panel;
}

void show_means(report::Panel& panel) {
    // fmin and fmax pass over NaN, which stands after the evaluation at which a training diverged.
    double least = std::numeric_limits<double>::infinity(), most = -least;
    const auto take = [&](double value) {
        least = std::fmin(least, value);
        most = std::fmax(most, value);
    };
    for (const report::Series& series : panel.series) std::for_each(series.y.begin(), series.y.end(), take);
    for (const report::ReferenceLine& line : panel.horizontal) take(line.at);
    const double margin = 0.05 * (most - least);
    if (least < most) panel.y.range = std::pair(least - margin, most + margin);
}

std::vector<TrainedRow> methods_by_name(const store::Dataset& data) {
    std::vector<TrainedRow> rows;
    for (const std::string& method : report::words(data, "method")) rows.push_back({{method}, {method}});
    return rows;
}

report::Column share_column(const std::string& title) {
    return {title, "", report::Alignment::right, {report::Format::Kind::percent, 2}};
}

OutcomeColumn mean_of(const store::Dataset& data, const std::string& variable, report::Column column,
                      report::Fixed more) {
    return {std::move(column), [&data, variable, more = std::move(more)](const Shown& trained) {
                return report::averaged_entry(over_seeds(data, variable, trained, more));
            }};
}

OutcomeColumn median_of(const store::Dataset& data, const std::string& variable, report::Column column,
                        report::Fixed more) {
    return {std::move(column), [&data, variable, more = std::move(more)](const Shown& trained) -> report::Entry {
                return report::quartiles(report::slice(data, variable, trained.fixed(more)), "seed").median.front();
            }};
}

namespace {

/// The step of the first evaluation at which each seed that was trained had solved its task, infinite where none was.
std::vector<double> steps_to_solve(const store::Dataset& data, const Shown& trained, double share) {
    const auto shares = report::slice(data, "validation_accuracy", trained.fixed(), {"seed", "step"});
    const auto rates = report::slice(data, "chosen_rate", trained.fixed(), {"seed"});
    const auto& steps = report::numbers(data, "step");
    std::vector<double> all;
    for (std::size_t seed = 0; seed < rates.values.size(); ++seed) {
        if (std::isnan(rates.values[seed])) continue;
        const std::size_t first = seed * steps.size();
        std::size_t at = 0;
        while (at < steps.size() && !(shares.values[first + at] >= share)) ++at;
        all.push_back(at < steps.size() ? steps[at] : std::numeric_limits<double>::infinity());
    }
    return all;
}

}  // namespace

std::vector<OutcomeColumn> solved_of(const store::Dataset& data, std::function<double(const Shown&)> share) {
    const OutcomeColumn solved{share_column("solved"), [&data, share](const Shown& trained) -> report::Entry {
                                   const auto steps = steps_to_solve(data, trained, share(trained));
                                   if (steps.empty()) return report::Missing{};
                                   const auto count = std::count_if(steps.begin(), steps.end(),
                                                                    [](double step) { return std::isfinite(step); });
                                   return static_cast<double>(count) / static_cast<double>(steps.size());
                               }};
    const OutcomeColumn median{
        {"steps to solve"}, [&data, share](const Shown& trained) -> report::Entry {
            std::vector<double> steps;
            for (const double step : steps_to_solve(data, trained, share(trained)))
                if (std::isfinite(step)) steps.push_back(step);
            if (steps.empty()) return report::Missing{};
            const report::Slice slice{{{"seed", std::vector<double>(steps.size()), "", ""}}, steps, ""};
            return report::quartiles(slice, "seed").median.front();
        }};
    return {solved, median};
}

OutcomeColumn nonpositive_of(const store::Dataset& data) {
    return mean_of(data, "nonpositive", share_column("not positive"));
}

report::Table outcome_table(const store::Dataset& data, std::string name, std::string caption,
                            std::vector<report::Column> first, const std::vector<TrainedRow>& rows,
                            const std::vector<OutcomeColumn>& shown) {
    report::Table result{.name = std::move(name), .caption = std::move(caption), .columns = std::move(first)};
    result.columns.push_back({"rate"});
    for (const OutcomeColumn& one : shown) result.columns.push_back(one.column);
    result.columns.push_back(report::word_column("diverged"));
    result.columns.push_back(report::word_column("diverged on trial"));
    for (const auto& [trained, entries, group] : rows) {
        report::Row row{entries, group};
        row.entries.push_back(chosen_rates(data, trained));
        for (const OutcomeColumn& one : shown) row.entries.push_back(one.entry(trained));
        row.entries.push_back(divergence_words(data, trained));
        row.entries.push_back(trial_divergences(data, trained));
        result.rows.push_back(std::move(row));
    }
    return result;
}

report::Table rates_table(const store::Dataset& data, std::string name, std::vector<report::Column> first,
                          const std::vector<TrainedRow>& rows) {
    report::Table result{.name = std::move(name),
                         .caption =
                             "Rates on trial: mean cross-entropy of validation data, in nats a target, after the short "
                             "trainings by which the rate is chosen, mean over the seeds that did not diverge ± half "
                             "its 95 % interval; the rate that was chosen, or by how many seeds which; and what "
                             "diverged.",
                         .columns = std::move(first)};
    for (const double rate : report::numbers(data, "rate")) result.columns.push_back({fmt::format("rate {}", rate)});
    result.columns.push_back({"chosen"});
    result.columns.push_back(report::word_column("diverged"));
    for (const auto& [trained, entries, group] : rows) {
        report::Row row{entries, group};
        for (const double rate : report::numbers(data, "rate"))
            row.entries.push_back(report::averaged_entry(over_seeds(data, "trial_loss", trained, {{"rate", rate}})));
        row.entries.push_back(chosen_rates(data, trained));
        row.entries.push_back(trial_divergences(data, trained));
        result.rows.push_back(std::move(row));
    }
    note_ends(result, data, rows);
    return result;
}

}  // namespace rfbench::experiments
