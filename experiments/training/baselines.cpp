#include "training/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rfbench::experiments {

namespace {

/// Whether any seed was trained, to its end or not.
bool is_trained(const store::Dataset& data, const Shown& trained) {
    // Trainings by a budget of time choose no rate.
    const store::Variable& told = data.variable(data.has_variable("chosen_rate") ? "chosen_rate" : "trained_seconds");
    report::Fixed fixed;
    // An outcome may have an axis that the training has not, as pairs of a sequence.
    for (const auto& one : trained.fixed())
        if (std::find(told.axes.begin(), told.axes.end(), one.first) != told.axes.end()) fixed.push_back(one);
    return !report::all_missing(report::slice(data, told.name, fixed).values);
}

/// The sentence of margin_words() where softmax attention is trained.
std::string compared(const report::Averages& softmax, const Margin& margin, const Baseline& baseline) {
    const double better = (margin.smaller ? baseline.value - softmax.mean[0] : softmax.mean[0] - baseline.value);
    const double half = report::half_width(softmax);
    // A single seed has no interval, and its value stands alone.
    const double sure = better - (std::isnan(half) ? 0 : half);
    const std::string by = std::isnan(half)
                               ? fmt::format("{:.3g}", std::abs(better) * margin.scale)
                               : fmt::format("{:.2f} ± {:.2f}", std::abs(better) * margin.scale, half * margin.scale);
    const std::string found =
        fmt::format("Softmax attention is {} {} {} than {} ({:.3g})", by, margin.unit, better < 0 ? "worse" : "better",
                    baseline.name, baseline.value * margin.scale);
    const double least = margin.least * margin.scale;
    if (sure >= margin.least) return fmt::format("{}; {:g} are asked for.", found, least);
    const std::string lacking =
        better < margin.least
            ? fmt::format("{:g} are asked for", least)
            : fmt::format("the interval begins at {:.3g}, below the {:g} asked for", sure * margin.scale, least);
    return found + "; " + lacking + ": this run cannot judge attention.";
}

}  // namespace

double shared_value(const store::Dataset& data, const std::string& variable, const report::Fixed& where) {
    for (const double value : report::slice(data, variable, where).values)
        if (!std::isnan(value)) return value;
    return std::nan("");
}

void note_softmax(Sweep& sweep, const NetworkSetting& setting) {
    for (const MethodChoice& method : setting.methods)
        if (method->exact() && !setting.masked(method)) {
            sweep.attributes["softmax"] = method.label;
            return;
        }
}

std::string margin_words(const store::Dataset& data, const Margin& margin, const Baseline& baseline,
                         const report::Fixed& where) {
    const auto softmax = data.attributes.find("softmax");
    if (softmax == data.attributes.end())
        return "Softmax attention is not among the methods, so that nothing says whether attention matters here.";
    const report::Averages mean = over_seeds(data, margin.variable, {softmax->second, where});
    if (mean.empty())
        return is_trained(data, {softmax->second, where})
                   ? "Softmax attention diverged: this run cannot judge attention."
                   : "Softmax attention is not trained yet.";
    return compared(mean, margin, baseline);
}

void add_lines(report::Panel& panel, const std::vector<Baseline>& baselines) {
    for (const auto& [name, value, more] : baselines) panel.horizontal.push_back({value, name});
}

void add_rows(report::Table& table, const std::vector<Baseline>& baselines, const std::vector<report::Entry>& first) {
    bool rule = !table.rows.empty();
    for (const auto& [name, value, more] : baselines) {
        report::Row row{first, rule};
        row.entries.emplace_back("without attention: " + name);
        row.entries.emplace_back(report::Missing{});
        row.entries.emplace_back(value);
        row.entries.insert(row.entries.end(), more.begin(), more.end());
        row.entries.resize(table.columns.size());
        table.rows.push_back(std::move(row));
        rule = false;
    }
}

}  // namespace rfbench::experiments
