// The concentration studies on small configurations: what must hold whatever was drawn, and a violation that was
// planted.
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "concentration/tail_report.hpp"
#include "concentration/uniform_report.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

const char* const tail_yaml =
    "methods: [trigonometric, regularized, {use: optimal-positive, A: -0.5}, poisson]\n"
    "samplings: [iid, orthogonal]\n"
    "pairs: [{label: near, dimension: 3, norms: [0.6, 0.4], angle: 70}]\n"
    "draws: [1, 3, 6]\n"
    "errors: [0.01, 0.3, 1, 3, 1000]\n"
    "repeats: 300\n";

/// A collected tail result with one mechanism, sampling, pair, number of draws and error.
store::Dataset one_point(double trials, double exceed, double promised) {
    store::Dataset data;
    data.axes = {{"method", std::vector<std::string>{"optimal-positive"}, "", ""},
                 {"sampling", std::vector<std::string>{"iid"}, "", ""},
                 {"pair", std::vector<std::string>{"near"}, "", ""},
                 {"draws", std::vector<double>{1}, "", ""},
                 {"error", std::vector<double>{0.5}, "", ""}};
    const std::vector<std::string> outer{"method", "sampling", "pair", "draws"};
    std::vector<std::string> all = outer;
    all.emplace_back("error");
    data.variables = {{"kernel", outer, {1.0}, "", ""},
                      {"trials", outer, {trials}, "", ""},
                      {"exceed", all, {exceed}, "", ""},
                      {"above", all, {0.0}, "", ""},
                      {"below", all, {0.0}, "", ""}};
    for (const TailBound& bound : tail_bounds())
        data.variables.push_back(
            {bound.variable, all, {std::string(bound.variable) == "theorem_20_printed" ? promised : NAN}, "", ""});
    return data;
}

std::size_t violations_reported(double trials, double exceed, double promised) {
    const Report report = tail_report(one_point(trials, exceed, promised));
    for (const report::Table& table : report.tables)
        if (table.name == "tail-violations") return table.rows.size();
    return 99;
}

}  // namespace

TEST_CASE("Tail counts fall with the error, and bounds are there where a theorem speaks", "[experiments]") {
    const Sweep sweep = prepared(find("concentration", "tail"), tail_yaml);
    // Poisson features have no orthogonal draws.
    CHECK(sweep.cells().size() == 7 * 3);
    for (const engine::Cell& cell : sweep.cells()) {
        INFO(cell.key);
        const store::Dataset data = computed(sweep, cell);
        check(data);
        CHECK(values(data, "exceed") == values(computed(sweep, cell), "exceed"));
        const std::size_t mechanism = cell.coordinates[0];
        const bool iid = cell.coordinates[1] == 0;
        CHECK(value(data, "trials") == 300);
        for (std::size_t e = 0; e < 5; ++e) {
            for (const char* event : {"exceed", "above", "below"}) {
                CHECK(values(data, event)[e] <= 300);
                if (e > 0) CHECK(values(data, event)[e] <= values(data, event)[e - 1]);
            }
            CHECK(std::isnan(values(data, "hoeffding")[e]) == !(mechanism == 0 && iid));
            // As printed M <= d = 3 for orthogonal draws, any M for independent ones.
            const bool covered = iid || cell.coordinates[3] < 2;
            CHECK(std::isnan(values(data, "theorem_8_printed")[e]) == !(mechanism == 1 && covered));
            CHECK(std::isnan(values(data, "theorem_8")[e]) == (mechanism != 1));
            // Trigonometric and Poisson estimates may be negative; none that is not falls by more than its mean.
            const bool never_negative = mechanism == 1 || mechanism == 2;
            CHECK(std::isnan(values(data, "lower_tail")[e]) == !(never_negative && e < 2));
            CHECK(std::isnan(values(data, "theorem_20")[e]) == !(mechanism == 2 && iid));
            CHECK(std::isnan(values(data, "theorem_20_chernoff")[e]) == (mechanism != 2));
        }
    }
}

TEST_CASE("concentration/tail: errors are in units of K where K is below double's range", "[experiments]") {
    // At x = -y positive features, and those with A, are K times what depends on omega alone: in units of K nothing
    // depends on the norms, at 20 of which K is e^-800.
    const auto opposite = [](const char* method, const char* norms) {
        return computed_at(prepared(find("concentration", "tail"),
                                    std::string("methods: [") + method +
                                        "]\nsamplings: [iid]\npairs: [{label: opposite, dimension: 3, norms: " + norms +
                                        ", angle: 180}]\ndraws: [3]\nerrors: [0.1, 0.5, 2]\nrepeats: 100\n"),
                           "draws=3");
    };
    for (const char* method : {"positive", "regularized", "{use: optimal-positive, A: -0.5}"}) {
        INFO(method);
        const store::Dataset near = opposite(method, "[0.5, 0.5]"), far = opposite(method, "[20, 20]");
        for (const char* variable : {"exceed", "above", "below"})
            CHECK(values(far, variable) == values(near, variable));
        for (const char* variable : {"chebyshev", "theorem_20_sharper", "theorem_20_chernoff", "theorem_8",
                                     "multiplicative", "lower_tail", "lower_tail_sharper"})
            for (std::size_t e = 0; e < 3; ++e) {
                const double there = values(far, variable)[e], here = values(near, variable)[e];
                INFO(variable << " " << there << " " << here);
                // Logs of 800 in double: relative errors of some 800 2^-52.
                CHECK((std::isnan(here) ? std::isnan(there) : there == Approx(here).epsilon(1e-11).margin(1e-15)));
            }
    }
    // Exact features are never off, and unlike those, bounded ones are.
    CHECK(values(opposite("positive", "[20, 20]"), "exceed") == std::vector<double>{0, 0, 0});
    CHECK(values(opposite("{use: optimal-positive, A: -0.5}", "[20, 20]"), "exceed")[0] > 50);
    CHECK(values(opposite("trigonometric", "[20, 20]"), "exceed") == std::vector<double>{100, 100, 100});
}

TEST_CASE("A tail configuration that makes no sense is refused", "[experiments]") {
    const std::string yaml = tail_yaml;
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = yaml;
        changed.replace(changed.find(from), from.size(), to);
        return changed;
    };
    CHECK_THROWS_AS(prepared(find("concentration", "tail"), with("[0.6, 0.4]", "[0.6, 0.4, 1]")), config::Error);
    CHECK_THROWS_AS(prepared(find("concentration", "tail"), with("angle: 70", "angle: 270")), config::Error);
    CHECK_THROWS_AS(prepared(find("concentration", "tail"), with("poisson", "{use: poisson, columns: 4}")),
                    config::Error);
    CHECK_THROWS_AS(prepared(find("concentration", "tail"),
                             with("angle: 70}", "angle: 70}, {label: near, dimension: 2, norms: [1, 1], angle: 0}")),
                    config::Error);
}

TEST_CASE("A violation is reported when the lower limit is above the bound, and only then", "[experiments]") {
    CHECK(violations_reported(1000, 400, 0.3) == 1);
    CHECK(violations_reported(1000, 400, 0.5) == 0);
    // Above the bound, but within the error of the family: 400 +- 16.
    CHECK(violations_reported(1000, 400, 0.38) == 0);
    CHECK(violations_reported(1000, 1, 0) == 1);
    CHECK(violations_reported(1000, 0, 0) == 0);
}

TEST_CASE("Entries are rows of the ball: errors grow with the length and are largest over the ball", "[experiments]") {
    const Sweep sweep = prepared(find("concentration", "uniform"),
                                 "methods: [trigonometric, optimal-positive, hybrid]\n"
                                 "samplings: [iid]\n"
                                 "dimensions: [2, 5]\n"
                                 "radii: [0.8]\n"
                                 "lengths: [40, 10, 20]\n"
                                 "draws: [64, 8]\n"
                                 "errors: [1]\n"
                                 "estimates: 3\n"
                                 "repeats: 2\n");
    CHECK(sweep.cells().size() == 6 * 2);
    for (const engine::Cell& cell : sweep.cells()) {
        INFO(cell.key);
        const store::Dataset data = computed(sweep, cell);
        check(data);
        CHECK(values(data, "matrix_error") == values(computed(sweep, cell), "matrix_error"));
        const bool searched = cell.coordinates[0] < 2;
        for (std::size_t k = 0; k < 2; ++k) {
            const auto entry = [&](std::size_t l) { return values(data, "matrix_error")[k * 3 + l]; };
            CHECK(entry(0) > 0);
            CHECK(entry(0) <= entry(1));
            CHECK(entry(1) <= entry(2));
            const double ball = values(data, "ball_error")[k];
            CHECK(std::isnan(ball) == !searched);
            if (searched) CHECK(ball >= entry(2));
        }
        CHECK(std::isnan(values(data, "theorem_2_features")[0]) == (cell.coordinates[0] != 0));
    }
}

namespace {

/// A collected result of uniform: in group g draws grow as R^(2 + 0.1 g) for entries and a power of R more for the
/// ball, orders as R^4 and R^5. Theorem 2 asks for a hundred times the draws of group 1. Only R up to `reached` bring
/// errors below eps.
store::Dataset power_laws(double reached) {
    store::Dataset data;
    const std::vector<double> radii{0.5, 1, 2, 4}, groups{-1, 0, 1};
    data.axes = {{"method", std::vector<std::string>{"trigonometric"}, "", ""},
                 {"sampling", std::vector<std::string>{"iid"}, "", ""},
                 {"dimension", std::vector<double>{16}, "", ""},
                 {"radius", radii, "", "length of the rows"},
                 {"draws", std::vector<double>{8, 512}, "", ""},
                 {"length", std::vector<double>{32}, "", ""},
                 {"repeat", groups, "", ""},
                 {"error", std::vector<double>{0.5}, "", ""}};
    const std::vector<std::string> cell{"method", "sampling", "dimension", "radius"};
    const auto over = [&](std::vector<std::string> axes) {
        axes.insert(axes.begin(), cell.begin(), cell.end());
        return axes;
    };
    data.variables = {{"matrix_features", over({"error", "length", "repeat"}), {}, "", ""},
                      {"ball_features", over({"error", "repeat"}), {}, "", ""},
                      {"printed_order", over({"error", "repeat"}), {}, "", ""},
                      {"corrected_order", over({"error", "repeat"}), {}, "", ""},
                      {"theorem_2_features", over({"error", "repeat"}), {}, "", ""},
                      {"matrix_error", over({"length"}), std::vector<double>(radii.size(), 1), "", ""},
                      {"ball_error", cell, std::vector<double>(radii.size(), 1), "", ""}};
    for (const double radius : radii) {
        for (const double group : groups) {
            const double draws = radius <= reached ? 10 * std::pow(radius, 2 + 0.1 * group) : NAN;
            data.variables[0].values.push_back(draws);
            data.variables[1].values.push_back(draws * radius);
            data.variables[2].values.push_back(std::pow(radius, 4));
            data.variables[3].values.push_back(std::pow(radius, 5));
            data.variables[4].values.push_back(1000 * std::pow(radius, 3));
        }
    }
    return data;
}

}  // namespace

TEST_CASE("concentration/uniform: exponents of power laws are theirs, with Student's interval", "[experiments]") {
    const Report report = uniform_report(power_laws(4));
    REQUIRE(report.tables.size() == 2);
    REQUIRE(report.tables[0].rows.size() == 2);
    for (std::size_t ball = 0; ball < 2; ++ball) {
        const auto& entries = report.tables[0].rows[ball].entries;
        CHECK(std::get<std::string>(entries[0]) == "R");
        CHECK(std::get<std::string>(entries[3]) == (ball ? "ball" : "entries"));
        CHECK(std::get<double>(entries[5]) == 0.5);
        CHECK(std::get<double>(entries[6]) == 4);
        const auto exponent = std::get<report::Estimate>(entries[7]);
        CHECK(exponent.value == Approx(ball ? 3 : 2).epsilon(1e-9));
        // Slopes 0.1 apart in three groups; 4.303 is Student's quantile of 0.975 with two degrees of freedom.
        CHECK(exponent.error == Approx(4.30265 * 0.1 / std::sqrt(3.0)).epsilon(1e-5));
        CHECK(std::get<double>(entries[8]) == Approx(4).epsilon(1e-9));
        CHECK(std::get<double>(entries[9]) == Approx(5).epsilon(1e-9));
    }
    // Beside what the ball took, by its geometric mean over groups.
    REQUIRE(report.tables[1].rows.size() == 4);
    for (const report::Row& row : report.tables[1].rows) {
        const double radius = std::get<double>(row.entries[1]);
        CHECK(std::get<double>(row.entries[4]) == Approx(10 * std::pow(radius, 3)).epsilon(1e-9));
        CHECK(std::get<double>(row.entries[5]) == Approx(100).epsilon(1e-9));
    }
}

TEST_CASE("concentration/uniform: an exponent that cannot be fitted has a reason", "[experiments]") {
    const auto table = uniform_report(power_laws(1)).tables[0];
    CHECK(table.rows.empty());
    CHECK(table.notes.back() ==
          "No exponent against R where fewer than 3 of its 4 values have, in every group of draws, an M between 8 and "
          "512 at which errors fall below eps: trigonometric, iid, entries, d = 16; trigonometric, iid, ball, d = 16.");
}
