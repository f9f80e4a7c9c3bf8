// The study that docs/adding-a-study.md shows, from the page.
#include <cmath>

#include "catch.hpp"
#include "experiments/parsed.hpp"
#include "rfbench_page_study.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

TEST_CASE("the study of the page on studies computes exact variances, and draws a curve a method") {
    const Study study = lengths_study();
    const Sweep sweep = prepared(study, "lengths: [0.5, 2]");
    REQUIRE(sweep.cells().size() == 4);
    store::Dataset all{sweep.axes, {{"log_variance", {"method", "length"}, {}, "", ""}}, {}};
    for (const engine::Cell& cell : sweep.cells()) {
        const store::Dataset data = computed(sweep, cell);
        all.variables.front().values.push_back(data.variable("log_variance").values.front());
    }
    const std::vector<double>& values = all.variables.front().values;
    for (std::size_t i = 0; i < 2; ++i) {
        const double q = std::pow(i == 0 ? 0.5 : 2.0, 2);
        // exp(4 x.y) - K^2, K = 1; and that of the best A of all, of which A = 0 is the first.
        CHECK(values[i] == Approx(std::log(std::expm1(4 * q))).epsilon(1e-13));
        CHECK(values[2 + i] < values[i]);
    }
    const Report report = study.report(all);
    REQUIRE(report.figures.size() == 1);
    const auto& curves = report.figures.front().panels.front().series;
    REQUIRE(curves.size() == 2);
    CHECK(curves[0].label == "positive");
    CHECK(curves[0].y == std::vector<double>(values.begin(), values.begin() + 2));
    CHECK(curves[1].y == std::vector<double>(values.begin() + 2, values.end()));
}
