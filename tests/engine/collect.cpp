#include "rfbench/engine/collect.hpp"

#include <cmath>

#include "catch.hpp"
#include "support/refusal.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

store::Dataset collected(const engine::Plan& plan, const std::function<store::Dataset(const engine::Cell&)>& read) {
    return engine::collect(plan, std::vector<bool>(plan.cells.size(), false),
                           [&](std::size_t cell) { return read(plan.cells[cell]); });
}

}  // namespace

TEST_CASE("every cell lands at its coordinates, and everything else is NaN") {
    const auto plan = sweep::plan();
    std::vector<bool> failed(plan.cells.size(), false);
    failed[7] = true;
    const auto whole =
        engine::collect(plan, failed, [&](std::size_t cell) { return sweep::compute(plan.cells[cell]); });

    REQUIRE(whole.axes.size() == 4);
    CHECK(whole.axes[0].name == "regime");
    CHECK(whole.axes[3].name == "mechanism");
    const auto& variance = whole.variable("log_variance");
    const auto& kernel = whole.variable("kernel");
    CHECK(variance.axes == std::vector<std::string>{"regime", "gamma", "repeat", "mechanism"});
    CHECK(kernel.axes == std::vector<std::string>{"regime", "gamma", "repeat"});
    REQUIRE(variance.values.size() == 2 * 4 * 5 * 3);
    REQUIRE(kernel.values.size() == 2 * 4 * 5);

    std::vector<bool> filled(40, false);
    for (std::size_t c = 0; c < plan.cells.size(); ++c) {
        const auto& at = plan.cells[c].coordinates;
        const std::size_t place = (at[0] * 4 + at[1]) * 5 + at[2];
        filled[place] = !failed[c];
        if (failed[c]) continue;
        const auto data = sweep::compute(plan.cells[c]);
        CHECK(kernel.values[place] == data.variable("kernel").values[0]);
        for (std::size_t m = 0; m < 3; ++m)
            CHECK(variance.values[place * 3 + m] == data.variable("log_variance").values[m]);
    }
    for (std::size_t place = 0; place < 40; ++place) {
        CHECK(std::isnan(kernel.values[place]) == !filled[place]);
        for (std::size_t m = 0; m < 3; ++m) CHECK(std::isnan(variance.values[place * 3 + m]) == !filled[place]);
    }
    CHECK(whole.attributes.at("failed_cells") == plan.cells[7].key);
    CHECK(whole.attributes.at("config") == plan.resolved);
    // These cells do not name the program that computed them, and the one that collects them has no commit.
    CHECK(!whole.attributes.contains("commit"));
}

TEST_CASE("a sweep without axes is one cell") {
    engine::Plan plan;
    plan.experiment = "a";
    plan.config = "b";
    plan.cells = {{"only", {}}};
    const auto whole = collected(plan, sweep::compute);
    CHECK(whole.axes.size() == 1);
    CHECK(whole.variable("kernel").values == sweep::compute(plan.cells[0]).variable("kernel").values);
    CHECK(whole.attributes.count("failed_cells") == 0);
}

TEST_CASE("when every cell failed the axes are still there") {
    const auto plan = sweep::plan();
    const auto whole = engine::collect(plan, std::vector<bool>(plan.cells.size(), true),
                                       [&](std::size_t cell) { return sweep::compute(plan.cells[cell]); });
    CHECK(whole.axes.size() == 3);
    CHECK(whole.variables.empty());
    CHECK(whole.attributes.at("commit") == "abc");
}

TEST_CASE("cells that do not fit together are named, both of them, with what differs") {
    const auto plan = sweep::plan();
    const auto refusal = [&](auto change) {
        return rfbench::tests::refusal<std::invalid_argument>([&] {
            collected(plan, [&](const engine::Cell& cell) {
                auto data = sweep::compute(cell);
                if (cell.key == plan.cells[5].key) change(data);
                return data;
            });
        });
    };
    const std::vector<std::pair<std::string, std::string>> cases = {
        {refusal([](auto& data) { data.variables.pop_back(); }), "2 and 1 variables"},
        {refusal([](auto& data) { data.variables[1].name = "other"; }), "\"kernel\" and \"other\""},
        {refusal([](auto& data) { data.variables[1].unit = "s"; }), "\"kernel\" has other axes, unit"},
        {refusal([](auto& data) {
             data.axes[0].labels = std::vector<std::string>{"a", "b", "c"};
         }),
         "\"mechanism\""},
        {refusal([](auto& data) { data.axes.push_back(numbers("more", {1})); }), "1 and 2 axes"},
    };
    for (const auto& [text, part] : cases) {
        INFO(text);
        CHECK(contains(text, plan.cells[0].key));
        CHECK(contains(text, plan.cells[5].key));
        CHECK(contains(text, part));
    }
    CHECK(contains(rfbench::tests::refusal<std::invalid_argument>([&] {
                       collected(plan, [&](const engine::Cell& cell) {
                           auto data = sweep::compute(cell);
                           data.axes[0].name = data.variables[0].axes[0] = "gamma";
                           return data;
                       });
                   }),
                   "\"gamma\""));
}

TEST_CASE("where parts of a sweep come from different builds the collected file says so") {
    const auto plan = sweep::plan();
    const auto whole = collected(plan, [&](const engine::Cell& cell) {
        auto data = sweep::compute(cell);
        data.attributes["commit"] = cell.coordinates[0] == 0 ? "old" : "new";
        data.attributes["compiler"] = "some";
        data.attributes["own"] = cell.key;
        data.attributes["shared"] = "same";
        if (cell.coordinates[0] == 0) data.attributes["some"] = "same";
        return data;
    });
    CHECK(whole.attributes.at("commit") == "new\nold");
    CHECK(whole.attributes.at("compiler") == "some");
    CHECK(whole.attributes.at("shared") == "same");
    CHECK(whole.attributes.count("own") == 0);
    CHECK(whole.attributes.count("some") == 0);
}
