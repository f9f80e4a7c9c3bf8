// Series cut out of a dataset, and averages that count what they leave out.
#include "rfbench/report/slice.hpp"

#include "catch.hpp"
#include "not_finite.hpp"
#include "rfbench/report/averaged.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::report;
using namespace rfbench::tests;

namespace {

// v(m, g, r) = 100 m + 10 g + r
store::Dataset cube() {
    store::Dataset data;
    data.axes = {{"mechanism", std::vector<std::string>{"positive", "trigonometric"}, "", ""},
                 {"gamma", std::vector<double>{0.1, 0.2, 0.1 + 0.2}, "", ""},
                 {"repeat", std::vector<double>{0, 1, 2, 3}, "", ""}};
    store::Variable v{"v", {"mechanism", "gamma", "repeat"}, {}, "nat", ""};
    for (int m = 0; m < 2; ++m) {
        for (int g = 0; g < 3; ++g) {
            for (int r = 0; r < 4; ++r) v.values.push_back(100 * m + 10 * g + r);
        }
    }
    data.variables = {v};
    return data;
}

std::string refused(const Fixed& fixed, const std::vector<std::string>& order = {}) {
    return refusal<std::invalid_argument>([&] { slice(cube(), "v", fixed, order); });
}

}  // namespace

TEST_CASE("a slice fixes axes by label and keeps the others in order", "[slice]") {
    const Slice line = slice(cube(), "v", {{"mechanism", "trigonometric"}, {"repeat", 2.0}});
    CHECK(line.values == std::vector<double>{102, 112, 122});
    CHECK(line.numbers("gamma").size() == 3);
    CHECK(line.unit == "nat");
    CHECK(slice(cube(), "v", {{"mechanism", "positive"}, {"gamma", 0.3}, {"repeat", 1.0}}).values ==
          std::vector<double>{21});
    CHECK(slice(cube(), "v").values == cube().variables[0].values);

    const Slice turned = slice(cube(), "v", {{"gamma", 0.2}}, {"repeat", "mechanism"});
    CHECK(turned.values == std::vector<double>{10, 110, 11, 111, 12, 112, 13, 113});
    CHECK(turned.axes[0].name == "repeat");
    CHECK(turned.words("mechanism").back() == "trigonometric");
}

TEST_CASE("places are all labels of the axes, the last axis the fastest, and say their labels", "[slice]") {
    const std::vector<Fixed> all = places(cube(), {"repeat", "mechanism"});
    REQUIRE(all.size() == 8);
    CHECK(all[3] == Fixed{{"repeat", 1.0}, {"mechanism", "trigonometric"}});
    CHECK(slice(cube(), "v", joined(all[3], {{"gamma", 0.2}})).values == std::vector<double>{111});
    CHECK(number_at(all[3], "repeat") == 1);
    CHECK(word_at(all[3], "mechanism") == "trigonometric");
    CHECK_THROWS_AS(number_at(all[3], "gamma"), std::out_of_range);
    CHECK_THROWS_AS(places(cube(), {"gama"}), std::out_of_range);
    CHECK(places(cube(), {}) == std::vector<Fixed>{{}});
}

TEST_CASE("a wrong name is answered by the right ones", "[slice]") {
    CHECK(refused({{"mechanism", "positiv"}}) ==
          "axis 'mechanism' has no label 'positiv'; its labels are: positive, trigonometric. Did you mean 'positive'?");
    CHECK(refused({{"gama", 0.1}}) ==
          "variable 'v' has no axis 'gama'; its axes are: mechanism, gamma, repeat. Did you mean 'gamma'?");
    CHECK(refused({{"repeat", 7.0}}) == "axis 'repeat' has no label 7; its labels are: 0, 1, 2, 3.");
    CHECK(contains(refused({{"repeat", "two"}}), "has numbers as labels, not the word 'two'"));
    CHECK(contains(refused({{"mechanism", 1.0}}), "has words as labels, not the number 1"));
    CHECK(refused({{"repeat", 1.0}, {"repeat", 2.0}}) == "axis 'repeat' is fixed twice.");
    CHECK(contains(refused({{"repeat", 1.0}}, {"gamma"}), "the axes left over are (gamma, mechanism)"));
    CHECK_THROWS_AS(slice(cube(), "w"), std::out_of_range);
    CHECK_THROWS_AS(slice(cube(), "v").numbers("mechanism"), std::invalid_argument);
}

TEST_CASE("averages leave NaN out and say of how many values they are", "[slice]") {
    store::Dataset data = cube();
    std::vector<double>& v = data.variables[0].values;
    v[1] = nan_value;                                       // positive, 0.1: 0, -, 2, 3
    for (std::size_t r = 4; r < 8; ++r) v[r] = nan_value;   // positive, 0.2: nothing
    for (std::size_t r = 9; r < 12; ++r) v[r] = nan_value;  // positive, 0.3: 20

    const Averages a = average(slice(data, "v", {{"mechanism", "positive"}}), "repeat");
    CHECK(a.along == 4);
    CHECK(a.count == std::vector<std::size_t>{3, 0, 1});
    CHECK(a.mean[0] == Approx(5.0 / 3));
    CHECK(a.standard_deviation[0] == Approx(std::sqrt(7.0 / 3)));  // squares about 5/3: 25/9 + 1/9 + 16/9, over 2
    CHECK(std::isnan(a.mean[1]));
    CHECK(a.mean[2] == 20);
    CHECK(std::isnan(a.standard_deviation[1]));
    CHECK(std::isnan(a.standard_deviation[2]));

    const Averages over_gamma = average(slice(cube(), "v"), "gamma");
    CHECK(over_gamma.mean == std::vector<double>{10, 11, 12, 13, 110, 111, 112, 113});
    CHECK(over_gamma.standard_deviation == std::vector<double>(8, 10));
    CHECK(over_gamma.axes.size() == 2);
    CHECK_THROWS_AS(average(slice(cube(), "v"), "seed"), std::invalid_argument);

    const Averages fixed = average(data, "v", {{"mechanism", "positive"}, {"gamma", 0.1}}, "repeat");
    CHECK(fixed.mean == std::vector<double>{a.mean[0]});
    CHECK_FALSE(fixed.empty());
    CHECK(average(data, "v", {{"mechanism", "positive"}, {"gamma", 0.2}}, "repeat").empty());
}

TEST_CASE("what is there is found, and what is missing", "[slice]") {
    CHECK(has_word(cube(), "mechanism", "positive"));
    CHECK_FALSE(has_word(cube(), "mechanism", "positiv"));
    CHECK_THROWS_AS(has_word(cube(), "gamma", "0.1"), std::invalid_argument);
    CHECK(all_missing({nan_value, nan_value}));
    CHECK_FALSE(all_missing({nan_value, 0}));
}

TEST_CASE("intervals are Student's 95 % ones, positive where the mean is", "[slice]") {
    // t for 8 and 3 degrees of freedom, from printed tables.
    const Averages of{{}, {10, 1, 5}, {3, 6, nan_value}, {9, 4, 1}, 9};
    CHECK(half_width(of, 0) == Approx(2.306004 * 1));
    CHECK(half_width(of, 1) == Approx(3.182446 * 3));
    CHECK(std::isnan(half_width(of, 2)));

    const Series shown = averaged_series("a", {1, 2, 3}, of, Style::points);
    CHECK(shown.style == Style::points);
    for (std::size_t i = 0; i < 2; ++i) {
        const double reach = half_width(of, i) / of.mean[i];
        CHECK(std::log(shown.high[i] / of.mean[i]) == Approx(reach));
        CHECK(std::log(of.mean[i] / shown.low[i]) == Approx(reach));
        CHECK(shown.low[i] > 0);
    }
    CHECK(std::isnan(shown.low[2]));
    CHECK(std::isnan(shown.high[2]));

    const auto several = std::get<Estimate>(averaged_entry(of, 1));
    CHECK(several.value == 1);
    CHECK(several.error == half_width(of, 1));
    CHECK(entry_text(averaged_entry(of, 2), {}) == "5.00");
    CHECK(std::holds_alternative<Missing>(averaged_entry(Averages{{}, {nan_value}, {nan_value}, {0}, 4})));
}

TEST_CASE("medians, quartiles and the share of the largest value", "[slice]") {
    const auto of = [](std::vector<double> values) {
        const double count = static_cast<double>(values.size());
        std::vector<double> labels;
        for (double i = 0; i < count; ++i) labels.push_back(i);
        return quartiles(Slice{{{"sample", labels, "", ""}}, std::move(values), ""}, "sample");
    };
    const Quartiles odd = of({5, 1, 3, 2, 4});
    CHECK(odd.lower == std::vector<double>{2});
    CHECK(odd.median == std::vector<double>{3});
    CHECK(odd.upper == std::vector<double>{4});
    CHECK(odd.largest_share[0] == Approx(1.0 / 3));
    const Quartiles even = of({4, nan_value, 1, 2, 3});
    CHECK(even.lower[0] == Approx(1.75));
    CHECK(even.median[0] == Approx(2.5));
    CHECK(even.upper[0] == Approx(3.25));
    CHECK(of({1, 1, 1, 97}).largest_share[0] == Approx(0.97));
    CHECK(of({7}).upper == std::vector<double>{7});
    CHECK(std::isnan(of({nan_value}).median[0]));

    // Over an axis in the middle: as the averages do.
    const Quartiles over_gamma = quartiles(slice(cube(), "v"), "gamma");
    CHECK(over_gamma.median == std::vector<double>{10, 11, 12, 13, 110, 111, 112, 113});
    CHECK_THROWS_AS(quartiles(slice(cube(), "v"), "seed"), std::invalid_argument);
}
