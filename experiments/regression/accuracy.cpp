// Tables 6.2 and 6.3: test accuracy of kernel regression through each mechanism's features, gamma tuned on validation
// rows, beside the exact kernel, the majority class and the printed numbers.
#include <cmath>
#include <limits>

#include "regression/accuracy_report.hpp"
#include "regression/comparison.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/regression/feature_regression.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::rows, Ability::prediction},
                      .samplings = true,
                      .columns = true,
                      .default_samplings = "[iid]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        data_sets_key(),
        defaulted("gammas", numbers(above(0).at_most(1e4)), "{logspace: [0.01, 100, 10]}",
                  "scales of the points, tuned on validation rows for each method"),
        defaulted("columns", integers(1, 65536), "128", "features in all; complex ones count twice"),
        defaulted("repeats", integer(2, 100'000), "50", "draws of the features, for each gamma"),
        defaulted("splits", integer(1, 10'000), "1", "random splits into training, validation and test rows"),
        defaulted("encoding", one_or_more(one_of({"one-hot", "ordinal"})), "one-hot", "of categories"),
        defaulted("scaling", one_or_more(one_of({"standardized", "min-max", "raw"})), "standardized",
                  "of columns, by the training rows"),
    };
}

datasets::Encoding encoding(const std::string& name) {
    return name == "one-hot" ? datasets::Encoding::one_hot : datasets::Encoding::ordinal;
}

datasets::Scaling scaling(const std::string& name) {
    if (name == "raw") return datasets::Scaling::raw;
    return name == "min-max" ? datasets::Scaling::min_max : datasets::Scaling::standardized;
}

/// Accuracies, and the number of features: of what predicts without any it is not a number.
struct Accuracies {
    double validation, test, deviation = 0, undecided = 0, features = std::numeric_limits<double>::quiet_NaN(),
                             singular = 0;

    store::Dataset dataset() const {
        return {{},
                {{"validation_accuracy", {}, {validation}, "", "mean over draws, on validation rows"},
                 {"test_accuracy", {}, {test}, "", "mean over draws, on test rows"},
                 {"test_deviation", {}, {deviation}, "", "standard deviation over draws of test_accuracy"},
                 {"undecided", {}, {undecided}, "", "mean share of test rows without a score for any class"},
                 {"features", {}, {features}, "", "real columns"},
                 singular_columns(singular)},
                {}};
    }
};

/// Accuracies of a method that draws nothing: one prediction each, without a deviation.
Accuracies predicted(const Method& method, const SplitTask& task, double gamma) {
    const auto validation = method.predictor()->predict(task.training, task.validation, {gamma});
    const auto test = method.predictor()->predict(task.training, task.test, {gamma});
    return {validation[0].accuracy(task.validation_classes), test[0].accuracy(task.test_classes)};
}

/// Means over draws of features that are fitted to the training rows at this gamma.
Accuracies through_features(const TaskFeatures& features, std::size_t repeats, const SplitTask& task, double gamma,
                            const Stream& seed) {
    // K(gamma x, gamma y): points are scaled and not the kernel, whose features so stay those of unit width.
    regression::ClassifiedRows training = task.training;
    training.rows *= gamma;
    const RowDrawing fitted = features.fit(training.rows);
    regression::FeatureRegression regression(std::move(training), {gamma * task.validation, gamma * task.test});
    statistics::RunningMoments on_validation, on_test, undecided, singular;
    double columns = 0;
    // Keyed by data set, split and number alone: contenders at one split share their randomness where laws allow it.
    for (const Index number : parallel::Parts(static_cast<Index>(repeats))) {
        const auto [map, left_out] = features.draw(fitted, seed.child(static_cast<std::uint64_t>(number)));
        columns = static_cast<double>(map->columns());
        singular.add(static_cast<double>(left_out) / columns);
        const auto predictions = regression.predict(*map);
        on_validation.add(predictions[0].accuracy(task.validation_classes));
        on_test.add(predictions[1].accuracy(task.test_classes));
        undecided.add(static_cast<double>(predictions[1].count_undecided()) /
                      static_cast<double>(task.test_classes.size()));
    }
    const double deviation = on_test.standard_deviation();
    return {on_validation.mean(), on_test.mean(), deviation, undecided.mean(), columns, singular.mean()};
}

/// The tasks of each encoding.
Axis<std::vector<Task>> encoding_axis(const config::Value& config, std::vector<std::string>& notes) {
    Axis<std::vector<Task>> result{"encoding", {}, config.at("encoding").texts(), "", "of categories", {"encoding"}};
    // Each encoding reads the same files and misses the same: the notes of one are enough.
    for (const std::string& name : config.at("encoding").texts()) {
        notes.clear();
        result.values.push_back(load_tasks(config.at("datasets"), encoding(name), Targets::classes, notes));
    }
    return result;
}

Axis<datasets::Scaling> scaling_axis(const std::vector<std::string>& names) {
    Axis<datasets::Scaling> result{"scaling", {}, names, "", "of columns", {"scaling"}};
    for (const std::string& name : names) result.values.push_back(scaling(name));
    return result;
}

Sweep prepare(const config::Value& config) {
    std::vector<std::string> notes;
    const auto encodings = encoding_axis(config, notes);
    const auto scalings = scaling_axis(config.at("scaling").texts());
    const auto names = task_axis(encodings.values.front());
    std::vector<Task> all;
    for (const auto& tasks : encodings) all.insert(all.end(), tasks.begin(), tasks.end());
    const Comparison comparison(config, taken, all);
    const auto gammas = axis("gamma", Key{config, "gammas"}, "scale of the points");
    const auto repeats = static_cast<std::size_t>(config.at("repeats").integer());
    // The root of both studies of regression: split r of a data set has the same rows in both.
    const Stream seed = study_stream(config, "regression");

    Sweep sweep = Sweep::over(names, comparison.methods, comparison.samplings, comparison.columns, comparison.splits,
                              encodings, scalings, gammas);
    sweep.keep = [=](const Point& at) { return comparison.measured(at); };
    // Points of all rows, in double and as features are computed, in float.
    for (const Task& task : all)
        sweep.bytes = std::max(sweep.bytes, static_cast<double>(task.points.size()) * (sizeof(double) + sizeof(float)));
    sweep.notes = notes;
    sweep.compute = [=](const Point& at) {
        // The axis has the tasks of the first encoding: that of this one has the same number among its own.
        const Task& task = at[encodings][at.index("dataset")];
        const Stream own = seed.child(task.name).child(at[comparison.splits]);
        const auto rows = regression::split_rows(task.points.rows(), own.child("split"));
        const SplitTask split = split_task(task, rows, at[scalings]);
        const MethodChoice& method = at[comparison.methods];
        if (method->predictor()) return predicted(*method.method, split, at[gammas]).dataset();
        return through_features({comparison, at}, repeats, split, at[gammas], own.child("features")).dataset();
    };
    return sweep;
}

}  // namespace

Study accuracy_study() {
    return {"regression",
            "accuracy",
            "test accuracy of kernel regression through each mechanism's features",
            "Likhosherstov 2022, Tables 6.2 and 6.3",
            6,
            taken,
            keys,
            prepare,
            accuracy_report};
}

}  // namespace rfbench::experiments
