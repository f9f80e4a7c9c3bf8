// Tables 6.2 and 6.3: test accuracy of kernel regression through each mechanism's features, gamma tuned on validation
// rows, beside the exact kernel, the majority class and the printed numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regression/accuracy_report.hpp"
#include "regression/comparison.hpp"
#include "regression/studies.hpp"
#include "rfbench/regression/feature_regression.hpp"
#include "rfbench/regression/kernel_regression.hpp"
#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("datasets", list_of(text()), "data sets with classes, from data/manifest.yaml"),
        required("mechanisms", mechanisms_schema(), "which features are compared"),
        defaulted("samplings", samplings_schema(), "[iid]", "how their projections are drawn"),
        defaulted("gammas", numbers(above(0).at_most(1e4)), "{logspace: [0.01, 100, 10]}",
                  "scales of the points, tuned on validation rows for each method"),
        defaulted("real_columns", integers(1, 65536), "128", "features in all; complex ones count twice"),
        defaulted("draws", integer(2, 100'000), "50", "of the features, for each gamma"),
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

/// Accuracies at every gamma.
struct Accuracies {
    store::Variable validation{"validation_accuracy", {"gamma"}, {}, "", "mean over draws, on validation rows"};
    store::Variable test{"test_accuracy", {"gamma"}, {}, "", "mean over draws, on test rows"};
    store::Variable deviation{"test_deviation", {"gamma"}, {}, "", "standard deviation over draws of test_accuracy"};
    store::Variable undecided{"undecided", {"gamma"}, {}, "", "mean share of test rows without a score for any class"};

    store::Dataset dataset(const std::vector<double>& gammas) const {
        return {{{"gamma", gammas, "", "scale of the points"}}, {validation, test, deviation, undecided}, {}};
    }
};

Accuracies reference(const std::string& name, const SplitTask& task, const std::vector<double>& gammas) {
    using regression::Predictions;
    const auto predict = [&](const Points& rows) {
        if (name == "exact") return regression::kernel_regression(task.training, rows, gammas);
        return std::vector<Predictions>(gammas.size(), regression::majority(task.training, rows.rows()));
    };
    const std::vector<Predictions> validation = predict(task.validation), test = predict(task.test);
    Accuracies result;
    for (std::size_t g = 0; g < gammas.size(); ++g) {
        result.validation.values.push_back(validation[g].accuracy(task.validation_classes));
        result.test.values.push_back(test[g].accuracy(task.test_classes));
        result.deviation.values.push_back(0);
        result.undecided.values.push_back(0);
    }
    return result;
}

Accuracies drawn(const Drawing& method, std::size_t draws, const SplitTask& task, const std::vector<double>& gammas,
                 const Stream& seed) {
    Accuracies result;
    for (const double gamma : gammas) {
        regression::ClassifiedRows training = task.training;
        training.rows *= gamma;
        const auto mechanism = method.fit(training.rows);
        regression::FeatureRegression regression(std::move(training), {gamma * task.validation, gamma * task.test});
        statistics::RunningMoments on_validation, on_test, undecided;
        for (std::size_t draw = 0; draw < draws; ++draw) {
            const auto predictions = regression.predict(*method.map(*mechanism, seed.child(draw)));
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

Sweep prepare(const config::Value& config) {
    const Comparison comparison(config, {"exact", "majority"});
    const auto gammas = config.at("gammas").numbers();
    const auto encodings = config.at("encoding").texts(), scalings = config.at("scaling").texts();
    const auto draws = static_cast<std::size_t>(config.at("draws").integer());
    Sweep sweep;
    std::vector<std::vector<Task>> tasks;  // by encoding, data set
    for (const std::string& name : encodings) {
        sweep.notes.clear();
        tasks.push_back(load_tasks(config.at("datasets"), encoding(name), sweep.notes));
        comparison.require_dimensions(config.at("mechanisms"), tasks.back());
    }
    sweep.data_hash = checksums(tasks.front());
    sweep.axes = comparison.axes(tasks.front(), "exact: the kernel; majority: the class of most training rows");
    sweep.axes.push_back({"encoding", encodings, "", "of categories"});
    sweep.axes.push_back({"scaling", scalings, "", "of columns"});
    sweep.cells = product_cells(sweep.axes, [&](const auto& at) { return comparison.measured(at); });
    // Points of all rows, in double and as features are computed, in float.
    for (const auto& of_encoding : tasks)
        for (const Task& task : of_encoding)
            sweep.bytes =
                std::max(sweep.bytes, static_cast<double>(task.points.size()) * (sizeof(double) + sizeof(float)));
    const Stream seed = study_stream(config, "regression");
    sweep.compute = [=](const engine::Cell& cell) {
        const auto& at = cell.coordinates;
        const Task& task = tasks[at[5]][at[0]];
        const Stream own = seed.child(task.name).child(at[4]);
        const SplitTask split =
            split_task(task, regression::split_rows(task.points.rows(), own.child("split")), scaling(scalings[at[6]]));
        if (const auto name = comparison.reference(at)) return reference(*name, split, gammas).dataset(gammas);
        const Drawing method = comparison.drawing(at, task.points.cols());
        return drawn(method, draws, split, gammas, own.child("features")).dataset(gammas);
    };
    return sweep;
}

}  // namespace

Study accuracy_study() {
    return {"regression",
            "accuracy",
            "test accuracy of kernel regression through each mechanism's features",
            "Likhosherstov 2022, Tables 6.2 and 6.3",
            5,
            keys,
            prepare,
            accuracy_report};
}

}  // namespace rfbench::experiments
