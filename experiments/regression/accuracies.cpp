#include "regression/accuracies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/paired_test.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "sources/data_sets.hpp"

namespace rfbench::experiments {

const std::vector<double>& counts(const store::Dataset& data) { return report::numbers(data, "columns"); }

std::vector<report::Fixed> preparations(const store::Dataset& data) {
    return report::places(data, {"encoding", "scaling"});
}

std::string preparation_words(const report::Fixed& place) {
    return report::word_at(place, "encoding") + ", " + report::word_at(place, "scaling");
}

std::size_t splits(const store::Dataset& data) { return data.axis("split").size(); }

std::vector<std::string> samplings(const store::Dataset& data) {
    std::vector<std::string> all = words(data, "sampling");
    std::erase(all, own_sampling);
    return all;
}

namespace {

/// Whether features of a method were drawn there.
bool has_features(const store::Dataset& data, const report::Fixed& there) {
    // Features are not a number where a method predicts without any, and where nothing was measured.
    const auto of = report::slice(data, "features", there);
    return std::any_of(of.values.begin(), of.values.end(), [](double value) { return !std::isnan(value); });
}

/// Whether it names its own sampling or has none.
bool is_at_own(const store::Dataset& data, const std::string& method) {
    return report::has_word(data, "sampling", own_sampling) &&
           (is_reference(data, method) || has_features(data, {{"method", method}, {"sampling", own_sampling}}));
}

}  // namespace

bool is_reference(const store::Dataset& data, const std::string& method) {
    return !has_features(data, {{"method", method}});
}

Shown placed(const store::Dataset& data, const std::string& method, const std::string& sampling, double columns,
             const report::Fixed& preparation) {
    // A method whose columns no budget decides was measured at the first of them alone (Comparison::measured).
    const bool swept = has_features(data, {{"method", method}, {"columns", counts(data).back()}});
    return {method, report::joined({{"sampling", is_at_own(data, method) ? own_sampling : sampling},
                                    {"columns", swept ? columns : counts(data).front()}},
                                   preparation)};
}

std::string sampled_name(const store::Dataset& data, const Shown& shown) {
    const std::string& sampling = shown.word("sampling");
    return shown.method + (samplings(data).size() > 1 && sampling != own_sampling ? ", " + sampling : "");
}

Tuned tuned(const store::Dataset& data, const std::string& set, const Shown& shown) {
    const report::Fixed fixed = shown.fixed({{"dataset", set}});
    const std::vector<std::string> order{"split", "gamma"};
    const auto validation = report::slice(data, "validation_accuracy", fixed, order);
    const auto test = report::slice(data, "test_accuracy", fixed, order);
    const auto undecided = report::slice(data, "undecided", fixed, order);
    const std::vector<double>& gamma = validation.numbers("gamma");
    const std::size_t gammas = gamma.size();
    Tuned result;
    // Each split chooses a gamma of its own, by its validation rows alone, and is judged at it by its test rows.
    for (std::size_t first = 0; first < validation.values.size(); first += gammas) {
        // Takes the least gamma among equals, in whatever order they stand; what is NaN was not measured.
        const std::size_t none = first + gammas;
        std::size_t at = none;
        for (std::size_t i = first; i < none; ++i) {
            if (std::isnan(validation.values[i])) continue;
            const bool better = at == none || validation.values[i] > validation.values[at];
            const bool smaller =
                !better && validation.values[i] == validation.values[at] && gamma[i - first] < gamma[at - first];
            if (better || smaller) at = i;
        }
        if (at == none) return {};
        result.accuracy.push_back(100 * test.values[at]);
        result.undecided.push_back(100 * undecided.values[at]);
    }
    return result;
}

std::vector<Shown> contenders(const store::Dataset& data) {
    std::vector<Shown> result;
    for (const std::string& method : words(data, "method"))
        for (const std::string& sampling : words(data, "sampling")) {
            // A method stands either at `own` or at the samplings of the sweep.
            if (is_at_own(data, method) != (sampling == own_sampling)) continue;
            for (const report::Fixed& preparation : preparations(data)) {
                const Shown shown = placed(data, method, sampling, counts(data).back(), preparation);
                // The sweep has the same contenders for all data sets, but for cells that failed.
                const auto& sets = words(data, "dataset");
                if (std::any_of(sets.begin(), sets.end(),
                                [&](const std::string& set) { return !tuned(data, set, shown).accuracy.empty(); }))
                    result.push_back(shown);
            }
        }
    return result;
}

std::string title(const store::Dataset& data, const Shown& shown) {
    std::string result = sampled_name(data, shown);
    for (const char* axis : {"encoding", "scaling"})
        if (words(data, axis).size() > 1) result += ", " + shown.word(axis);
    return result;
}

bool complete(const store::Dataset& data) {
    return std::all_of(thesis_sets().begin(), thesis_sets().end(),
                       [&](const std::string& set) { return report::has_word(data, "dataset", set); });
}

std::vector<double> average(const store::Dataset& data, const Shown& shown) {
    if (!complete(data)) return {};
    // Averaged over sets within each split, so that the interval is one over splits, as those of single sets are.
    std::vector<double> sums(splits(data));
    for (const std::string& set : thesis_sets()) {
        const std::vector<double> own = tuned(data, set, shown).accuracy;
        if (own.empty()) return {};
        for (std::size_t s = 0; s < own.size(); ++s) sums[s] += own[s] / static_cast<double>(thesis_sets().size());
    }
    return sums;
}

double mean(const std::vector<double>& values) {
    statistics::RunningMoments moments;
    for (const double value : values) moments.add(value);
    return moments.mean();
}

std::vector<report::Panel> panels_of_sets(const store::Dataset& data, const report::Axis& x, const report::Axis& y,
                                          const SetCurve& curve) {
    std::vector<report::Panel> panels;
    for (const std::string& set : words(data, "dataset")) {
        panels.push_back({.title = set, .x = x, .y = y});
        for (const std::string& method : words(data, "method")) {
            std::optional<report::Series> series = curve(set, method);
            if (!series) continue;
            if (is_reference(data, method)) series->style = report::Style::reference;
            panels.back().series.push_back(std::move(*series));
        }
    }
    return panels;
}

report::Entry estimate(const std::vector<double>& over_splits) {
    if (over_splits.empty()) return report::Missing{};
    if (over_splits.size() == 1) return over_splits.front();
    const auto interval = statistics::paired_difference(over_splits, test_to_training, statistics::confidence);
    return report::Estimate{interval.mean, interval.half_width};
}

std::string interval_words(const store::Dataset& data) {
    return fmt::format(
        "{} % intervals of the mean over {} random splits (Student's t, corrected for overlapping training sets, "
        "Nadeau "
        "and Bengio 2003)",
        100 * statistics::confidence, splits(data));
}

std::string interval_note(const store::Dataset& data) {
    if (splits(data) == 1) return "One random split, so no interval: a few points are noise on the small sets.";
    return "± is half of " + interval_words(data) + ".";
}

}  // namespace rfbench::experiments
