// The studies of regression on a small data set: every variable against matrices that are written out, and nothing
// that is tuned sees test rows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "catch.hpp"
#include "cells.hpp"
#include "parsed.hpp"
#include "regression/accuracies.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/regression/feature_regression.hpp"
#include "rfbench/regression/split.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "small_set.hpp"
#include "split_parts.hpp"
#include "study/project.hpp"
#include "support/decompositions.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::split_parts;

namespace {

constexpr Index n = 120;

const std::string accuracy_yaml =
    "datasets: [small]\nmethods: [positive, {use: positive, sampling: sobol, columns: 6}, exact, majority]\n"
    "gammas: [0.3, 2]\ncolumns: [3, 8]\nrepeats: 3\nsplits: 2\n";
const std::string ridge_yaml =
    "datasets: [small]\nnumeric: [small]\nmethods: [positive, exact]\ngammas: [0.3, 1]\nlambdas: [0.01, 1]\n"
    "columns: [4, 8]\nrepeats: 3\nsplits: 2\n";

/// Shares of rows whose class has the largest sum of kernel values.
double accuracy(const Points& kernel, const std::vector<int>& classes, const std::vector<int>& truth) {
    double right = 0;
    for (Index i = 0; i < kernel.rows(); ++i) {
        std::vector<double> scores(3, 0);
        for (Index j = 0; j < kernel.cols(); ++j)
            scores[static_cast<std::size_t>(classes[static_cast<std::size_t>(j)])] += kernel(i, j);
        const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
        right += best == truth[static_cast<std::size_t>(i)];
    }
    return right / static_cast<double>(kernel.rows());
}

const std::string svm_yaml =
    "datasets: [small]\nmethods: [positive, exact]\ngammas: [0.3, 1]\nbounds: [0.1, 1]\ncolumns: [8]\nrepeats: 2\n"
    "splits: 2\n";

/// T less its mean over the training rows: classes by 0 and 1, then the class as a number.
struct Targets {
    Points centred;
    Eigen::RowVectorXd mean;

    explicit Targets(const std::vector<int>& classes) : centred(Points::Zero(static_cast<Index>(classes.size()), 4)) {
        for (std::size_t i = 0; i < classes.size(); ++i) {
            centred(static_cast<Index>(i), classes[i]) = 1;
            centred(static_cast<Index>(i), 3) = small_set::class_numbers[static_cast<std::size_t>(classes[i])];
        }
        mean = centred.colwise().mean();
        centred.rowwise() -= mean;
    }

    double error(const Points& predicted, const std::vector<int>& truth) const {
        double wrong = 0;
        for (Index i = 0; i < predicted.rows(); ++i) {
            Index best = 0;
            (predicted.row(i) + mean).head(3).maxCoeff(&best);
            wrong += best != truth[static_cast<std::size_t>(i)];
        }
        return wrong / static_cast<double>(predicted.rows());
    }
    double rmse(const Points& predicted, const std::vector<int>& truth) const {
        double sum = 0;
        for (Index i = 0; i < predicted.rows(); ++i)
            sum += std::pow(predicted(i, 3) + mean[3] -
                                small_set::class_numbers[static_cast<std::size_t>(truth[static_cast<std::size_t>(i)])],
                            2);
        return std::sqrt(sum / static_cast<double>(predicted.rows()));
    }
};

/// The same rows, those of one part of a split elsewhere and of other classes.
small_set::Rows with_other_rows(const small_set::Rows& rows, std::uint64_t split,
                                std::vector<Index> regression::Split::*part) {
    small_set::Rows other = rows;
    const Parts parts(rows, split);
    for (const Index i : parts.split.*part) {
        other.points.row(i) *= -1;
        int& own = other.classes[static_cast<std::size_t>(i)];
        own = (own + 1) % 3;
    }
    return other;
}

/// Variables of all cells of the first split.
std::vector<double> of_first_split(const small_set::Rows& rows, const char* name, const std::string& yaml,
                                   const std::vector<std::string>& variables) {
    const small_set::Project project(rows);
    const Study& study = find("regression", name);
    const Sweep sweep = study.prepare(parsed(study, yaml));
    std::vector<double> result;
    for (const engine::Cell& one : sweep.cells()) {
        if (one.key.find("split=0") == std::string::npos) continue;
        const store::Dataset data = computed(sweep, one);
        for (const std::string& variable : variables)
            result.insert(result.end(), values(data, variable).begin(), values(data, variable).end());
    }
    return result;
}

}  // namespace

TEST_CASE("regression/accuracy: every variable is what explicit kernel matrices give", "[experiments]") {
    const small_set::Rows rows = small_set::clouds(n);
    const small_set::Project project(rows);
    const Study& study = find("regression", "accuracy");
    const Sweep sweep = study.prepare(parsed(study, accuracy_yaml));
    // Positive features at both numbers of columns; its own columns, or none: once.
    CHECK(sweep.cells().size() == 2 * 2 * (2 + 1 + 1 + 1));
    for (std::uint64_t number : {0, 1}) {
        const Parts parts(rows, number);
        const std::string split = "split=" + std::to_string(number);
        const auto kernel = [&](const Points& asked, double gamma) { return gaussian(asked, parts.training, gamma); };
        const auto exact = computed(sweep, {"method=exact", "sampling=own", "columns=3", split});
        const auto majority = computed(sweep, {"method=majority", "sampling=own", "columns=3", split});
        std::vector<double> sizes(3, 0);
        for (const int own : parts.training_classes) ++sizes[static_cast<std::size_t>(own)];
        const auto largest = static_cast<int>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
        const auto share = [&](const std::vector<int>& truth) {
            return static_cast<double>(std::count(truth.begin(), truth.end(), largest)) /
                   static_cast<double>(truth.size());
        };
        for (std::size_t g : {0, 1}) {
            const double gamma = g == 0 ? 0.3 : 2;
            INFO(split << ", gamma " << gamma);
            CHECK(values(exact, "validation_accuracy")[g] ==
                  Approx(accuracy(kernel(parts.validation, gamma), parts.training_classes, parts.validation_classes)));
            CHECK(values(exact, "test_accuracy")[g] ==
                  Approx(accuracy(kernel(parts.test, gamma), parts.training_classes, parts.test_classes)));
            CHECK(values(majority, "validation_accuracy")[g] == Approx(share(parts.validation_classes)));
            CHECK(values(majority, "test_accuracy")[g] == Approx(share(parts.test_classes)));
            for (const auto* reference : {&exact, &majority}) {
                CHECK(std::isnan(value(*reference, "features")));
                CHECK(values(*reference, "test_deviation")[g] == 0);
                CHECK(values(*reference, "undecided")[g] == 0);
            }
            struct Case {
                std::vector<std::string> cell;
                const char* sampling;
                Index count;
            };
            const Case cases[] = {{{"method=positive", "sampling=iid", "columns=3", split}, "iid", 3},
                                  {{"method=positive", "sampling=iid", "columns=8", split}, "iid", 8},
                                  {{"method=positive, sobol", "sampling=own", "columns=3", split}, "sobol", 6}};
            for (const Case& one : cases) {
                const auto data = computed(sweep, one.cell);
                statistics::RunningMoments on_validation, on_test;
                for (std::uint64_t draw = 0; draw < 3; ++draw) {
                    const Projections w = omega(one.count, one.sampling, parts.features.child(draw));
                    const Points keys = positive(parts.training, gamma, w);
                    on_validation.add(accuracy(positive(parts.validation, gamma, w) * keys.transpose(),
                                               parts.training_classes, parts.validation_classes));
                    on_test.add(accuracy(positive(parts.test, gamma, w) * keys.transpose(), parts.training_classes,
                                         parts.test_classes));
                }
                INFO(one.cell[0] << " " << one.cell[2]);
                CHECK(value(data, "features") == static_cast<double>(one.count));
                CHECK(values(data, "validation_accuracy")[g] == Approx(on_validation.mean()));
                CHECK(values(data, "test_accuracy")[g] == Approx(on_test.mean()));
                CHECK(values(data, "test_deviation")[g] == Approx(on_test.standard_deviation()).margin(1e-12));
                CHECK(values(data, "undecided")[g] == 0);
            }
        }
    }
}

TEST_CASE("regression/accuracy: parameters are fitted to the training rows at their gamma", "[experiments]") {
    const small_set::Rows rows = small_set::clouds(n);
    const small_set::Project project(rows);
    const Study& study = find("regression", "accuracy");
    const Sweep sweep = study.prepare(parsed(
        study,
        "datasets: [small]\nmethods: [optimal-positive]\ngammas: [0.3, 2]\ncolumns: [3]\nrepeats: 3\nsplits: 1\n"));
    const auto data = computed(sweep, {"method=optimal-positive", "sampling=iid", "split=0"});
    const Parts parts(rows, 0);
    for (std::size_t g : {0, 1}) {
        const double gamma = g == 0 ? 0.3 : 2;
        const Points x = gamma * parts.training;
        const auto mechanism = features::fit(features::find("optimal-positive"), features::statistics(x, x));
        regression::FeatureRegression regression(regression::by_class(x, parts.training_classes),
                                                 {gamma * parts.validation, gamma * parts.test});
        statistics::RunningMoments on_validation, on_test;
        for (std::uint64_t draw = 0; draw < 3; ++draw) {
            const auto map =
                mechanism->map(features::draw(*mechanism, 2, 3, sampling::find("iid"), parts.features.child(draw)));
            const auto predictions = regression.predict(*map);
            on_validation.add(predictions[0].accuracy(parts.validation_classes));
            on_test.add(predictions[1].accuracy(parts.test_classes));
        }
        CHECK(values(data, "validation_accuracy")[g] == Approx(on_validation.mean()));
        CHECK(values(data, "test_accuracy")[g] == Approx(on_test.mean()));
    }
}

TEST_CASE("regression/ridge: draws that are not solved are a share of all draws", "[experiments]") {
    // The matrix of 64 features that are nearly one constant has rank one in double.
    const small_set::Project project(small_set::clouds(n));
    const Study& study = find("regression", "ridge");
    const Sweep sweep = study.prepare(
        parsed(study,
               "datasets: [small]\nnumeric: [small]\nmethods: [positive]\ngammas: [0.0001]\nlambdas: [1e-200, 1]\n"
               "columns: [64]\nrepeats: 3\nsplits: 1\n"));
    const auto unsolved = values(computed(sweep, {"method=positive", "sampling=iid"}), "unsolved");
    REQUIRE(unsolved.size() == 2);
    CHECK((unsolved[0] > 0 && unsolved[0] <= 1));
    CHECK(unsolved[1] == 0);
    // The report says how many of those that are shown are means of fewer draws.
    store::Dataset data =
        collected(study,
                  "datasets: [small]\nnumeric: [small]\nmethods: [positive]\ngammas: [1]\nlambdas: [1]\ncolumns: [64]\n"
                  "repeats: 4\nsplits: 1\n");
    const auto notes = [&] { return fmt::format("{}", fmt::join(study.report(data).tables.at(0).notes, "\n")); };
    CHECK(!tests::contains(notes(), "have no solution"));
    for (store::Variable& variable : data.variables)
        if (variable.name == "unsolved") std::fill(variable.values.begin(), variable.values.end(), 0.25);
    CHECK(tests::contains(notes(), "at the γ and λ that are chosen up to 25 % of them (positive on small)"));
}

TEST_CASE("regression: changing the test rows moves what is measured on them and nothing that is tuned",
          "[experiments]") {
    const small_set::Rows rows = small_set::clouds(n);
    const small_set::Rows other = with_other_rows(rows, 0, &regression::Split::test);
    const auto same = [&](const char* name, const std::string& yaml, const std::vector<std::string>& variables) {
        return of_first_split(rows, name, yaml, variables) == of_first_split(other, name, yaml, variables);
    };
    CHECK(same("accuracy", accuracy_yaml, {"validation_accuracy"}));
    CHECK(!same("accuracy", accuracy_yaml, {"test_accuracy"}));
    CHECK(same("ridge", ridge_yaml, {"validation_error", "validation_rmse", "lost", "unsolved"}));
    CHECK(!same("ridge", ridge_yaml, {"test_error"}));
    CHECK(!same("ridge", ridge_yaml, {"test_rmse"}));
    CHECK(same("svm", svm_yaml, {"validation_error", "support", "unreached", "rounds", "lost"}));
    CHECK(!same("svm", svm_yaml, {"test_error"}));
}

TEST_CASE("regression: features are fitted to the training rows alone, and to all of them", "[experiments]") {
    // Each is fitted to another statistic: a mean square, least coordinates, covariances.
    const std::string fitted =
        "datasets: [small]\nmethods: [optimal-positive, geometric-shifted, dense-centred, nystroem-features]\n"
        "gammas: [0.5]\ncolumns: [8]\nrepeats: 3\nsplits: 1\n";
    const small_set::Rows rows = small_set::clouds(n);
    struct Case {
        const char* study;
        std::string yaml, validation, test;
    };
    for (const Case& one :
         {Case{"accuracy", fitted, "validation_accuracy", "test_accuracy"},
          Case{"ridge", fitted + "numeric: [small]\nlambdas: [0.1]\n", "validation_rmse", "test_rmse"}}) {
        INFO(one.study);
        const auto of = [&](const small_set::Rows& where, const std::string& variable) {
            return of_first_split(where, one.study, one.yaml, {variable});
        };
        const small_set::Rows tested = with_other_rows(rows, 0, &regression::Split::test),
                              validated = with_other_rows(rows, 0, &regression::Split::validation),
                              trained = with_other_rows(rows, 0, &regression::Split::training);
        const auto validation = of(rows, one.validation), test = of(rows, one.test);
        CHECK(of(tested, one.validation) == validation);
        CHECK(of(tested, one.test) != test);
        CHECK(of(validated, one.test) == test);
        CHECK(of(validated, one.validation) != validation);
        CHECK(of(trained, one.validation) != validation);
        CHECK(of(trained, one.test) != test);
    }
}

TEST_CASE("regression/nadaraya-watson: predictions are quotients of sums over training rows", "[experiments]") {
    const small_set::Rows rows = small_set::clouds(n);
    const small_set::Project project(rows);
    const Study& study = find("regression", "nadaraya-watson");
    const Sweep sweep = study.prepare(parsed(study,
                                             "datasets: [small]\nmethods: [positive, trigonometric, exact]\n"
                                             "gammas: [0.7, 4]\ncolumns: [4]\nrepeats: 3\nsplits: 2\n"));
    const Parts parts(rows, 1);
    const auto numbers = [](const std::vector<int>& classes) {
        Vector all(static_cast<Index>(classes.size()));
        for (Index i = 0; i < all.size(); ++i)
            all[i] = small_set::class_numbers[static_cast<std::size_t>(classes[static_cast<std::size_t>(i)])];
        return all;
    };
    const Vector targets = numbers(parts.training_classes);
    // Rows without a positive denominator have no prediction, or get the mean.
    const auto check = [&](const store::Dataset& data, const std::vector<Points>& kernels,
                           const std::vector<int>& classes, bool test) {
        const Vector truth = numbers(classes);
        double squares = 0, filled = 0, answered = 0, all = 0;
        for (const Points& kernel : kernels)
            for (Index i = 0; i < truth.size(); ++i) {
                const double below = kernel.row(i).sum(), above = kernel.row(i).dot(targets);
                const double miss = std::pow((below > 0 ? above / below : targets.mean()) - truth[i], 2);
                filled += miss;
                if (below > 0) squares += miss;
                answered += below > 0;
                ++all;
            }
        CHECK(value(data, test ? "test_rmse" : "validation_rmse") == Approx(std::sqrt(filled / all)).epsilon(1e-9));
        if (!test) return;
        CHECK(value(data, "answered_rmse") == Approx(std::sqrt(squares / answered)).epsilon(1e-9));
        CHECK(value(data, "nonpositive") == Approx(1 - answered / all));
        CHECK(value(data, "mean_rmse") == Approx(std::sqrt((truth.array() - targets.mean()).square().mean())));
    };
    const auto exact = computed(sweep, std::vector<std::string>{"method=exact", "split=1", "gamma=0.7"});
    check(exact, {gaussian(parts.test, parts.training, 0.7)}, parts.test_classes, true);
    check(exact, {gaussian(parts.validation, parts.training, 0.7)}, parts.validation_classes, false);
    CHECK(value(exact, "nonpositive") == 0);
    const auto drawn = computed(sweep, std::vector<std::string>{"method=positive", "split=1", "gamma=0.7"});
    const auto kernels = [&](const Points& asked, bool cosines) {
        std::vector<Points> all;
        for (std::uint64_t draw = 0; draw < 3; ++draw) {
            // Two cosines are four columns.
            const Projections w = omega(cosines ? 2 : 4, "iid", parts.features.child(draw));
            if (!cosines) {
                all.push_back(positive(asked, 0.7, w) * positive(parts.training, 0.7, w).transpose());
                continue;
            }
            Points one = Points::Zero(asked.rows(), parts.training.rows());
            for (Index i = 0; i < one.rows(); ++i)
                for (Index j = 0; j < one.cols(); ++j)
                    one(i, j) = (4 * (asked.row(i) - parts.training.row(j)) * w).array().cos().sum() / 2;
            all.push_back(one);
        }
        return all;
    };
    check(drawn, kernels(parts.test, false), parts.test_classes, true);
    check(drawn, kernels(parts.validation, false), parts.validation_classes, false);
    CHECK(value(drawn, "nonpositive") == 0);
    CHECK(value(drawn, "features") == 4);
    const auto with_sign = computed(sweep, std::vector<std::string>{"method=trigonometric", "split=1", "gamma=4"});
    check(with_sign, kernels(parts.test, true), parts.test_classes, true);
    CHECK(value(with_sign, "nonpositive") > 0);
}

TEST_CASE("regression/ridge: every variable is what solved systems give", "[experiments]") {
    const small_set::Rows rows = small_set::clouds(n);
    const small_set::Project project(rows);
    const Study& study = find("regression", "ridge");
    const Sweep sweep = study.prepare(parsed(study, ridge_yaml));
    CHECK(sweep.cells().size() == 2 * 2 * (2 + 1));
    const Parts parts(rows, 1);
    const Targets targets(parts.training_classes);
    const auto exact = computed(sweep, {"method=exact", "sampling=own", "columns=4", "split=1"});
    const auto drawn = computed(sweep, {"method=positive", "columns=8", "split=1"});
    CHECK(std::isnan(value(exact, "features")));
    CHECK(value(drawn, "features") == 8);
    for (const auto* data : {&exact, &drawn}) {
        CHECK(value(*data, "training_rows") == 108);
        for (const char* none : {"lost", "lost_queries", "unsolved"})
            for (const double one : values(*data, none)) CHECK(one == 0);
    }
    for (std::size_t g : {0, 1})
        for (std::size_t l : {0, 1}) {
            const double gamma = g == 0 ? 0.3 : 1, lambda = l == 0 ? 0.01 : 1;
            INFO("gamma " << gamma << ", lambda " << lambda);
            const auto check = [&](const store::Dataset& data, const auto& predict) {
                statistics::RunningMoments of[4];
                const int draws = &data == &exact ? 1 : 3;
                for (int draw = 0; draw < draws; ++draw) {
                    const auto [on_validation, on_test] = predict(static_cast<std::uint64_t>(draw));
                    of[0].add(targets.error(on_validation, parts.validation_classes));
                    of[1].add(targets.error(on_test, parts.test_classes));
                    of[2].add(targets.rmse(on_validation, parts.validation_classes));
                    of[3].add(targets.rmse(on_test, parts.test_classes));
                }
                const char* const names[] = {"validation_error", "test_error", "validation_rmse", "test_rmse"};
                for (int i = 0; i < 4; ++i) {
                    INFO(names[i]);
                    // Condition numbers of 1e5 at most.
                    CHECK(values(data, names[i])[2 * g + l] == Approx(of[i].mean()).epsilon(1e-9).margin(1e-9));
                }
            };
            check(exact, [&](std::uint64_t) {
                Points system = gaussian(parts.training, parts.training, gamma);
                system.diagonal().array() += lambda;
                const Points weights = tests::solved(system, targets.centred);
                return std::pair<Points, Points>(gaussian(parts.validation, parts.training, gamma) * weights,
                                                 gaussian(parts.test, parts.training, gamma) * weights);
            });
            check(drawn, [&](std::uint64_t draw) {
                const Projections w = omega(8, "iid", parts.features.child(draw));
                const Points phi = positive(parts.training, gamma, w);
                // The same function of the kernel Phi Phi'.
                Points system = phi * phi.transpose();
                system.diagonal().array() += lambda;
                const Points weights = phi.transpose() * tests::solved(system, targets.centred);
                return std::pair<Points, Points>(positive(parts.validation, gamma, w) * weights,
                                                 positive(parts.test, gamma, w) * weights);
            });
        }
}
