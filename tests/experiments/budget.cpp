// training/budget: the choice of a network by brute force, cells on a small text, and a report of known results.
#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"
#include "support/temporary_folder.hpp"
#include "training/network_budget.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using rfbench::tests::contains;

namespace {

const Study& budget_study_there() { return find("training", "budget"); }

std::string numbered_lines() {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "line " + std::to_string(i * i) + " of two hundred\n";
    return text;
}

std::string budget_yaml(const std::string& file, const std::string& more = "") {
    return "text: " + file +
           "\nmethods: [exact, {use: positive, label: FAVOR+}]\nlength: 16\nlayers: [2, 1]\nwidths: [8, 16]\n"
           "head_width: 4\ncolumns: 4\npieces: 2\nrepeats: 2\nevaluations: 2\nwarmup_steps: 2\nseeds: 2\nthreads: 1\n"
           "validation_share: 0.1\ntest_share: 0.1\n" +
           more;
}

/// A number of thousandths below one, of which many are equal.
double some(Stream& stream) { return static_cast<double>(stream.below(12) + 1) / 1000; }

}  // namespace

TEST_CASE("training/budget: the largest network within a budget, as by brute force", "[experiments]") {
    Stream stream(5);
    int none = 0, ties = 0;
    for (int trial = 0; trial < 400; ++trial) {
        std::vector<SizedNetwork> networks(1 + stream.below(9));
        for (SizedNetwork& one : networks) one = {std::round(some(stream) * 400), some(stream), 1e6 * some(stream)};
        const NetworkBudget budget{some(stream) * 40, 1e6 * some(stream), 1 + static_cast<int>(stream.below(60))};
        const auto chosen = largest_within(networks, budget);
        const auto fits = [&](const SizedNetwork& one) {
            // As a training does it: step after step, until the time is over.
            int steps = 0;
            while (steps < budget.min_steps && (steps + 1) <= std::floor(budget.seconds / one.step_seconds)) ++steps;
            return steps == budget.min_steps && one.bytes <= budget.bytes;
        };
        if (!chosen) {
            ++none;
            CHECK(std::none_of(networks.begin(), networks.end(), fits));
            continue;
        }
        const SizedNetwork& own = networks[*chosen];
        CHECK(fits(own));
        CHECK(beyond(own, budget) == Beyond::none);
        for (std::size_t i = 0; i < networks.size(); ++i) {
            const SizedNetwork& other = networks[i];
            CHECK(fits(other) == (beyond(other, budget) == Beyond::none));
            if (!fits(other)) continue;
            CHECK(other.parameters <= own.parameters);
            if (other.parameters < own.parameters || i == *chosen) continue;
            ++ties;
            CHECK(other.step_seconds >= own.step_seconds);
            if (other.step_seconds == own.step_seconds) CHECK(i > *chosen);
        }
    }
    // All kinds of cases were met.
    CHECK(none > 20);
    CHECK(ties > 20);
}

TEST_CASE("training/budget: limits belong to a budget, and reasons are told apart", "[experiments]") {
    const NetworkBudget budget{10, 1000, 20};
    CHECK(beyond({1, 0.5, 1000}, budget) == Beyond::none);
    CHECK(beyond({1, 0.501, 1000}, budget) == Beyond::time);
    CHECK(beyond({1, 0.5, 1001}, budget) == Beyond::memory);
    CHECK(beyond({1, 0.501, 1001}, budget) == Beyond::both);
    CHECK(steps_within({1, 0.3, 1}, 1) == 3);
    CHECK(steps_within({1, 1e-12, 1}, 100) == 1'000'000);
    CHECK_FALSE(largest_within({}, budget).has_value());
}

TEST_CASE("training/budget: a cell trains the largest network that fits, for as many steps as its time has",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", numbered_lines());
    const Sweep sweep =
        prepared(budget_study_there(), budget_yaml(file, "seconds: [0.05, 0.02]\nbytes: [1e9, 100]\nmin_steps: 1\n"));
    CHECK(sweep.alone);
    // Each time with the most memory, each memory with the most time: three of four, by two methods and seeds.
    CHECK(sweep.cells().size() == 3 * 2 * 2);
    for (const char* method : {"method=exact", "method=FAVOR+"}) {
        INFO(method);
        const auto data = computed(sweep, {method, "seconds=0.05", "bytes=1000000000", "seed=0"});
        CHECK(data.attributes.contains("measured"));
        // The largest of the grid is its second: two layers of width 16.
        CHECK(value(data, "chosen_layers") == 2);
        CHECK(value(data, "chosen_width") == 16);
        CHECK(value(data, "steps") == std::min(1e6, std::floor(0.05 / values(data, "step_seconds")[1])));
        CHECK(values(data, "parameters")[1] ==
              *std::max_element(values(data, "parameters").begin(), values(data, "parameters").end()));
        // 12 w^2 in each layer, tables of 256 bytes and 16 places; the rest are biases and scales.
        CHECK(values(data, "parameters")[1] > 2 * 12 * 16 * 16 + 272 * 16);
        CHECK(values(data, "parameters")[1] < 2 * 13 * 16 * 16 + 272 * 16 + 1000);
        // Weights, two means of Adam and a gradient are the least that a training holds.
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(values(data, "peak_bytes")[i] > 4 * sizeof(float) * values(data, "parameters")[i]);
        CHECK(values(data, "beyond") == std::vector<double>(4, 0));
        CHECK(values(data, "validation_bits").size() == 2);
        CHECK(std::isfinite(value(data, "bits_per_character")));
        CHECK(std::isnan(value(data, "diverged_at")));
        CHECK(value(data, "trained_seconds") > 0);

        // Nothing fits into a hundred bytes, and that is seen.
        const auto small = computed(sweep, {method, "seconds=0.05", "bytes=100", "seed=0"});
        CHECK(std::isnan(value(small, "bits_per_character")));
        CHECK(std::isnan(value(small, "steps")));
        CHECK(values(small, "beyond") == std::vector<double>(4, static_cast<double>(Beyond::memory)));
        // The grid is measured once for all cells.
        CHECK(values(small, "step_seconds") == values(data, "step_seconds"));
    }
}

TEST_CASE("training/budget: an interrupted cell goes on with the networks as they were measured", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string yaml =
        budget_yaml(folder.write("lines.txt", numbered_lines()), "seconds: 0.02\nbytes: 1e9\nmin_steps: 1\n");
    // A run of its own, which measures networks anew. The cell stops at this offer of a checkpoint, at offer 0 never.
    const auto computed_until = [&](int last_offer, const char* file) {
        const Sweep sweep = prepared(budget_study_there(), yaml);
        const auto cells = sweep.cells();
        int offers = 0;
        engine::Checkpoint checkpoint(folder / file, 1e9, [&] { return ++offers == last_offer; });
        return sweep.compute(sweep.point(cells.front().coordinates, &checkpoint));
    };
    CHECK_THROWS_AS(computed_until(1, "once"), engine::StopRequested);
    std::filesystem::copy_file(folder / "once", folder / "twice");
    // The time of a step decides how many there are: a later run, with times of its own, must not.
    const store::Dataset kept = *engine::Checkpoint(folder / "once", 1e9, [] { return false; }).last();
    const std::vector<double> networks = kept.variable("networks").values;
    REQUIRE(networks.size() == 4 * 3);
    const store::Dataset whole = computed_until(0, "once");
    CHECK_THROWS_AS(computed_until(3, "twice"), engine::StopRequested);
    const store::Dataset pieces = computed_until(0, "twice");
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(values(pieces, "parameters")[i] == networks[3 * i]);
        CHECK(values(pieces, "step_seconds")[i] == networks[3 * i + 1]);
        CHECK(values(pieces, "peak_bytes")[i] == networks[3 * i + 2]);
    }
    for (const char* variable : {"steps", "chosen_layers", "chosen_width", "validation_bits", "bits_per_character"})
        CHECK(values(pieces, variable) == values(whole, variable));
}

TEST_CASE("training/budget: what cannot be trained is refused at its place", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", numbered_lines());
    const auto said = [&](const std::string& more, const std::string& from = "", const std::string& to = "") {
        std::string yaml = budget_yaml(file, more);
        if (!from.empty()) yaml.replace(yaml.find(from), from.size(), to);
        return refused(budget_study_there(), yaml);
    };
    const std::string budgets = "seconds: 1\nbytes: 1e9\n";
    CHECK(
        contains(said(budgets, "widths: [8, 16]", "widths: [8, 15]"), "widths: 15 is not a multiple of head_width, 4"));
    CHECK(contains(said(budgets, "exact,", "linformer,"), "linformer"));
    CHECK(contains(said("bytes: 1e9\n"), "seconds"));
    CHECK(contains(said("seconds: 0\nbytes: 1e9\n"), "seconds: "));
    CHECK(contains(said("seconds: 1\nbytes: -5\n"), "bytes: "));
    CHECK(contains(said(budgets, "length: 16", "length: 4000"),
                   "and must have more than a sequence, 4000: take a longer text"));
}

TEST_CASE("training/budget: the report has what was chosen, and what limits it", "[experiments]") {
    const double nan = std::nan("");
    store::Dataset data{{{"method", std::vector<std::string>{"a", "b"}, "", ""},
                         {"seconds", std::vector<double>{20, 10}, "s", ""},
                         {"bytes", std::vector<double>{1048576, 2097152}, "B", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"layers", std::vector<double>{1, 2}, "", ""},
                         {"width", std::vector<double>{8}, "", ""},
                         {"share", std::vector<double>{1}, "", ""},
                         {"order", std::vector<double>{0, 1, 2}, "", ""}},
                        {},
                        {{"softmax", "a"}, {"threads", "2"}}};
    const std::vector<std::string> cell{"method", "seconds", "bytes", "seed"};
    std::vector<std::string> grid = cell;
    grid.insert(grid.end(), {"layers", "width"});
    // Each method: 20 s with one MiB, with two; 10 s with one (not trained), with two.
    const std::vector<double> layers{1, 1, 2, 2, nan, nan, 1, 1, nan, nan, 2, 2, nan, nan, 2, 2};
    std::vector<std::string> orders = cell;
    orders.emplace_back("order");
    std::vector<double> widths, parameters, seconds, bytes, beyond, bits, steps, counts;
    for (std::size_t i = 0; i < 16; ++i) {
        const bool trained = i % 8 != 4 && i % 8 != 5, any = !std::isnan(layers[i]);
        widths.push_back(any ? 8 : nan);
        for (const double count : {4.5, 3.5, 2.5}) counts.push_back(count);
        steps.push_back(any ? 100 * layers[i] : nan);
        // Seeds differ by an eighth around the layers' own.
        bits.push_back(any ? 3 - layers[i] * 0.5 + (i % 2 == 0 ? 0.0625 : -0.0625) : nan);
        for (const double count : {1.0, 2.0}) {
            parameters.push_back(trained ? 1000 * count : nan);
            seconds.push_back(trained ? 0.001 * count : nan);
            bytes.push_back(trained ? 1048576 * count : nan);
            beyond.push_back(!trained                        ? nan
                             : i < 2 && count == 2           ? 2
                             : i >= 6 && i < 8 && count == 2 ? 1
                             : i == 8 || i == 9              ? (count == 1 ? 3 : 2)
                                                             : 0);
        }
    }
    data.variables = {{"bits_per_character", cell, bits, "", ""},
                      {"steps", cell, steps, "", ""},
                      {"chosen_layers", cell, layers, "", ""},
                      {"chosen_width", cell, widths, "", ""},
                      {"trained_seconds", cell, steps, "", ""},
                      {"diverged_at", cell, std::vector<double>(16, nan), "", ""},
                      {"counts_bits", orders, counts, "", ""},
                      {"parameters", grid, parameters, "", ""},
                      {"step_seconds", grid, seconds, "", ""},
                      {"peak_bytes", grid, bytes, "", ""},
                      {"beyond", grid, beyond, "", ""}};
    std::vector<std::string> curve = cell;
    curve.emplace_back("share");
    data.variables.push_back({"validation_bits", curve, bits, "", ""});
    const Report report = budget_study_there().report(data);
    REQUIRE(report.tables.size() == 2);
    const auto& rows = report.tables[0].rows;
    // Shorter times first, with the most memory; then less memory; counts at the end.
    REQUIRE(rows.size() == 9);
    const auto word = [&](std::size_t row, std::size_t column) {
        return std::get<std::string>(rows[row].entries[column]);
    };
    const auto number = [&](std::size_t row, std::size_t column) {
        return std::get<double>(rows[row].entries[column]);
    };
    CHECK(number(0, 1) == 10);
    CHECK(word(0, 3) == "1 x 8");
    CHECK(number(0, 4) == 1000);
    CHECK(number(0, 5) == 1);
    CHECK(number(0, 6) == 1);
    CHECK(number(0, 7) == 100);
    CHECK(std::get<report::Estimate>(rows[0].entries[9]).value == 2.5);
    CHECK(word(0, 10) == "time");
    CHECK(number(1, 1) == 20);
    CHECK(number(1, 2) == 2);
    CHECK(word(1, 3) == "2 x 8");
    CHECK(word(1, 10) == "the grid");
    CHECK(number(2, 2) == 1);
    CHECK(word(2, 3) == "1 x 8");
    CHECK(word(2, 10) == "memory");
    CHECK(word(5, 3) == "none fits");
    CHECK(word(5, 10) == "time and memory");
    CHECK(number(6, 9) == 4.5);
    CHECK(number(8, 9) == 2.5);
    CHECK(contains(report.tables[0].notes[0], " in 20 s and 2 MiB, where it has the fewest bits on validation text."));
    CHECK(contains(report.tables[0].notes[0], "Softmax attention is 0.50 ± 0.79 bits per character better"));
    CHECK(contains(report.tables[0].notes[0], "cannot judge attention"));
    CHECK(report.tables[0].notes[1] == "Trainings took 5.00 to 20.00 times their budgets of time.");
    // Time that was taken on the left, memory on the right, at the most of the other.
    REQUIRE(report.figures.at(0).panels.size() == 2);
    const auto& left = report.figures[0].panels[0].series[0];
    CHECK(left.x == std::vector<double>{100, 200});
    CHECK(left.y == std::vector<double>{2.5, 2});
    const auto& right = report.figures[0].panels[1].series[0];
    CHECK(right.x == std::vector<double>{1, 2});
    CHECK(right.y == std::vector<double>{2.5, 2});
    CHECK(report.figures[0].panels[1].horizontal.at(2).at == 2.5);
    // The largest network need not be the best one: 20 s and one MiB are better now.
    data.variables[0].values[0] = 1.5625;
    data.variables[0].values[1] = 1.4375;
    // Validation text chooses, not the text that is judged.
    CHECK(contains(budget_study_there().report(data).tables[0].notes[0], " in 20 s and 2 MiB, "));
    data.variables.back().values[0] = 1.5625;
    data.variables.back().values[1] = 1.4375;
    const std::string better = budget_study_there().report(data).tables[0].notes[0];
    CHECK(contains(better, "Softmax attention is 1.00 ± 0.79 bits per character better than trigrams (2.5); the "));
    CHECK(contains(better, " in 20 s and 1 MiB, where it has the fewest bits on validation text."));
    data.attributes.erase("softmax");
    CHECK(budget_study_there().report(data).tables[0].notes[0] ==
          "Softmax attention is not among the methods, so that nothing says whether attention matters here.");
    // A place whose cells are missing has neither a network nor a limit, unlike one that no network fits.
    const auto lose = [&](const char* name, std::ptrdiff_t first, std::size_t count) {
        for (store::Variable& variable : data.variables)
            if (variable.name == name) std::fill_n(variable.values.begin() + first, count, nan);
    };
    lose("parameters", 16, 4);
    const Report partial = budget_study_there().report(data);
    for (const std::size_t column : {std::size_t{3}, std::size_t{10}})
        CHECK(std::holds_alternative<report::Missing>(partial.tables[0].rows[5].entries[column]));
    // No budget holds a network with softmax attention; then none of its cells is there.
    data.attributes["softmax"] = "a";
    for (const char* name : {"chosen_layers", "bits_per_character", "validation_bits", "trained_seconds"})
        lose(name, 0, 8);
    CHECK(contains(budget_study_there().report(data).tables[0].notes[0], "No network with softmax attention fits"));
    lose("parameters", 0, 16);
    CHECK(budget_study_there().report(data).tables[0].notes[0] == "Softmax attention is not trained yet.");
}
