#include "rfbench/store/dataset.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "datasets.hpp"
#include "support/refusal.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

TEST_CASE("a size is the number of labels of either kind", "[dataset]") {
    CHECK(Axis{"a", std::vector<double>{1, 2, 3}, "", ""}.size() == 3);
    CHECK(Axis{"a", std::vector<std::string>{"x"}, "", ""}.size() == 1);
    CHECK(Axis{"a", std::vector<double>{}, "", ""}.size() == 0);
}

TEST_CASE("axes and variables are found by name, and an unknown name is answered with those there are", "[dataset]") {
    const Dataset data = small_dataset(1);
    CHECK(&data.axis("mechanism") == &data.axes[1]);
    CHECK(&data.variable("mean") == &data.variables[1]);

    const auto axis = refusal<std::out_of_range>([&] { data.axis("gama"); });
    CHECK(contains(axis, "'gama'"));
    CHECK(contains(axis, "gamma, mechanism"));
    CHECK(contains(axis, "Did you mean 'gamma'?"));
    CHECK(contains(refusal<std::out_of_range>([&] { data.variable("log-variance"); }), "log_variance, mean"));
    CHECK(contains(refusal<std::out_of_range>([] { Dataset().axis("x"); }), "there are none"));
}

TEST_CASE("check accepts every shape, among them empty and axis-free ones", "[dataset]") {
    CHECK_NOTHROW(check(varied_dataset()));
    CHECK_NOTHROW(check(Dataset()));
}

TEST_CASE("check refuses what is no dataset, and says why", "[dataset]") {
    Dataset data = small_dataset(1);
    const auto said = [&] { return refusal<std::invalid_argument>([&] { check(data); }); };

    SECTION("two axes of one name") {
        data.axes.push_back(data.axes[0]);
        CHECK(contains(said(), "'gamma'"));
    }
    SECTION("two variables of one name") {
        data.variables.push_back(data.variables[0]);
        CHECK(contains(said(), "'log_variance'"));
    }
    SECTION("a variable with the name of an axis") {
        data.variables[0].name = "gamma";
        CHECK(contains(said(), "'gamma'"));
    }
    SECTION("no name") {
        data.variables[0].name.clear();
        CHECK(contains(said(), "no name"));
    }
    SECTION("an unknown axis") {
        data.variables[0].axes[0] = "mechanisms";
        CHECK(contains(said(), "'log_variance'"));
        CHECK(contains(said(), "Did you mean 'mechanism'?"));
    }
    SECTION("an axis named twice") {
        data.variables[0].axes = {"gamma", "gamma"};
        CHECK(contains(said(), "twice"));
    }
    SECTION("too few values") {
        data.variables[0].values.pop_back();
        CHECK(contains(said(), "7 values"));
        CHECK(contains(said(), "8 (2 mechanism x 4 gamma)"));
    }
    SECTION("too many values for a single number") {
        data.variables[1].axes.clear();
        CHECK(contains(said(), "a single number"));
    }
}
