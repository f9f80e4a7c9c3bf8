// Kernel regression of numbers as its report shows it.
#include <cmath>

#include "experiments/given_results.hpp"
#include "regression/nadaraya_watson_report.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::given_results;
using rfbench::tests::contains;

TEST_CASE("regression/nadaraya-watson: each split has the gamma of its own validation rows, and splits overlap",
          "[experiments]") {
    const std::vector<store::Axis> axes{words("dataset", {"d"}),     words("method", {"positive"}),
                                        words("sampling", {"iid"}),  numbers("columns", {16, 64}),
                                        numbers("split", {0, 1, 2}), numbers("gamma", {0.5, 1})};
    const double none = std::nan("");
    // At 16 columns the second split prefers the other gamma; by the mean over splits all would take 0.5. Of the third
    // one gamma was not measured.
    const std::vector<double> validation{1, 9, 5, 4, 1, none, none, none, none, none, none, none};
    const std::vector<double> test{2, 100, 200, 5, 2, 300, none, none, none, none, none, none};
    const store::Dataset data{axes,
                              {variable("validation_rmse", axes, validation), variable("test_rmse", axes, test),
                               variable("answered_rmse", axes, test), variable("nonpositive", axes, {0}),
                               variable("mean_rmse", axes, {7, 7, 7, 7, 7, 7, none, none, none, none, none, none})},
                              {{"config", "methods: [positive]\n"}}};
    const Report report = nadaraya_watson_report(data);
    const report::Table& shown = report.tables.at(0);
    REQUIRE(shown.rows.size() == 2);
    CHECK(std::get<double>(shown.rows[0].entries.at(4)) == 0.5);
    const auto error = std::get<report::Estimate>(shown.rows[0].entries.at(5));
    CHECK(error.value == Approx(3));
    // Student's t with 2 degrees of freedom, 4.303; standard deviation sqrt(3); 1 / 3 + 0.05 / 0.9.
    CHECK(error.error == Approx(4.302652730 * std::sqrt(3 * (1 / 3. + 0.05 / 0.9))));
    CHECK(std::get<double>(shown.rows[1].entries.at(5)) == 7);
    CHECK(contains(shown.notes.at(0), "corrected for overlapping training sets"));
    const report::Panel& panel = report.figures.at(0).panels.at(0);
    REQUIRE(panel.horizontal.size() == 2);
    CHECK(panel.horizontal[0].at == Approx(3));
    CHECK(panel.horizontal[1].at == 7);
}

TEST_CASE("regression/nadaraya-watson: of equally good gammas the least is taken, wherever it stands",
          "[experiments]") {
    const std::vector<store::Axis> axes{words("dataset", {"d"}),    words("method", {"positive"}),
                                        words("sampling", {"iid"}), numbers("columns", {16}),
                                        numbers("split", {0}),      numbers("gamma", {1, 0.5, 2})};
    const store::Dataset data{axes,
                              {variable("validation_rmse", axes, {4}), variable("test_rmse", axes, {1, 2, 3}),
                               variable("answered_rmse", axes, {1, 2, 3}), variable("nonpositive", axes, {0}),
                               variable("mean_rmse", axes, {7})},
                              {{"config", "methods: [positive]\n"}}};
    const report::Table shown = nadaraya_watson_report(data).tables.at(0);
    CHECK(std::get<double>(shown.rows.at(0).entries.at(4)) == 0.5);
    CHECK(std::get<double>(shown.rows.at(0).entries.at(5)) == 2);
}
