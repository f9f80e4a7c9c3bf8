// Tables 6.2 and 6.3: test accuracy of kernel regression through each mechanism's features, gamma tuned on validation
// rows, beside the exact kernel, the majority class and the printed numbers.
#include <cmath>
#include <limits>

#include "regression/accuracy_report.hpp"
#include "regression/comparison.hpp"
#include "rfbench/regression/feature_regression.hpp"
#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::rows, Ability::prediction},
                      .samplings = true,
                      .columns = true,
                      .samplings_otherwise = "[iid]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("datasets", list_of(text()), "data sets with classes, from data/manifest.yaml"),
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

/// Accuracies at every gamma, and the number of features: of what predicts without any it is not a number.
struct Accuracies {
    store::Variable validation{"validation_accuracy", {"gamma"}, {}, "", "mean over draws, on validation rows"};
    store::Variable test{"test_accuracy", {"gamma"}, {}, "", "mean over draws, on test rows"};
    store::Variable deviation{"test_deviation", {"gamma"}, {}, "", "standard deviation over draws of test_accuracy"};
    store::Variable undecided{"undecided", {"gamma"}, {}, "", "mean share of test rows without a score for any class"};
    double features = std::numeric_limits<double>::quiet_NaN();

    store::Dataset dataset(const std::vector<double>& gammas) const {
        return {{{"gamma", gammas, "", "scale of the points"}},
                {validation, test, deviation, undecided, {"features", {}, {features}, "", "real columns"}},
                {}};
    }
};

Accuracies predicted(const Method& method, const SplitTask& task, const std::vector<double>& gammas) {
    const auto validation = method.predict(task.training, task.validation, gammas);
    const auto test = method.predict(task.training, task.test, gammas);
    Accuracies result;
    for (std::size_t g = 0; g < gammas.size(); ++g) {
        result.validation.values.push_back(validation[g].accuracy(task.validation_classes));
        result.test.values.push_back(test[g].accuracy(task.test_classes));
        result.deviation.values.push_back(0);
        result.undecided.values.push_back(0);
    }
    return result;
}

Accuracies through_features(const RowFeatures& features, std::size_t repeats, const SplitTask& task,
                            const std::vector<double>& gammas, const Stream& seed) {
    Accuracies result;
    for (const double gamma : gammas) {
        regression::ClassifiedRows training = task.training;
        training.rows *= gamma;
        const Index dimension = training.rows.cols();
        const auto mechanism = features.fit(training.rows);
        regression::FeatureRegression regression(std::move(training), {gamma * task.validation, gamma * task.test});
        statistics::RunningMoments on_validation, on_test, undecided;
        for (std::size_t draw = 0; draw < repeats; ++draw) {
            const auto map = features.draw(*mechanism, dimension, seed.child(draw));
            result.features = static_cast<double>(map->columns());
            const auto predictions = regression.predict(*map);
            on_validation.add(predictions[0].accuracy(task.validation_classes));
            on_test.add(predictions[1].accuracy(task.test_classes));
            undecided.add(static_cast<double>(predictions[1].count_undecided()) /
                          static_cast<double>(task.test_classes.size()));
        }
        result.validation.values.push_back(on_validation.mean());
        result.test.values.push_back(on_test.mean());
        result.deviation.values.push_back(on_test.standard_deviation());
        result.undecided.values.push_back(undecided.mean());
    }
    return result;
}

/// The tasks of each encoding.
Axis<std::vector<Task>> encoding_axis(const config::Value& config, std::vector<std::string>& notes) {
    Axis<std::vector<Task>> result{"encoding", {}, config.at("encoding").texts(), "", "of categories"};
    for (const std::string& name : config.at("encoding").texts()) {
        notes.clear();
        result.values.push_back(load_tasks(config.at("datasets"), encoding(name), notes));
    }
    return result;
}

Axis<datasets::Scaling> scaling_axis(const std::vector<std::string>& names) {
    Axis<datasets::Scaling> result{"scaling", {}, names, "", "of columns"};
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
    const auto gammas = config.at("gammas").numbers();
    const auto repeats = static_cast<std::size_t>(config.at("repeats").integer());
    const Stream seed = study_stream(config, "regression");

    Sweep sweep = Sweep::over(names, comparison.methods, comparison.samplings, comparison.columns, comparison.splits,
                              encodings, scalings);
    sweep.keep = [=](const Point& at) { return comparison.measured(at); };
    sweep.data_hash = checksums(names.values);
    // Points of all rows, in double and as features are computed, in float.
    for (const Task& task : all)
        sweep.bytes = std::max(sweep.bytes, static_cast<double>(task.points.size()) * (sizeof(double) + sizeof(float)));
    sweep.notes = notes;
    sweep.compute = [=](const Point& at) {
        const Task& task = at[encodings][at.index("dataset")];
        const Stream own = seed.child(task.name).child(at[comparison.splits]);
        const auto rows = regression::split_rows(task.points.rows(), own.child("split"));
        const SplitTask split = split_task(task, rows, at[scalings]);
        const MethodChoice& method = at[comparison.methods];
        if (method.can(Ability::prediction)) return predicted(*method.method, split, gammas).dataset(gammas);
        return through_features({comparison, at}, repeats, split, gammas, own.child("features")).dataset(gammas);
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
