// The size of every interval that reports of studies show, on results of which it is known: Student's over repeats,
// Clopper and Pearson's of shares, the bound of a family of z-scores.
#include <fmt/format.h>

#include <cmath>

#include "catch.hpp"
#include "experiments/given_results.hpp"
#include "study/study.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::given_results;

namespace {

/// Half of Student's 95 % interval of the mean of 1, 2 and 3: deviation 1, two degrees of freedom.
const double half_of_three = 4.302653 / std::sqrt(3.0);

void check_estimate(const report::Entry& entry, double value, double error) {
    CHECK(std::get<report::Estimate>(entry).value == Approx(value).epsilon(1e-6));
    CHECK(std::get<report::Estimate>(entry).error == Approx(error).epsilon(1e-6));
}

/// P(X >= successes) of a binomial law.
double upper_tail(int successes, int trials, double p) {
    double sum = 0;
    for (int k = successes; k <= trials; ++k)
        sum += std::exp(std::lgamma(trials + 1) - std::lgamma(k + 1) - std::lgamma(trials - k + 1) + k * std::log(p) +
                        (trials - k) * std::log1p(-p));
    return sum;
}

}  // namespace

TEST_CASE("reports: means over repeats have Student's 95 % interval", "[experiments]") {
    const std::vector<store::Axis> of_heads{words("method", {"positive"}), words("head", {"d = 4"}),
                                            numbers("columns", {16}), numbers("repeat", {0, 1, 2})};
    store::Dataset data{of_heads, {variable("relative_output_error", of_heads, {1, 2, 3})}, {}};
    check_estimate(find("attention", "causal").report(data).tables[0].rows[0].entries[2], 2, half_of_three);

    data.variables.push_back(variable("relative_uniform_error", of_heads, {1}, {"columns"}));
    check_estimate(find("quasi", "attention").report(data).tables[0].rows[0].entries[1], 2, half_of_three);

    const std::vector<store::Axis> of_shares{words("method", {"positive"}), words("head", {"d = 4"}),
                                             words("sampling", {"iid"}), numbers("columns", {16}),
                                             numbers("repeat", {0, 1, 2})};
    data = {of_shares, {variable("nonpositive", of_shares, {0.1, 0.2, 0.3})}, {}};
    const Report shares = find("attention", "negative").report(data);
    check_estimate(shares.tables[0].rows[0].entries.back(), 0.2, half_of_three / 10);
    // log-odds ± half / (p (1 - p)), p = 0.2
    const double odds = std::exp(half_of_three / 10 / 0.16) / 4;
    const report::Series& share = shares.figures[0].panels[0].series[0];
    CHECK(share.high[0] == Approx(odds / (1 + odds)).epsilon(1e-6));
    CHECK(share.low[0] == Approx(1 / (1 + 16 * odds)).epsilon(1e-6));

    // After the last layer.
    const std::vector<store::Axis> of_depth{words("method", {"positive"}), words("sampling", {"iid"}),
                                            words("norm", {"before"}),     numbers("columns", {16}),
                                            numbers("layer", {1, 2}),      numbers("repeat", {0, 1, 2})};
    data = {of_depth, {variable("relative_error", of_depth, {7, 8, 9, 1, 2, 3})}, {}};
    check_estimate(find("attention", "depth").report(data).tables[0].rows[0].entries[2], 2, half_of_three);
}

TEST_CASE("variance/regimes: the interval is over repeats, the band the deviation over pairs and repeats",
          "[experiments]") {
    const std::vector<store::Axis> axes{words("regime", {"normal"}), numbers("gamma", {1}),
                                        words("method", {"positive"}), numbers("repeat", {0, 1, 2})};
    const store::Dataset data{
        axes,
        {variable("mean_log_variance", axes, {1, 2, 3}), variable("sd_log_variance", axes, {0.5, 0.7, 1.1}),
         variable("zero_variance_pairs", axes, {0}), variable("count", axes, {8}), variable("positive", axes, {1})},
        {}};
    const Report report = find("variance", "regimes").report(data);
    check_estimate(table(report, "regimes").rows[0].entries[3], 2, half_of_three);
    // The variance of all is the mean variance and the variance of the means.
    const double deviation = std::sqrt((0.25 + 0.49 + 1.21) / 3 + 2.0 / 3);
    const report::Series& series = report.figures[0].panels[0].series[0];
    CHECK(series.low[0] == Approx(2 - deviation));
    CHECK(series.high[0] == Approx(2 + deviation));
}

TEST_CASE("variance/orthogonal: bars are half widths, and coverage is counted with its interval", "[experiments]") {
    const std::vector<store::Axis> axes{
        words("method", {"regularized"}),  numbers("dimension", {2}), numbers("block", {1}),
        words("sampling", {"orthogonal"}), numbers("distance", {1}),  numbers("drawn_distance", {1, 2})};
    const std::vector<std::string> not_drawn{"drawn_distance"}, not_exact{"distance"};
    // 0.9 and 1.1 half widths from what is estimated.
    const store::Dataset data{
        axes,
        {variable("along_difference", axes, {0}, {"block", "sampling", "distance", "drawn_distance"}),
         variable("log_ratio", axes, {-0.5}, not_drawn), variable("drawn_ratio", axes, {0.89, 1.11}, not_exact),
         variable("drawn_ratio_half_width", axes, {0.1}, not_exact), variable("drawn_exact", axes, {0.8, 1}, not_exact),
         variable("theorem_3", axes, {NAN}, {"sampling", "drawn_distance"}),
         variable("theorem_6", axes, {NAN}, {"sampling", "drawn_distance"}),
         variable("theorem_18_printed", axes, {NAN}, {"sampling", "drawn_distance"})},
        {}};
    const Report report = find("variance", "orthogonal").report(data);
    const auto& points = report.figures[0].panels[0].series[1];
    CHECK(points.low[0] == Approx(0.79));
    CHECK(points.high[1] == Approx(1.21));
    const auto row = table(report, "orthogonal-coverage").rows[0].entries;
    CHECK(std::get<double>(row[2]) == 2);
    CHECK(std::get<double>(row[3]) == 1);
    CHECK(std::get<double>(row[4]) == 0.5);
    // The 99 % interval of one in two: 1 - (1 - p)^2 = 0.005 below, 1 - p^2 = 0.005 above.
    CHECK(std::get<double>(row[5]) == Approx(1 - std::sqrt(0.995)));
    CHECK(std::get<double>(row[6]) == Approx(std::sqrt(0.995)));
}

TEST_CASE("variance/monte-carlo: the bound is what one of all scores that are there exceeds in one run of a hundred",
          "[experiments]") {
    const std::vector<store::Axis> axes{words("method", {"positive"}), words("sampling", {"iid"}),
                                        numbers("dimension", {4}), words("pair", {"a", "b", "c"})};
    const store::Dataset data{axes,
                              {variable("mean", axes, {1, 1, 1}), variable("mean_z", axes, {0.1, 0.2, -0.3}),
                               variable("variance_z", axes, {1, NAN, NAN})},
                              {}};
    for (const report::Figure& figure : find("variance", "monte-carlo").report(data).figures) {
        const auto& lines = figure.panels[0].vertical;
        REQUIRE(lines.size() == 3);
        // P(|N(0, 1)| <= bound)^4 = 0.99.
        CHECK(std::pow(std::erf(lines[2].at / M_SQRT2), 4) == Approx(0.99).epsilon(1e-9));
        CHECK(lines[0].at == -lines[2].at);
        CHECK(figure.interval.find(fmt::format("±{:.2f}", lines[2].at)) != std::string::npos);
    }
}

TEST_CASE("concentration/tail: bars are Clopper and Pearson's, limits those of the whole family", "[experiments]") {
    const std::vector<store::Axis> axes{words("method", {"optimal-positive"}), words("sampling", {"iid"}),
                                        words("pair", {"near"}), numbers("draws", {1}), numbers("error", {0.5})};
    store::Dataset data{axes,
                        {variable("kernel", axes, {1}, {"error"}), variable("trials", axes, {60}, {"error"}),
                         variable("exceed", axes, {24}), variable("above", axes, {0})},
                        {}};
    for (const char* bound : {"hoeffding", "theorem_20", "theorem_20_sharper", "theorem_20_chernoff",
                              "theorem_8_printed", "theorem_8", "theorem_8_sharper", "chebyshev"})
        data.variables.push_back(variable(bound, axes, {NAN}));
    data.variables.push_back(variable("theorem_20_printed", axes, {0.1}));
    const Report report = find("concentration", "tail").report(data);
    const report::Series& series = report.figures[0].panels[0].series[0];
    CHECK(series.y[0] == 0.4);
    CHECK(upper_tail(24, 60, series.low[0]) == Approx(0.025).epsilon(1e-6));
    CHECK(1 - upper_tail(25, 60, series.high[0]) == Approx(0.025).epsilon(1e-6));
    // One comparison: its lower limit alone errs with 1 %.
    const auto row = table(report, "tail-violations").rows[0].entries;
    CHECK(upper_tail(24, 60, std::get<double>(row[9])) == Approx(0.01).epsilon(1e-6));
    CHECK(std::get<double>(row[10]) == 0.4);
}

TEST_CASE("dof/bound: the mean over the draws that were made has its interval, in the table and the figure",
          "[experiments]") {
    const std::vector<store::Axis> axes{numbers("t", {0.1, 2.5}), words("form", {"printed", "corrected"}),
                                        numbers("repeat", {0, 1, 2})};
    // Nothing was drawn with the corrected number at t = 0.1, which is too many.
    const store::Dataset data{axes,
                              {variable("degrees", axes, {5}), variable("features", axes, {100}),
                               variable("error", axes, {1, 2, 3, NAN, NAN, NAN, 1, 2, 3, 1, 2, 3})},
                              {}};
    const Report report = find("dof", "bound").report(data);
    for (const report::Row& row : table(report, "bound").rows) {
        if (std::get<double>(row.entries[0]) == 2.5) {
            check_estimate(row.entries[3], 2, half_of_three);
            CHECK(std::get<double>(row.entries[4]) == Approx(1 / 3.0));
        } else {
            CHECK(std::holds_alternative<report::Missing>(row.entries[3]) ==
                  (std::get<std::string>(row.entries[1]) == "corrected"));
        }
    }
    const report::Figure& figure = report.figures[0];
    CHECK(figure.interval == "Bands: 95 % Student intervals of the logarithm of the mean over draws");
    const report::Series& printed = figure.panels[0].series[1];
    CHECK(printed.high[1] == Approx(2 * std::exp(half_of_three / 2)).epsilon(1e-6));
    CHECK(printed.low[1] == Approx(2 / std::exp(half_of_three / 2)).epsilon(1e-6));
}
