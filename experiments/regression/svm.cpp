// Support vector machines, (2.2) of the thesis: with the exact kernel, and linear ones through features. Test error and
// support vectors, gamma and C chosen on validation rows.
#include "rfbench/regression/svm.hpp"

#include <algorithm>
#include <limits>

#include "regression/comparison.hpp"
#include "regression/svm_report.hpp"
#include "rfbench/regression/gaussian_matrix.hpp"
#include "rfbench/regression/ridge.hpp"
#include "rfbench/statistics/running_moments.hpp"
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
        defaulted("gammas", numbers(above(0).at_most(1e4)), "{logspace: [0.03, 3, 5]}", "scales of the points"),
        defaulted("bounds", numbers(above(0).at_most(1e6)), "[0.1, 1, 10]", "C, bounds of the dual coordinates"),
        defaulted("columns", integers(1, 8192), "128", "features in all; complex ones count twice"),
        defaulted("repeats", integer(1, 100'000), "5", "draws of the features, for each gamma"),
        defaulted("splits", integer(1, 10'000), "1", "random splits into training, validation and test rows"),
        defaulted("constant", real(above(0).at_most(1e3)), "1", "column that stands for the offset of linear machines"),
        defaulted("gap", real(between(1e-8, 0.5)), "0.01", "a machine is done at this relative duality gap"),
        defaulted("rounds", integer(1, 1'000'000), "300", "and ends after so many steps a training row"),
    };
}

/// The part of a configuration that all cells have in common.
struct Settings {
    Axis<double> bounds;
    regression::SvmStop stop;
    double constant;
    std::size_t repeats;
};

/// Values of a machine at validation rows, then at test rows.
struct Machine {
    regression::SvmState state;
    Vector values;
};

/// At one bound: means over draws, and over machines for the last two.
struct Shares {
    statistics::RunningMoments validation, test, support, unreached, rounds;
};

/// Share of rows whose class does not have the largest value, the first of equals: that of more training rows.
double error(const SplitTask& task, const Eigen::Ref<const Points>& values, const std::vector<int>& truth) {
    double wrong = 0;
    for (Index i = 0; i < values.rows(); ++i) {
        Index best = 0;
        values.row(i).maxCoeff(&best);
        wrong += task.training.classes[static_cast<std::size_t>(best)] != truth[static_cast<std::size_t>(i)];
    }
    return wrong / static_cast<double>(values.rows());
}

/// Each class against all others; of two classes one machine, which serves both. `train(part, labels)` makes one.
template <class Train>
void each_against_others(const SplitTask& task, double gap, Shares& shares, Train train) {
    const auto parts = static_cast<Index>(task.training.parts());
    const Index n = task.training.rows.rows(), asked = task.validation.rows() + task.test.rows();
    Points values(asked, parts);
    Eigen::Array<bool, Eigen::Dynamic, 1> supports = Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(n, false);
    const Index machines = parts == 2 ? 1 : parts;
    for (Index part = 0; part < machines; ++part) {
        const auto p = static_cast<std::size_t>(part);
        Vector labels = Vector::Constant(n, -1);
        labels.segment(task.training.starts[p], task.training.rows_of(p)).setOnes();
        const Machine machine = train(p, labels);
        values.col(part) = machine.values;
        supports = supports || machine.state.alpha.array() > 0;
        shares.unreached.add(machine.state.reached(gap) ? 0 : 1);
        shares.rounds.add(static_cast<double>(machine.state.rounds));
    }
    if (parts == 2) values.col(1) = -values.col(0);
    shares.validation.add(error(task, values.topRows(task.validation.rows()), task.validation_classes));
    shares.test.add(error(task, values.bottomRows(task.test.rows()), task.test_classes));
    shares.support.add(static_cast<double>(supports.count()) / static_cast<double>(n));
}

/// By bound; the shares of what was lost and of singular columns; the number of features, where there are any.
struct Measured {
    std::vector<Shares> shares;
    double lost = 0, lost_queries = 0, singular = 0, features = std::numeric_limits<double>::quiet_NaN();
};

Points both(const Points& validation, const Points& test) {
    Points result(validation.rows() + test.rows(), test.cols());
    result << validation, test;
    return result;
}

Measured exact(const SplitTask& task, double gamma, const Settings& settings) {
    Measured result{std::vector<Shares>(settings.bounds.size())};
    const Points rows = gamma * task.training.rows, asked = gamma * both(task.validation, task.test);
    const Eigen::MatrixXd kernel = regression::gaussian_matrix(rows, rows),
                          cross = regression::gaussian_matrix(asked, rows);
    for (std::size_t b = 0; b < settings.bounds.size(); ++b)
        each_against_others(task, settings.stop.gap, result.shares[b], [&](std::size_t, const Vector& labels) {
            auto svm = regression::kernel_svm(kernel, labels, settings.bounds.values[b], settings.stop);
            Vector values = cross * svm.alpha.cwiseProduct(labels);
            values.array() += svm.offset;
            return Machine{std::move(svm), std::move(values)};
        });
    return result;
}

Measured through_features(const TaskFeatures& features, const SplitTask& task, double gamma, const Settings& settings,
                          const Stream& seed) {
    const Points rows = gamma * task.training.rows, asked = gamma * both(task.validation, task.test);
    const RowDrawing fitted = features.fit(rows);
    Measured result{std::vector<Shares>(settings.bounds.size())};
    features::FeatureBlock<double> block;
    statistics::RunningMoments lost, lost_queries, singular;
    for (std::size_t draw = 0; draw < settings.repeats; ++draw) {
        const auto [map, left_out] = features.draw(fitted, seed.child("features").child(draw));
        result.features = static_cast<double>(map->columns());
        singular.add(static_cast<double>(left_out) / result.features);
        // One draw and a few rows show whether queries and keys have one map.
        if (draw == 0) regression::check_symmetric(*map, rows.topRows(std::min<Index>(rows.rows(), 16)));
        const auto with_constant = [&, &map = map](const Points& points) {
            map->evaluate(features::Side::query, points, block);
            auto plain = regression::plain_features(block);
            plain.values.conservativeResize(Eigen::NoChange, map->columns() + 1);
            plain.values.rightCols(1).setConstant(settings.constant);
            return plain;
        };
        const auto training = with_constant(rows), queries = with_constant(asked);
        lost.add(static_cast<double>(training.lost) / static_cast<double>(rows.rows()));
        lost_queries.add(static_cast<double>(queries.lost) / static_cast<double>(asked.rows()));
        for (std::size_t b = 0; b < settings.bounds.size(); ++b)
            each_against_others(task, settings.stop.gap, result.shares[b], [&](std::size_t part, const Vector& labels) {
                const auto own = static_cast<std::uint64_t>(task.training.classes[part]);
                auto svm = regression::linear_svm(training.values, labels, settings.bounds.values[b], settings.stop,
                                                  seed.child("order").child(draw).child(own));
                Vector values = queries.values * svm.weights;
                return Machine{std::move(svm), std::move(values)};
            });
    }
    result.lost = lost.mean();
    result.lost_queries = lost_queries.mean();
    result.singular = singular.mean();
    return result;
}

store::Dataset dataset(const Measured& measured, const Axis<double>& bounds, double training_rows) {
    const std::vector<std::string> axes{"bound"};
    store::Variable validation{"validation_error", axes, {}, "", "share of validation rows, mean over draws"};
    store::Variable test{"test_error", axes, {}, "", "share of test rows, mean over draws"};
    store::Variable support{"support", axes, {}, "", "share of training rows that support any machine"};
    store::Variable unreached{"unreached", axes, {}, "", "share of machines that ended before their gap"};
    store::Variable rounds{"rounds", axes, {}, "", "steps a training row, mean over machines"};
    for (const Shares& one : measured.shares) {
        validation.values.push_back(one.validation.mean());
        test.values.push_back(one.test.mean());
        support.values.push_back(one.support.mean());
        unreached.values.push_back(one.unreached.mean());
        rounds.values.push_back(one.rounds.mean());
    }
    return {{bounds.stored()},
            {validation,
             test,
             support,
             unreached,
             rounds,
             {"lost", {}, {measured.lost}, "", "mean share of rows whose features double cannot hold"},
             {"lost_queries", {}, {measured.lost_queries}, "", "the same of the rows of validation and test"},
             {"training_rows", {}, {training_rows}, "", "n"},
             {"features", {}, {measured.features}, "", "real columns"},
             singular_columns(measured.singular)},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto gammas = axis("gamma", Key{config, "gammas"}, "scale of the points");
    // Inside a cell: features and kernels are formed once for all of them.
    const auto bounds = axis("bound", config.at("bounds").numbers(), "C");
    const regression::SvmStop stop{config.at("gap").number(), whole(config, "rounds")};
    const auto repeats = static_cast<std::size_t>(config.at("repeats").integer());
    const Settings settings{bounds, stop, config.at("constant").number(), repeats};
    std::vector<std::string> notes;
    const auto tasks =
        task_axis(load_tasks(config.at("datasets"), datasets::Encoding::one_hot, Targets::classes, notes));
    const Comparison comparison(config, taken, tasks.values);
    const Stream seed = study_stream(config, "regression");

    Sweep sweep =
        Sweep::over(tasks, comparison.methods, comparison.samplings, comparison.columns, comparison.splits, gammas);
    sweep.keep = [=](const Point& at) { return comparison.measured(at); };
    sweep.notes = notes;
    // Features are NaN of the exact kernel.
    sweep.finite_but = {"features"};
    for (const Task& task : tasks) {
        const double n = static_cast<double>(task.points.rows());
        // The exact kernel of the training rows.
        sweep.bytes = std::max(sweep.bytes, n * n * sizeof(double));
    }
    sweep.compute = [=](const Point& at) {
        const Task& task = at[tasks];
        const Stream own = seed.child(task.name).child(at[comparison.splits]);
        const SplitTask split = split_task(task, regression::split_rows(task.points.rows(), own.child("split")),
                                           datasets::Scaling::standardized);
        const Measured measured = at[comparison.methods]->exact()
                                      ? exact(split, at[gammas], settings)
                                      : through_features({comparison, at}, split, at[gammas], settings, own);
        return dataset(measured, settings.bounds, static_cast<double>(split.training.rows.rows()));
    };
    return sweep;
}

}  // namespace

Study svm_study() {
    return {"regression",
            "svm",
            "support vector machines on features, beside the exact kernel's",
            "Likhosherstov 2022, (2.2)",
            1,
            taken,
            keys,
            prepare,
            svm_report};
}

}  // namespace rfbench::experiments
