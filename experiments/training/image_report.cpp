#include "training/image_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "report/best_report.hpp"
#include "sources/least_margins.hpp"
#include "training/attention_picture.hpp"
#include "training/baselines.hpp"
#include "training/network_report.hpp"

namespace rfbench::experiments {
namespace {

const std::string with_mask = ", masked";

/// The method that this one is with a mask.
std::optional<std::string> without_mask(const store::Dataset& data, const std::string& method) {
    if (!method.ends_with(with_mask)) return {};
    const std::string plain = method.substr(0, method.size() - with_mask.size());
    return report::has_word(data, "method", plain) ? std::optional(plain) : std::nullopt;
}

/// Baselines: the most frequent class, and a linear classifier.
std::vector<Baseline> without_attention(const store::Dataset& data) {
    std::vector<Baseline> all;
    for (const auto& [variable, name] : {std::pair("majority", "most frequent class"), {"linear", "linear classifier"}})
        if (const double value = shared_value(data, variable); !std::isnan(value)) all.push_back({name, value});
    return all;
}

/// The most frequent class lies far below the axes of a figure.
std::string majority_words(const store::Dataset& data) {
    const double share = shared_value(data, "majority");
    return std::isnan(share) ? "" : fmt::format("The most frequent class is {:.3g} % of it. ", 100 * share);
}

std::string margin(const store::Dataset& data) {
    const auto all = without_attention(data);
    if (all.empty()) return "";
    return margin_words(data, {"accuracy", false, least_margin::images, 100, "percentage points"},
                        {"a linear classifier of pixels", all.back().value});
}

/// A method and the same with a mask have one name and one colour, in two panels.
report::Figure accuracies(const store::Dataset& data) {
    report::Figure result{.name = "images",
                          .title = "Classifying images",
                          .caption =
                              "Share of validation images that are classified rightly against steps; means over "
                              "seeds. Left without a mask, right with one that is learned. What diverged ends where "
                              "it did. Dashed: a linear classifier of pixels, on the test set. " +
                              majority_words(data) + margin(data),
                          .interval = "Bands: " + report::interval_words("seeds"),
                          .columns = 2};
    report::Panel plain{.title = "without a mask"}, masked{.title = "with a mask"};
    double least = 1, most = 0;
    for (const std::string& method : report::words(data, "method")) {
        const auto base = without_mask(data, method);
        report::Series series =
            report::averaged_series(base.value_or(method), report::numbers(data, "step"),
                                    over_seeds(data, "validation_accuracy", {method}), report::Style::line_points);
        for (const double mean : series.y) {
            // These two pass over NaN, which stands after the evaluation at which a training diverged.
            least = std::fmin(least, mean);
            most = std::fmax(most, mean);
        }
        // A method may have a mask under a name of its own: the result itself tells.
        const bool learned = !report::all_missing(report::slice(data, "class_weight", {{"method", method}}).values);
        (base || learned ? masked : plain).series.push_back(std::move(series));
    }
    for (report::Panel* const panel : {&plain, &masked}) {
        if (panel->series.empty()) continue;
        panel->x = {.label = "steps"};
        // One scale for both, that of the means: intervals of few seeds reach far.
        panel->y = {.label = "share of validation images right"};
        if (const auto all = without_attention(data); !all.empty()) add_lines(*panel, {all.back()});
        if (least < most) panel->y.range = std::pair(std::fmax(0, least - 0.05), std::fmin(1, most + 0.05));
        result.panels.push_back(std::move(*panel));
    }
    return result;
}

/// The masks of the first layer, of methods that have one, averaged over seeds; nothing where no mask is stored.
std::optional<report::Figure> masks(const store::Dataset& data) {
    if (!data.has_variable("mask")) return {};
    report::Figure result{.name = "images-masks",
                          .title = "Masks that were learned",
                          .caption =
                              "Weights of relative places in the first layer, each head's over their mean, "
                              "averaged over heads and seeds. In the middle a patch attends to itself; above it, "
                              "to patches below it.",
                          .columns = 3};
    for (const std::string& method : report::words(data, "method")) {
        report::Fixed fixed{{"method", method}};
        fixed.emplace_back("layer", report::numbers(data, "layer").front());
        const auto sliced = report::slice(data, "mask", fixed, {"seed", "right", "down"});
        const report::Averages mean = report::average(sliced, "seed");
        if (mean.empty()) continue;
        report::Panel panel{.title = method};
        panel.x = {.label = "columns from key to query"};
        panel.y = {.label = "rows from key to query"};
        panel.map = report::HeatMap{
            .x = sliced.numbers("right"), .y = sliced.numbers("down"), .z = mean.mean, .label = "weight over the mean"};
        result.panels.push_back(std::move(panel));
    }
    if (result.panels.empty()) return {};
    return result;
}

/// Gain in accuracy by a mask, seed by seed, each at its own rate.
report::Entry gain(const store::Dataset& data, const std::string& method) {
    const auto plain = without_mask(data, method);
    if (!plain) return report::Missing{};
    // Paired by seed, which both have their beginning and their mini-batches from; features are each label's own, so
    // that the difference holds their draws as well.
    report::Slice difference = report::slice(data, "accuracy", {{"method", method}});
    const report::Slice before = report::slice(data, "accuracy", {{"method", *plain}});
    for (std::size_t i = 0; i < difference.values.size(); ++i) difference.values[i] -= before.values[i];
    return report::averaged_entry(report::average(difference, "seed"));
}

report::Table accuracy_table(const store::Dataset& data) {
    const OutcomeColumn gained{share_column("gain of the mask"),
                               [&data](const Shown& trained) { return gain(data, trained.method); }};
    report::Table result = outcome_table(
        data, "images",
        "Share of the test set that is classified rightly, mean over seeds ± half its 95 % interval; what the mask "
        "adds to it, seed by seed, each at its own rate; share of denominators that are not positive; and what "
        "diverged, then and while rates were on trial. Below: what needs no attention; the linear classifier is least "
        "squares of indicators on pixels.",
        {report::word_column("method")}, methods_by_name(data),
        {mean_of(data, "accuracy", share_column("right")), gained, nonpositive_of(data)});
    report::mark_best(result, report::Best::greatest, report::columns_called(result, {"right"}), exact_labels(data));
    add_rows(result, without_attention(data));
    result.notes.push_back(margin(data));
    return result;
}

report::Table image_rates(const store::Dataset& data) {
    return rates_table(data, "images-rates", {report::word_column("method")}, methods_by_name(data));
}

}  // namespace

Report image_report(const store::Dataset& data) {
    Report report{{accuracies(data)},
                  {accuracy_table(data), image_rates(data), patterns_table(data, "images-patterns")}};
    if (auto figure = masks(data)) report.figures.push_back(std::move(*figure));
    auto attention = attention_figure(
        data, "images-attention",
        "Weights by which tokens (queries) attend to tokens (keys) of the first image of the test set, in the first "
        "head of the last layer, of the first seed. Token 0 is the class token; the others are patches, row after row. "
        "Of each method from 0 to its own largest weight.");
    if (attention) report.figures.push_back(std::move(*attention));
    if (const auto softmax = data.attributes.find("softmax"); softmax != data.attributes.end())
        if (auto heads = heads_figure(data, "images-heads", softmax->second,
                                      "The same of every head of every layer, of the first seed."))
            report.figures.push_back(std::move(*heads));
    return report;
}

}  // namespace rfbench::experiments
