// A label looks the same in all figures.
#include "rfbench/report/look.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "catch.hpp"

using namespace rfbench::report;

namespace {

Figure with_labels(const std::vector<std::string>& labels, const std::vector<std::string>& names) {
    Panel panel;
    for (const std::string& label : labels) panel.series.push_back({.label = label, .x = {1}, .y = {1}});
    return {.name = "f", .panels = {panel}, .names = names};
}

std::string key(const Look& look) { return fmt::format("{} {}", look.colour, fmt::join(look.dashes, ",")); }

}  // namespace

TEST_CASE("all looks differ in colour or dashes", "[look]") {
    std::set<std::string> keys;
    for (std::size_t i = 0; i < distinct_looks; ++i) keys.insert(key(look_at(i)));
    CHECK(keys.size() == distinct_looks);
}

TEST_CASE("a label of the list has the look of its place, whatever else is drawn", "[look]") {
    const std::vector<std::string> names{"a", "b", "c", "d"};
    const auto few = looks(with_labels({"d", "x"}, names));
    const auto many = looks(with_labels({"x", "y", "z", "c", "a", "d"}, names));
    CHECK(key(few.at("d")) == key(look_at(3)));
    CHECK(key(many.at("d")) == key(look_at(3)));
    CHECK(key(many.at("a")) == key(look_at(0)));
}

TEST_CASE("a label outside the list has the look its name hashes to while that is free", "[look]") {
    const auto alone = looks(with_labels({"x"}, {}));
    const auto later = looks(with_labels({"x"}, {"p", "q"}));
    CHECK(key(alone.at("x")) == key(later.at("x")));
    CHECK(alone.at("x").dashes.empty());
}

TEST_CASE("labels of one figure never share a look", "[look]") {
    std::vector<std::string> labels, names;
    for (int i = 0; i < 16; ++i) names.push_back("named " + std::to_string(i));
    labels = names;
    for (int i = 0; i < 16; ++i) labels.push_back("other " + std::to_string(i));
    std::set<std::string> keys;
    for (const auto& [label, look] : looks(with_labels(labels, names))) keys.insert(key(look));
    CHECK(keys.size() == labels.size());
}

TEST_CASE("a series can look like another, or like a name that is not drawn", "[look]") {
    Figure figure = with_labels({"a", "b", "points", "more"}, {"a", "b", "c"});
    figure.panels[0].series[2].like = "b";
    figure.panels[0].series[3].like = "c";
    const auto chosen = looks(figure);
    CHECK(key(chosen.at("points")) == key(look_at(1)));
    CHECK(key(chosen.at("more")) == key(look_at(2)));
    check(figure);
    figure.panels[0].series[3].like = "d";
    CHECK_THROWS_AS(check(figure), std::invalid_argument);
    figure.panels[0].series[3].like = "points";
    CHECK_THROWS_AS(check(figure), std::invalid_argument);
}
