#include "rfbench/claims/expression.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::claims;
using Catch::Matchers::Contains;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

double number(const char* text, const Names& names = {}) {
    const Array value = Expression(text).value(names);
    REQUIRE(value.values.size() == 1);
    return value.values.front();
}

Array over(const char* axis, std::vector<double> labels, std::vector<double> values) {
    return {{{axis, std::move(labels), "", ""}}, std::move(values)};
}

}  // namespace

TEST_CASE("Operators bind as in mathematics") {
    CHECK(number("1 + 2 * 3 - 4 / 2") == 5);
    CHECK(number("-2^2") == -4);
    CHECK(number("2^-1") == 0.5);
    CHECK(number("(1 + 2) * -3") == -9);
    CHECK(number("8 - 4 - 2") == 2);
    CHECK(number("smaller(2, 3) + larger(2, 3)") == 5);
    CHECK(number("1.5e-3") == 1.5e-3);
}

TEST_CASE("Axes of one name are one, and others are crossed") {
    const Names names{{"a", over("seed", {0, 1}, {1, 2})},
                      {"b", over("seed", {0, 1}, {10, 20})},
                      {"c", over("d", {2, 4, 8}, {1, 2, 3})}};
    CHECK(Expression("b - a").value(names).values == std::vector<double>{9, 18});
    CHECK(Expression("a * c").value(names).values == std::vector<double>{1, 2, 3, 2, 4, 6});
    CHECK_THROWS_WITH(
        Expression("a + x").value({{"a", over("seed", {0, 1}, {1, 2})}, {"x", over("seed", {0, 2}, {1, 2})}}),
        Contains("axis 'seed'"));
}

TEST_CASE("Reductions leave out what is not measured") {
    const double nan = std::nan("");
    const Names names{{"y", over("L", {1, 2, 4, 8}, {3, 12, nan, 192})}};  // y = 3 L^2
    CHECK_THAT(number("exponent(y, L)", names), WithinRel(2, 1e-14));
    CHECK(number("largest(y, L) - least(y, L)", names) == 189);
    CHECK(number("mean(y, L)", names) == 69);
    CHECK(number("count(y, L)", names) == 3);
    CHECK(number("last(y, L)", names) == 192);
    CHECK(number("tau(y, L)", names) == 1);
    CHECK(number("median(y, L)", names) == 12);
    CHECK(number("sum(labels(y, L), L)", names) == 15);
    CHECK_THROWS_WITH(number("mean(y, M)", names), Contains("the axes are: L"));
}

TEST_CASE("A mean of infinite values does not depend on their order") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& values : {std::vector<double>{inf, 1, inf}, {1, inf, inf}, {inf, inf, 1}}) {
        const Names names{{"x", over("seed", {0, 1, 2}, values)}};
        CHECK(number("mean(x, seed)", names) == inf);
        CHECK(number("sum(x, seed)", names) == inf);
    }
}

TEST_CASE("A curve says where it falls to a level and by how much it rises at most") {
    const double nan = std::nan("");
    // 32 / M, measured at three of four M: 5 is between them.
    const Names names{{"y", over("M", {2, 4, 8, 16}, {16, 8, nan, 2})}, {"z", over("M", {1, 2, 3, 4}, {5, 3, 4.5, 5})}};
    CHECK_THAT(number("falls_to(y, 5, M)", names), WithinRel(32.0 / 5, 1e-14));
    CHECK(number("falls_to(y, 8, M)", names) == 4);
    CHECK(number("falls_to(y, 2, M)", names) == 16);
    CHECK(std::isnan(number("falls_to(y, 16, M)", names)));
    CHECK(std::isnan(number("falls_to(y, 1, M)", names)));
    CHECK_THROWS_WITH(number("falls_to(y, y, M)", names), Contains("the level of falls_to"));
    CHECK(number("rise(z, M)", names) == 1.5);
    CHECK(number("rise(y, M)", names) == -6);
    const Array word{{{"M", std::vector<std::string>{"a", "b"}, "", ""}}, {2, 1}};
    CHECK_THROWS_WITH(Expression("falls_to(w, 1, M)").value({{"w", word}}),
                      Contains("falls_to: the labels of axis 'M' are words"));
    CHECK(Expression("rise(w, M)").value({{"w", word}}).values == std::vector<double>{-1});
}

TEST_CASE("A value is chosen where another is largest, along the same axis") {
    // test [split, gamma], validation [gamma, split]: the axes stand in another order.
    const Array test{{{"split", std::vector<double>{0, 1}, "", ""}, {"gamma", std::vector<double>{1, 2, 3}, "", ""}},
                     {10, 20, 30, 40, 50, 60}};
    const Array validation{
        {{"gamma", std::vector<double>{1, 2, 3}, "", ""}, {"split", std::vector<double>{0, 1}, "", ""}},
        {1, 9, 5, 2, 3, 9}};
    const Array value = Expression("chosen(t, v, gamma)").value({{"t", test}, {"v", validation}});
    CHECK(value.values == std::vector<double>{20, 40});  // split 1: the first of equals
}

TEST_CASE("Expectations are those of their laws") {
    CHECK_THAT(number("normal(w, w^2)"), WithinRel(1, 1e-12));
    CHECK_THAT(number("normal(w, exp(3 * w))"), WithinRel(std::exp(4.5), 1e-12));
    CHECK_THAT(number("normal(w, cos(2 * w))"), WithinRel(std::exp(-2), 1e-12));
    CHECK_THAT(number("uniform(u, u^2)"), WithinRel(1.0 / 3, 1e-5));
    CHECK_THAT(number("chi(r, 5, r^2)"), WithinRel(5, 1e-10));
    CHECK_THAT(number("chi(r, 1, r)"), WithinRel(std::sqrt(2 / M_PI), 1e-4));
    CHECK_THAT(number("normal(w, normal(v, (w + v)^2))"), WithinRel(2, 1e-10));
    CHECK_THAT(number("hypergeometric_1f1(0.5, 0.5, 2)"), WithinRel(std::exp(2), 1e-12));
}

TEST_CASE("What is no expression is refused at its column") {
    CHECK_THROWS_WITH(Expression("1 + "), Contains("column 5") && Contains("ends here"));
    CHECK_THROWS_WITH(Expression("(1"), Contains("')' is missing"));
    CHECK_THROWS_WITH(Expression("exponant(y, L)"), Contains("no function 'exponant'") && Contains("exponent"));
    CHECK_THROWS_WITH(Expression("mean(y)"), Contains("takes 2 values, not 1"));
    CHECK_THROWS_WITH(Expression("mean(y, 2)"), Contains("name of an axis"));
    CHECK_THROWS_WITH(Expression("1 1"), Contains("not expected"));
    CHECK_THROWS_AS(Expression(std::string(1000, '(')), std::invalid_argument);
    CHECK_THROWS_WITH(number("a"), Contains("no value 'a'"));
    CHECK(Expression("normal(w, w * r) + mean(x, axis)").names() == std::set<std::string>{"r", "x"});
}
