#include "training/network_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "training/network_training.hpp"

namespace rfbench::experiments {
namespace {

double last_look(const store::Dataset& data) { return report::numbers(data, "look").back(); }

/// Of all rates but one.
std::string divergences(const store::Dataset& data, const Trained& trained, std::optional<double> but = {}) {
    std::string all;
    for (const double rate : report::numbers(data, "rate")) {
        const std::string words = divergence_words(data, trained, rate);
        // Only rates at which something diverged are named.
        if (rate != but && !words.empty()) all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", rate, words);
    }
    return all;
}

}  // namespace

double best_rate(const store::Dataset& data, const Trained& trained) {
    const auto& rates = report::numbers(data, "rate");
    const report::Fixed last{{"look", last_look(data)}};
    double best = rates.front(), least = std::numeric_limits<double>::infinity();
    for (const double rate : rates) {
        double sum = 0;
        for (const double loss : report::slice(data, "validation_loss", report::joined(trained.at(rate), last)).values)
            // One seed that diverged rules a rate out, unless some diverged at all of them: then the first stands.
            sum += std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss;
        if (sum < least) {
            least = sum;
            best = rate;
        }
    }
    return best;
}

report::Averages at_best_rate(const store::Dataset& data, const std::string& variable, const Trained& trained,
                              const report::Fixed& more) {
    return report::average(data, variable, report::joined(trained.at(best_rate(data, trained)), more), "seed");
}

std::string divergence_words(const store::Dataset& data, const Trained& trained, double rate) {
    const auto steps = report::slice(data, "diverged_at", trained.at(rate)).values;
    const auto reasons = report::slice(data, "divergence", trained.at(rate)).values;
    std::size_t count = 0, first = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (std::isnan(steps[i])) continue;
        // Of several seeds that diverged the reason is that of the earliest.
        if (count++ == 0 || steps[i] < steps[first]) first = i;
    }
    if (count == 0) return "";
    return fmt::format("{} of {} seeds: {}, first at step {}", count, steps.size(),
                       words_of(static_cast<Divergence>(static_cast<int>(reasons[first]))), steps[first]);
}

report::Panel curves(const store::Dataset& data, const std::string& variable, const report::Fixed& where) {
    report::Panel panel;
    panel.x = {.label = "steps"};
    for (const std::string& method : report::words(data, "method"))
        panel.series.push_back(report::averaged_series(method, report::numbers(data, "look"),
                                                       at_best_rate(data, variable, {method, where}),
                                                       report::Style::line_points));
    return panel;
}

std::vector<TrainedRow> methods_by_name(const store::Dataset& data) {
    std::vector<TrainedRow> rows;
    for (const std::string& method : report::words(data, "method")) rows.push_back({{method}, {method}});
    return rows;
}

report::Column share_column(const std::string& title) {
    return {title, "", report::Alignment::right, {report::Format::Kind::percent, 2}};
}

Shown mean_of(const store::Dataset& data, const std::string& variable, report::Column column, report::Fixed more) {
    return {std::move(column), [&data, variable, more = std::move(more)](const Trained& trained) {
                return report::averaged_entry(at_best_rate(data, variable, trained, more));
            }};
}

Shown nonpositive_of(const store::Dataset& data) { return mean_of(data, "nonpositive", share_column("not positive")); }

report::Table outcome_table(const store::Dataset& data, std::string name, std::string caption,
                            std::vector<report::Column> first, const std::vector<TrainedRow>& rows,
                            const std::vector<Shown>& shown) {
    report::Table result{.name = std::move(name), .caption = std::move(caption), .columns = std::move(first)};
    result.columns.push_back({"rate"});
    for (const Shown& one : shown) result.columns.push_back(one.column);
    result.columns.push_back(report::word_column("diverged"));
    result.columns.push_back(report::word_column("diverged at other rates"));
    for (const auto& [trained, entries, group] : rows) {
        // All of a row is shown at one rate, which validation data chose; what is held out has no say.
        const double rate = best_rate(data, trained);
        report::Row row{entries, group};
        row.entries.push_back(rate);
        for (const Shown& one : shown) row.entries.push_back(one.entry(trained));
        row.entries.push_back(divergence_words(data, trained, rate));
        row.entries.push_back(divergences(data, trained, rate));
        result.rows.push_back(std::move(row));
    }
    return result;
}

report::Table rates_table(const store::Dataset& data, std::string name, const std::string& what,
                          const std::string& variable, const report::Format& format, std::vector<report::Column> first,
                          const std::vector<TrainedRow>& rows) {
    report::Table result{.name = std::move(name),
                         .caption = what +
                                    " after the last step at every rate of the grid, mean over the seeds that did not "
                                    "diverge ± half its 95 % interval; the rate whose validation loss is least, which "
                                    "the other tables and the figures have; and what diverged.",
                         .columns = std::move(first)};
    for (const double rate : report::numbers(data, "rate"))
        result.columns.push_back(report::number_column(fmt::format("rate {}", rate), format));
    result.columns.push_back({"chosen"});
    result.columns.push_back(report::word_column("diverged"));
    for (const auto& [trained, entries, group] : rows) {
        report::Row row{entries, group};
        for (const double rate : report::numbers(data, "rate"))
            row.entries.push_back(report::averaged_entry(report::average(
                data, variable, report::joined(trained.at(rate), {{"look", last_look(data)}}), "seed")));
        row.entries.push_back(best_rate(data, trained));
        row.entries.push_back(divergences(data, trained));
        result.rows.push_back(std::move(row));
    }
    return result;
}

}  // namespace rfbench::experiments
