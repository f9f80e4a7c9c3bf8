// Kernel ridge regression through features (Likhosherstov 2022, 2.1.1) beside the exact one: test error of one-hot
// classes, and of class names that are numbers, gamma and lambda tuned on validation rows.
#include "rfbench/regression/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "regression/comparison.hpp"
#include "regression/ridge_report.hpp"
#include "rfbench/datasets/delimited.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "study/project.hpp"
#include "study/singular.hpp"

namespace rfbench::experiments {
namespace {

/// Features must be the same for queries and keys.
const MethodKey taken{
    .abilities = {Ability::rows, Ability::exact}, .samplings = true, .columns = true, .default_samplings = "[iid]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        data_sets_key(),
        defaulted("numeric", list_of(text(), 0), "[]", "those whose class names are numbers, predicted as such, too"),
        defaulted("gammas", numbers(above(0).at_most(1e4)), "{logspace: [0.03, 3, 5]}", "scales of the points"),
        defaulted("lambdas", numbers(above(0).at_most(1e9)), "[0.001, 0.01, 0.1, 1, 10]", "penalties"),
        defaulted("columns", integers(1, 8192), "128", "features in all; complex ones count twice"),
        defaulted("repeats", integer(2, 100'000), "10", "draws of the features, for each gamma"),
        defaulted("splits", integer(1, 10'000), "1", "random splits into training, validation and test rows"),
    };
}

/// Targets: each class by 0 or 1, then, if class names are numbers, that number, alone if they are no classes; less its
/// mean over the training rows, so that a row of which nothing is known gets the mean.
struct Centred {
    Points training;             // n x K, centred
    Eigen::RowVectorXd mean;     // K
    Index classes;               // the first columns
    std::vector<double> number;  // of each class, or empty

    Centred(const Task& task, const regression::ClassifiedRows& rows, bool numeric)
        : classes(task.real ? 0 : static_cast<Index>(task.class_names.size())) {
        if (numeric)
            for (const std::string& name : task.class_names) number.push_back(datasets::parse_number(name).value);
        training = Points::Zero(rows.rows.rows(), classes + (numeric ? 1 : 0));
        // Rows are sorted by class (regression/classes.hpp): a part is a block of rows of one class.
        for (std::size_t part = 0; part < rows.parts(); ++part) {
            auto own = training.middleRows(rows.starts[part], rows.rows_of(part));
            if (classes > 0) own.col(rows.classes[part]).setOnes();
            if (numeric) own.col(classes).setConstant(number[static_cast<std::size_t>(rows.classes[part])]);
        }
        mean = training.colwise().mean();
        training.rowwise() -= mean;
    }

    /// Share of rows whose class does not have the largest prediction, the first of equals.
    /// NaN where there are no classes.
    double error(const Points& centred, const std::vector<int>& truth) const {
        if (classes == 0) return std::numeric_limits<double>::quiet_NaN();
        double wrong = 0;
        for (Index i = 0; i < centred.rows(); ++i) {
            Index best = 0;
            // Classes have different means, without which their predictions could not be compared.
            (centred.row(i) + mean).head(classes).maxCoeff(&best);
            wrong += best == truth[static_cast<std::size_t>(i)] ? 0 : 1;
        }
        return wrong / static_cast<double>(centred.rows());
    }

    /// Root of the mean squared error of the number; NaN where there is none.
    double rmse(const Points& centred, const std::vector<int>& truth) const {
        if (number.empty()) return std::numeric_limits<double>::quiet_NaN();
        double sum = 0;
        for (Index i = 0; i < centred.rows(); ++i) {
            const double wanted = number[static_cast<std::size_t>(truth[static_cast<std::size_t>(i)])];
            sum += std::pow(centred(i, classes) + mean[classes] - wanted, 2);
        }
        return std::sqrt(sum / static_cast<double>(centred.rows()));
    }
};

/// Errors at one lambda, averaged over draws that could be solved.
struct Errors {
    statistics::RunningMoments validation, test, validation_rmse, test_rmse;

    void add(const SplitTask& task, const Centred& targets, const Points& on_validation, const Points& on_test) {
        validation.add(targets.error(on_validation, task.validation_classes));
        test.add(targets.error(on_test, task.test_classes));
        validation_rmse.add(targets.rmse(on_validation, task.validation_classes));
        test_rmse.add(targets.rmse(on_test, task.test_classes));
    }
};

/// Errors by lambda; the shares of what was lost and of singular columns; the number of features, where there are any.
struct Measured {
    std::vector<Errors> errors;
    double lost = 0, lost_queries = 0, singular = 0, features = std::numeric_limits<double>::quiet_NaN();
};

store::Dataset dataset(const Measured& measured, const Axis<double>& lambdas, double repeats, double training_rows) {
    const std::vector<std::string> axes{"lambda"};
    store::Variable validation{
        "validation_error", axes, {}, "", "share of validation rows, mean over draws that could be solved"};
    store::Variable test{"test_error", axes, {}, "", "share of test rows, likewise"};
    store::Variable validation_rmse{"validation_rmse", axes, {}, "", "of the class as a number, validation rows"};
    store::Variable test_rmse{"test_rmse", axes, {}, "", "of the class as a number, test rows"};
    store::Variable unsolved{"unsolved", axes, {}, "", "share of draws whose matrix was not positive definite"};
    store::Variable lost{"lost", {}, {measured.lost}, "", "mean share of rows whose features double cannot hold"};
    store::Variable lost_queries{
        "lost_queries", {}, {measured.lost_queries}, "", "the same of the rows of validation and test"};
    store::Variable rows{"training_rows", {}, {training_rows}, "", "n"};
    for (const Errors& one : measured.errors) {
        validation.values.push_back(one.validation.mean());
        test.values.push_back(one.test.mean());
        validation_rmse.values.push_back(one.validation_rmse.mean());
        test_rmse.values.push_back(one.test_rmse.mean());
        unsolved.values.push_back(1 - static_cast<double>(one.test.count()) / repeats);
    }
    return {{lambdas.stored()},
            {validation,
             test,
             validation_rmse,
             test_rmse,
             unsolved,
             lost,
             lost_queries,
             rows,
             {"features", {}, {measured.features}, "", "real columns"},
             singular_columns(measured.singular)},
            {}};
}

/// The regression that features stand for; nothing is drawn, and nothing lost.
Measured exact(const SplitTask& task, const Centred& targets, double gamma, const Axis<double>& lambdas) {
    Measured result;
    Points queries(task.validation.rows() + task.test.rows(), task.test.cols());
    // Both sets together, so that the kernel of the training rows is factored once for each lambda.
    queries << task.validation, task.test;
    const Points rows = gamma * task.training.rows, asked = gamma * queries;
    for (const auto& predicted : regression::kernel_ridge(rows, targets.training, asked, lambdas.values)) {
        result.errors.emplace_back();
        if (predicted)
            result.errors.back().add(task, targets, predicted->topRows(task.validation.rows()),
                                     predicted->bottomRows(task.test.rows()));
    }
    return result;
}

Measured through_features(const TaskFeatures& features, std::size_t repeats, const SplitTask& task,
                          const Centred& targets, double gamma, const Axis<double>& lambdas, const Stream& seed) {
    const Points rows = gamma * task.training.rows, validation = gamma * task.validation, test = gamma * task.test;
    const RowDrawing fitted = features.fit(rows);
    Measured result{std::vector<Errors>(lambdas.size())};
    features::FeatureBlock<double> block;
    statistics::RunningMoments lost, lost_queries, singular;
    for (const Index draw : parallel::Parts(static_cast<Index>(repeats))) {
        const auto [map, left_out] = features.draw(fitted, seed.child(static_cast<std::uint64_t>(draw)));
        result.features = static_cast<double>(map->columns());
        singular.add(static_cast<double>(left_out) / result.features);
        // One draw and a few rows show whether queries and keys have one map.
        if (draw == 0) regression::check_symmetric(*map, rows.topRows(std::min<Index>(rows.rows(), 16)));
        const auto plain = [&, &map = map](const Points& points) {
            map->evaluate(features::Side::query, points, block);
            return regression::plain_features(block);
        };
        const auto training = plain(rows), on_validation = plain(validation), on_test = plain(test);
        lost.add(static_cast<double>(training.lost) / static_cast<double>(rows.rows()));
        lost_queries.add(static_cast<double>(on_validation.lost + on_test.lost) /
                         static_cast<double>(validation.rows() + test.rows()));
        // Products of features are formed once for all lambdas, which differ in the diagonal alone.
        const regression::FeatureRidge ridge(training.values, targets.training);
        for (std::size_t l = 0; l < lambdas.size(); ++l)
            if (const auto weights = ridge.weights(lambdas.values[l]))
                result.errors[l].add(task, targets, on_validation.values * *weights, on_test.values * *weights);
    }
    result.lost = lost.mean();
    result.lost_queries = lost_queries.mean();
    result.singular = singular.mean();
    return result;
}

void require_numbers(const Task& task, const config::Value& numeric) {
    for (const std::string& name : task.class_names)
        if (datasets::parse_number(name).state != datasets::NumberState::number)
            numeric.refuse("class '" + name + "' of data set '" + task.name + "' is no number");
}

/// Refuses a name that is no data set, and a data set whose class names are no numbers. One that is not among those
/// compared changes nothing.
void require_numeric(const config::Value& name, const Axis<Task>& tasks) {
    const auto own =
        std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) { return task.name == name.text(); });
    if (own != tasks.end()) return require_numbers(*own, name);
    try {
        data_manifest().find(name.text());
    } catch (const InputError& error) {
        name.refuse(error.what());
    }
}

Sweep prepare(const config::Value& config) {
    const auto gammas = axis("gamma", Key{config, "gammas"}, "scale of the points");
    // Inside a cell: one decomposition of the kernel or of the features serves all of them.
    const auto lambdas = axis("lambda", config.at("lambdas").numbers(), "penalty");
    const auto numeric = config.at("numeric").texts();
    const auto repeats = static_cast<std::size_t>(config.at("repeats").integer());
    std::vector<std::string> notes;
    const auto tasks =
        task_axis(load_tasks(config.at("datasets"), datasets::Encoding::one_hot, Targets::numbers_too, notes));
    for (const config::Value& name : config.at("numeric").items()) require_numeric(name, tasks);
    const Comparison comparison(config, taken, tasks.values);
    const Stream seed = study_stream(config, "regression");

    Sweep sweep =
        Sweep::over(tasks, comparison.methods, comparison.samplings, comparison.columns, comparison.splits, gammas);
    sweep.keep = [=](const Point& at) { return comparison.measured(at); };
    sweep.notes = notes;
    // The exact kernel of the training rows and its factor.
    for (const Task& task : tasks) {
        const double n = static_cast<double>(task.points.rows());
        sweep.bytes = std::max(sweep.bytes, 2 * n * n * sizeof(double));
    }
    sweep.compute = [=](const Point& at) {
        const Task& task = at[tasks];
        const Stream own = seed.child(task.name).child(at[comparison.splits]);
        const SplitTask split = split_task(task, regression::split_rows(task.points.rows(), own.child("split")),
                                           datasets::Scaling::standardized);
        const Centred targets(task, split.training,
                              task.real || std::count(numeric.begin(), numeric.end(), task.name) > 0);
        const auto n = static_cast<double>(split.training.rows.rows());
        if (at[comparison.methods]->exact()) return dataset(exact(split, targets, at[gammas], lambdas), lambdas, 1, n);
        const Measured measured =
            through_features({comparison, at}, repeats, split, targets, at[gammas], lambdas, own.child("features"));
        return dataset(measured, lambdas, static_cast<double>(repeats), n);
    };
    return sweep;
}

}  // namespace

Study ridge_study() {
    return {"regression",
            "ridge",
            "kernel ridge regression through features, beside the exact one",
            "Likhosherstov 2022, 2.1.1",
            3,
            taken,
            keys,
            prepare,
            ridge_report};
}

}  // namespace rfbench::experiments
