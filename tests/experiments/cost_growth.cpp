// cost/growth: what is run at which sizes, and how slopes are judged.
#include <omp.h>

#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "given_results.hpp"
#include "rfbench/report/slice.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& study() { return find("cost", "growth"); }

std::string yaml(const std::string& lines) {
    return "lines: [" + lines +
           "]\ndoublings: 2\nrows: 32\nlength: 16\ncolumns: 8\ndimension: 4\nrepeats: 2\n"
           "min_seconds: 1e-6\n";
}

/// A result with these times [size][round] of one line, at sizes 100, 200, 400.
Report report_of(const std::string& label, double order, const std::vector<std::vector<double>>& seconds) {
    const auto lines = given_results::words("line", {label});
    const auto steps = given_results::numbers("step", {0, 1, 2});
    std::vector<double> rounds, times;
    for (std::size_t r = 0; r < seconds.front().size(); ++r) rounds.push_back(static_cast<double>(r));
    for (const auto& one : seconds) times.insert(times.end(), one.begin(), one.end());
    const auto repeats = given_results::numbers("repeat", rounds);
    return study().report({{lines, steps, repeats},
                           {{"size", {"line", "step"}, {100, 200, 400}, "", ""},
                            {"seconds", {"line", "step", "repeat"}, times, "s", ""},
                            {"order", {"line"}, {order}, "", ""}},
                           {{"factor", "1.5"}, {"order of linear", "L M d"}}});
}

/// The verdict on times a size to the power of `exponent`, with this scatter from round to round.
std::string verdict(double order, double exponent, double scatter) {
    std::vector<std::vector<double>> seconds;
    for (const double size : {100.0, 200.0, 400.0}) {
        seconds.emplace_back();
        for (const double sign : {-1.0, 0.0, 1.0, 0.5, -0.5})
            seconds.back().push_back(std::pow(size, exponent + sign * scatter));
    }
    const Report report = report_of("linear, columns", order, seconds);
    const report::Row row = given_results::table(report, "growth").rows.at(0);
    CHECK(std::get<report::Estimate>(row.entries.at(7)).value == Approx(exponent));
    // log 1.5 / log 4.
    CHECK(std::get<double>(row.entries.at(8)) == Approx(order + 0.29248).epsilon(1e-5));
    return std::get<std::string>(row.entries.at(9));
}

}  // namespace

TEST_CASE("cost/growth: each task is run at sizes that double, and nothing on threads that are not there",
          "[experiments]") {
    for (const std::string task : {"features", "draw", "exact", "linear", "linear-causal", "training", "regression",
                                   "kernel-regression", "engine"}) {
        const std::string grows = task == "engine" ? "cells" : "dimension";
        INFO(task);
        const Sweep sweep = prepared(study(), yaml("{task: " + task + ", grows: " + grows + ", from: 4}"));
        const store::Dataset cell = sweep.compute(sweep.point({0}));
        CHECK(cell.variable("size").values == std::vector<double>{4, 8, 16});
        CHECK(cell.variable("order").values == std::vector<double>{task == "training" || task == "draw" ? 2.0 : 1.0});
        for (const double time : cell.variable("seconds").values) CHECK(time > 0);
    }
    const Sweep sweep = prepared(study(), yaml("{task: linear, grows: threads, from: 1}"));
    const store::Dataset cell = sweep.compute(sweep.point({0}));
    for (const std::size_t step : {0u, 1u, 2u}) {
        const bool there = (1 << step) <= omp_get_num_procs();
        CHECK(std::isnan(cell.variable("size").values[step]) != there);
        CHECK(std::isnan(cell.variable("seconds").values[2 * step]) != there);
    }
    CHECK(cell.variable("order").values == std::vector<double>{-1});
}

TEST_CASE("cost/growth: sizes stand for all lines, or for one", "[experiments]") {
    const Sweep sweep = prepared(study(), yaml("{task: exact, grows: length, from: 8, dimension: 2}"));
    CHECK(sweep.attributes.at("order of exact") == "L^2 d");
    CHECK(sweep.compute(sweep.point({0})).variable("order").values == std::vector<double>{2});
    CHECK(contains(refused(study(), yaml("{task: exact, grows: columns, from: 8}")),
                   "'exact' has no stated order in 'columns': it has in dimension, length, threads"));
    CHECK(contains(refused(study(), yaml("{task: linear, grows: threads, from: 2}")), "threads grow from 1"));
    CHECK(
        contains(refused(study(), yaml("{task: exact, grows: length, from: 8}, {task: exact, grows: length, from: 4}")),
                 "'exact, length' is there twice"));
}

TEST_CASE("cost/growth: what grows above its order fails, what does not holds, the rest is undecided",
          "[experiments]") {
    CHECK(verdict(1, 1, 0.01) == "holds");
    CHECK(verdict(1, 1.2, 0.01) == "holds");  // within a factor of 1.5 from the smallest to the largest
    CHECK(verdict(1, 0.5, 0.01) == "holds");
    CHECK(verdict(1, 1.4, 0.01) == "fails");
    CHECK(verdict(1, 2, 0.1) == "fails");
    CHECK(verdict(2, 2, 0.01) == "holds");
    CHECK(verdict(1, 1.29, 0.1) == "undecided");
    CHECK(verdict(-1, -0.9, 0.01) == "holds");
}

TEST_CASE("cost/growth: the figure has times beside the stated order, a panel for what grows", "[experiments]") {
    const double nan = std::nan("");
    // The last round was not measured at the largest size.
    const Report report = report_of("linear, columns", 1, {{1, 3, 9}, {2, 4, 9}, {4, 6, nan}});
    const report::Panel& panel = report.figures.at(0).panels.at(0);
    CHECK(report.figures.at(0).panels.size() == 1);
    CHECK(panel.x.label == "M");
    CHECK(panel.series.at(0).y == std::vector<double>{3, 6, 12});
    CHECK(panel.series.at(1).y == std::vector<double>{3, 4, 5});
}
