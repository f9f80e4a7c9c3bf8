// Kernel regression as (2.1) of the thesis prints it, with its denominator and targets that are numbers (Nadaraya 1964,
// Watson 1964): error through features and with the exact kernel, and how often a denominator is not positive.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "regression/comparison.hpp"
#include "regression/nadaraya_watson_report.hpp"
#include "rfbench/datasets/delimited.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/regression/ridge.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{
    .abilities = {Ability::rows, Ability::exact}, .samplings = true, .columns = true, .default_samplings = "[iid]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        data_sets_key(),
        defaulted("gammas", numbers(above(0).at_most(1e4)), "{logspace: [0.1, 10, 7]}", "scales of the points"),
        defaulted("columns", integers(1, 8192), "128", "features in all; complex ones count twice"),
        defaulted("repeats", integer(1, 100'000), "10", "draws of the features, for each gamma"),
        defaulted("splits", integer(1, 10'000), "5", "random splits into training, validation and test rows"),
    };
}

/// Numbers that class names are, by row.
Vector targets_of(const Task& task, const std::vector<int>& classes) {
    Vector numbers(static_cast<Index>(classes.size()));
    for (std::size_t i = 0; i < classes.size(); ++i)
        numbers[static_cast<Index>(i)] =
            datasets::parse_number(task.class_names[static_cast<std::size_t>(classes[i])]).value;
    return numbers;
}
Vector training_targets(const Task& task, const regression::ClassifiedRows& rows) {
    std::vector<int> classes(static_cast<std::size_t>(rows.rows.rows()));
    for (std::size_t part = 0; part < rows.parts(); ++part)
        std::fill(classes.begin() + rows.starts[part], classes.begin() + rows.starts[part + 1], rows.classes[part]);
    return targets_of(task, classes);
}

/// Numerators and denominators of (2.1) at some rows, both over one positive factor a row.
struct Quotients {
    Vector numerator, denominator;
};

/// Sums over training rows of the exact kernel, over its largest value for each row that is asked for: 1 at least.
Quotients exact(const Points& training, const Vector& targets, const Points& asked) {
    Quotients result{Vector(asked.rows()), Vector(asked.rows())};
    for (Index i = 0; i < asked.rows(); ++i) {
        const Vector squares = (training.rowwise() - asked.row(i)).rowwise().squaredNorm();
        const Vector weights = (-0.5 * (squares.array() - squares.minCoeff())).exp();
        result.numerator[i] = weights.dot(targets);
        result.denominator[i] = weights.sum();
    }
    return result;
}

/// Errors of predictions. Rows whose denominator is not positive have none. They are counted, and get the mean of
/// the training targets in a second error.
struct Misses {
    double squares = 0, filled_squares = 0, answered = 0, rows = 0;

    void add(const Quotients& at, const Vector& truth, double mean) {
        for (Index i = 0; i < truth.size(); ++i) {
            const bool positive = at.denominator[i] > 0;
            const double miss = positive ? std::pow(at.numerator[i] / at.denominator[i] - truth[i], 2) : 0;
            squares += miss;
            filled_squares += positive ? miss : std::pow(mean - truth[i], 2);
            answered += positive;
            ++rows;
        }
    }
    /// NaN where no row has an answer.
    double rmse() const { return std::sqrt(squares / answered); }
    double filled() const { return std::sqrt(filled_squares / rows); }
    double refused() const { return 1 - answered / rows; }
};

store::Dataset compute(const Task& task, const SplitTask& split, double gamma, const TaskFeatures* features,
                       std::size_t repeats, const Stream& seed) {
    const Points rows = gamma * split.training.rows, validation = gamma * split.validation, test = gamma * split.test;
    const Vector targets = training_targets(task, split.training);
    const Vector of_validation = targets_of(task, split.validation_classes),
                 of_test = targets_of(task, split.test_classes);
    const double mean = targets.mean();
    Misses on_validation, on_test;
    double lost = 0, singular = 0, columns = std::numeric_limits<double>::quiet_NaN();
    if (features == nullptr) {
        on_validation.add(exact(rows, targets, validation), of_validation, mean);
        on_test.add(exact(rows, targets, test), of_test, mean);
    } else {
        const RowDrawing fitted = features->fit(rows);
        features::FeatureBlock<double> block;
        for (const Index number : parallel::Parts(static_cast<Index>(repeats))) {
            const auto [map, left_out] = features->draw(fitted, seed.child(static_cast<std::uint64_t>(number)));
            columns = static_cast<double>(map->columns());
            singular += static_cast<double>(left_out) / (columns * static_cast<double>(repeats));
            map->evaluate(features::Side::key, rows, block);
            const auto keys = regression::plain_features(block);
            lost += static_cast<double>(keys.lost) / static_cast<double>(rows.rows() * static_cast<Index>(repeats));
            const Vector weighted = keys.values.transpose() * targets, plain = keys.values.colwise().sum().transpose();
            const auto at = [&, &map = map](const Points& asked) {
                map->evaluate(features::Side::query, asked, block);
                const auto queries = regression::plain_features(block);
                return Quotients{queries.values * weighted, queries.values * plain};
            };
            on_validation.add(at(validation), of_validation, mean);
            on_test.add(at(test), of_test, mean);
        }
    }
    const double spread = std::sqrt((of_test.array() - mean).square().mean());
    return {
        {},
        {{"validation_rmse", {}, {on_validation.filled()}, "", "validation rows, the mean where there is no answer"},
         {"test_rmse", {}, {on_test.filled()}, "", "test rows, the mean where there is no answer"},
         {"answered_rmse", {}, {on_test.rmse()}, "", "test rows whose denominator is positive"},
         {"nonpositive", {}, {on_test.refused()}, "", "share of test rows whose denominator is not positive"},
         {"lost", {}, {lost}, "", "mean share of training rows whose features double cannot hold"},
         {"mean_rmse", {}, {spread}, "", "of the mean of the training targets, test rows"},
         {"features", {}, {columns}, "", "real columns"},
         singular_columns(singular)},
        {}};
}

Sweep prepare(const config::Value& config) {
    const auto gammas = axis("gamma", Key{config, "gammas"}, "scale of the points");
    const auto repeats = static_cast<std::size_t>(config.at("repeats").integer());
    std::vector<std::string> notes;
    const auto tasks =
        task_axis(load_tasks(config.at("datasets"), datasets::Encoding::one_hot, Targets::numbers_too, notes));
    for (const Task& task : tasks)
        for (const std::string& name : task.class_names)
            if (datasets::parse_number(name).state != datasets::NumberState::number)
                config.at("datasets")
                    .refuse("class '" + name + "' of data set '" + task.name +
                            "' is no number; kernel regression predicts numbers");
    const Comparison comparison(config, taken, tasks.values);
    const Stream seed = study_stream(config, "regression");
    Sweep sweep =
        Sweep::over(tasks, comparison.methods, comparison.samplings, comparison.columns, comparison.splits, gammas);
    sweep.keep = [=](const Point& at) { return comparison.measured(at); };
    sweep.notes = notes;
    // Features are NaN of the exact kernel, and so is the error where no row has an answer.
    sweep.finite_but = {"answered_rmse", "features"};
    sweep.compute = [=](const Point& at) {
        const Task& task = at[tasks];
        const Stream own = seed.child(task.name).child(at[comparison.splits]);
        const SplitTask split = split_task(task, regression::split_rows(task.points.rows(), own.child("split")),
                                           datasets::Scaling::standardized);
        if (at[comparison.methods]->exact()) return compute(task, split, at[gammas], nullptr, 1, own);
        const TaskFeatures features(comparison, at);
        return compute(task, split, at[gammas], &features, repeats, own.child("features"));
    };
    return sweep;
}

}  // namespace

Study nadaraya_watson_study() {
    return {"regression",
            "nadaraya-watson",
            "kernel regression of numbers with its denominator, through features and exactly",
            "Likhosherstov 2022, (2.1)",
            1,
            taken,
            keys,
            prepare,
            nadaraya_watson_report};
}

}  // namespace rfbench::experiments
