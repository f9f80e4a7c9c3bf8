// Ridge regressions as their report shows them, on errors that are given.
#include <algorithm>
#include <cmath>

#include "experiments/given_results.hpp"
#include "regression/fits.hpp"
#include "regression/ridge_report.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::given_results;
using rfbench::tests::contains;

namespace {

const double none = std::nan("");

/// Errors by data set, method, split, gamma and lambda, the last one fastest.
store::Dataset ridges(const std::vector<double>& validation, const std::vector<double>& test) {
    const std::vector<store::Axis> axes{words("dataset", {"a", "b"}), words("method", {"positive", "trigonometric"}),
                                        words("sampling", {"iid"}),   numbers("columns", {64}),
                                        numbers("split", {0, 1}),     numbers("gamma", {2, 1}),
                                        numbers("lambda", {3, 1})};
    return {axes,
            {variable("validation_error", axes, validation), variable("test_error", axes, test),
             variable("validation_rmse", axes, {none}), variable("test_rmse", axes, {none}),
             variable("unsolved", axes, {1}), variable("lost", axes, {0}, {"lambda"}),
             variable("training_rows", axes, {none, 90}, {"lambda"}), variable("features", axes, {64}, {"lambda"})},
            {{"study", "regression/ridge"}}};
}

}  // namespace

TEST_CASE("regression/ridge: results without any solution are reported, and say so", "[experiments]") {
    const Report report = ridge_report(ridges({none}, {none}));
    REQUIRE(!report.tables.empty());
    const report::Table& cost = report.tables.front();
    CHECK(cost.name == "ridge-cost");
    // A cell that is missing says no number of rows; another one does.
    CHECK(std::get<double>(cost.rows.at(0).entries.at(1)) == 90);
    CHECK(contains(cost.notes.back(), "No fit has a solution"));
}

TEST_CASE("regression/ridge: a data set is shown where any method is solved, not where the last one is",
          "[experiments]") {
    // Trigonometric features have no solution on the second data set.
    std::vector<double> errors(24, 0.5);
    errors.insert(errors.end(), 8, none);
    const report::Table shown = table(ridge_report(ridges(errors, errors)), "ridge");
    REQUIRE((shown.columns.size() == 4 && shown.rows.size() == 2));
    CHECK(std::holds_alternative<report::Estimate>(shown.rows[0].entries[3]));
    CHECK(std::holds_alternative<report::Missing>(shown.rows[1].entries[3]));
}

TEST_CASE("fits with a penalty: of equal choices the least gamma and then the least penalty are taken",
          "[experiments]") {
    // All are equal but lambda 1 of gamma 2, which is worse; gamma 1 with lambda 1 stands last.
    const store::Dataset data = ridges({0.2, 0.3, 0.2, 0.2}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8});
    const Choice of_errors{"validation_error", "test_error", "lambda"};
    const Shown positive{"positive", {{"sampling", "iid"}, {"columns", 64.0}}};
    CHECK(tuned(data, of_errors, "a", positive) == std::vector<double>{0.4, 0.8});
}
