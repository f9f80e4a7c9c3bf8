// cost/products: errors by what forms products, times where it is there, and what the report says of both.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "given_results.hpp"
#include "rfbench/products/arithmetic.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& study() { return find("cost", "products"); }

std::string yaml(const std::string& tasks) {
    return "tasks: [" + tasks +
           "]\nlength: 40\njudged: 40\ncolumns: 16\ndimension: 8\nrepeats: 2\nmin_seconds: 1e-6\nparts: [1, 2, 3]\n";
}

}  // namespace

TEST_CASE("cost/products: each task loses 8 bits less with each part, and what is emulated has no times",
          "[experiments]") {
    const bool there = products::has_matrix_units();
    for (const std::string task : {"features", "exact", "exact-causal", "linear", "linear-causal", "exact-gradients",
                                   "linear-gradients", "linear-causal-gradients"}) {
        INFO(task);
        const Sweep sweep = prepared(study(), yaml(task));
        CHECK(sweep.notes.empty() == there);
        const store::Dataset cell = sweep.compute(sweep.point({0}));
        const std::vector<double>& error = cell.variable("error").values;
        REQUIRE(error.size() == 4);
        // Float rounds to 2^-24, one part to 2^-8; sums of 40 terms and exponents make the rest.
        CHECK(error[0] > 0x1p-30);
        CHECK(error[0] < 0x1p-18);
        CHECK(error[1] > 0x1p-14);
        CHECK(error[2] < error[1] / 16);
        CHECK(error[3] < error[2] / 8);
        const std::vector<double>& seconds = cell.variable("seconds").values;
        CHECK(seconds[0] > 0);
        for (const std::size_t products : {1u, 2u, 3u}) CHECK(std::isnan(seconds[2 * products]) == !there);
        CHECK(cell.variable("emulated").values ==
              std::vector<double>{0, there ? 0.0 : 1, there ? 0.0 : 1, there ? 0.0 : 1});
        // Bits by matrix units are others: the file says so.
        CHECK(cell.attributes.contains("instruction_set") == there);
    }
}

TEST_CASE("cost/products: causal is causal, and gradients are gradients", "[experiments]") {
    const Sweep sweep = prepared(study(), yaml("linear, linear-causal, linear-gradients, linear-causal-gradients"));
    std::vector<double> errors;
    for (const std::size_t task : {0u, 1u, 2u, 3u})
        errors.push_back(sweep.compute(sweep.point({task})).variable("error").values[1]);
    std::sort(errors.begin(), errors.end());
    CHECK(std::adjacent_find(errors.begin(), errors.end()) == errors.end());
}

TEST_CASE("cost/products: only what is named is run", "[experiments]") {
    const Sweep sweep = prepared(study(), "tasks: [features]\nproducts: [vectors]\nlength: 8\njudged: 8\n");
    CHECK(sweep.notes.empty());
    CHECK(sweep.compute(sweep.point({0})).variable("error").values.size() == 1);
    CHECK(contains(refused(study(), "tasks: [softmax]\n"), "softmax"));
    CHECK(contains(refused(study(), "parts: [4]\n"), "4"));
}

TEST_CASE("cost/products: the table has times as fast, round by round, and dashes where there are none",
          "[experiments]") {
    const double nan = std::nan("");
    const auto report = [&](const std::vector<double>& of_units, double emulated) {
        return study().report(
            {{given_results::words("task", {"exact"}),
              given_results::words("products", {"vector registers", "matrix units, 2 parts"}),
              given_results::numbers("repeat", {0, 1})},
             {{"error", {"task", "products"}, {1e-7, 1e-5}, "", ""},
              {"seconds", {"task", "products", "repeat"}, {4e-3, 6e-3, of_units[0], of_units[1]}, "s", ""},
              {"emulated", {"task", "products"}, {0, emulated}, "", ""}},
             {}});
    };
    const report::Table timed = given_results::table(report({2e-3, 2e-3}, 0), "products");
    CHECK(std::get<double>(timed.rows.at(0).entries.at(3)) == Approx(5));
    CHECK(std::get<double>(timed.rows.at(1).entries.at(3)) == Approx(2));
    CHECK(std::get<report::Estimate>(timed.rows.at(1).entries.at(4)).value == Approx(2.5));
    CHECK(timed.notes.size() == 1);
    const Report untimed = report({nan, nan}, 1);
    const report::Table table = given_results::table(untimed, "products");
    CHECK(std::isnan(std::get<double>(table.rows.at(1).entries.at(3))));
    CHECK(std::holds_alternative<report::Missing>(table.rows.at(1).entries.at(4)));
    CHECK(std::get<double>(table.rows.at(1).entries.at(2)) == 1e-5);
    CHECK(table.notes.size() == 2);
    const report::Panel& errors = untimed.figures.at(0).panels.at(0);
    CHECK(errors.series.at(0).y == std::vector<double>{1e-7, 1e-5});
    CHECK(errors.x.ticks.at(1).text == "2 parts");
    // Without a time there is no panel of speeds.
    CHECK(untimed.figures.at(0).panels.size() == 1);
    CHECK(report({2e-3, 2e-3}, 0).figures.at(0).panels.at(1).series.at(0).y.at(1) == Approx(2.5));
}
