#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/config/number_syntax.hpp"
#include "rfbench/config/range.hpp"

using namespace rfbench::config;

namespace {

std::vector<double> numbers_in(const std::string& yaml) {
    const Schema schema = object({required("x", numbers(), "values")});
    return parse("x: " + yaml, "f.yaml", schema).at("x").numbers();
}

std::vector<std::int64_t> integers_in(const std::string& yaml) {
    const Schema schema = object({required("x", integers(), "values")});
    return parse("x: " + yaml, "f.yaml", schema).at("x").integers();
}

}  // namespace

TEST_CASE("the number syntax is the one that is stated") {
    for (const char* text :
         {"0", "-0", "+3", "3", "-12", "0.5", "-0.25", "1e-3", "1E+20", "12.50e07", "1e308", "5e-324"}) {
        INFO(text);
        CHECK(read_number(text).wrong.empty());
    }
    for (const char* text :
         {"",     "+",    "-",    ".",     ".5",     "5.",  "1e",  "1e+", "e3",    "01",    "-01",
          "00",   "0x1",  "0b1",  "0o7",   "1_0",    "1,0", " 1",  "1 ",  "1f",    "nan",   "inf",
          "-inf", ".inf", ".nan", "1e309", "1e-400", "1:2", "--1", "+-1", "1.2.3", "1e2e3", "\xef\xbc\x91"}) {
        INFO(text);
        CHECK_FALSE(read_number(text).wrong.empty());
    }
    CHECK(read_integer("9223372036854775807").value == std::numeric_limits<std::int64_t>::max());
    CHECK(read_integer("-9223372036854775808").value == std::numeric_limits<std::int64_t>::min());
    CHECK_FALSE(read_integer("9223372036854775808").wrong.empty());
    CHECK_FALSE(read_integer("1.0").wrong.empty());
    CHECK_FALSE(std::signbit(read_number("-0").value));
}

TEST_CASE("a number that is written reads back to the same bits") {
    std::uint64_t state = 1;
    for (int i = 0; i < 20000; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        double value = 0;
        std::memcpy(&value, &state, sizeof value);
        if (!std::isfinite(value)) continue;
        const Reading<double> read = read_number(write_number(value));
        REQUIRE(read.wrong.empty());
        REQUIRE(read.value == value);
    }
    CHECK(write_number(0.1) == "0.1");
    CHECK(read_number(write_number(std::numeric_limits<double>::max())).value == std::numeric_limits<double>::max());
    CHECK(read_number(write_number(std::numeric_limits<double>::denorm_min())).wrong.empty());
}

TEST_CASE("scalars, lists and ranges expand to plain vectors") {
    CHECK(numbers_in("0.5") == std::vector<double>{0.5});
    CHECK(numbers_in("[3, 1, 2]") == std::vector<double>{3, 1, 2});
    CHECK(numbers_in("{linspace: [0.1, 1, 10]}") ==
          std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1});
    CHECK(numbers_in("{linspace: [1, -1, 5]}") == std::vector<double>{1, 0.5, 0, -0.5, -1});
    CHECK(numbers_in("{linspace: [-0.1, 0.3, 5]}") == std::vector<double>{-0.1, 0, 0.1, 0.2, 0.3});
    CHECK(numbers_in("{logspace: [0.01, 100, 5]}") == std::vector<double>{0.01, 0.1, 1, 10, 100});
    CHECK(numbers_in("{logspace: [8, 1, 4]}") == std::vector<double>{8, 4, 2, 1});
    CHECK(numbers_in("{powers: [0.25, 4]}") == std::vector<double>{0.25, 0.5, 1, 2, 4});
    CHECK(integers_in("{powers: [2, 64]}") == std::vector<std::int64_t>{2, 4, 8, 16, 32, 64});
    CHECK(integers_in("{powers: [3, 3]}") == std::vector<std::int64_t>{3});
    CHECK(integers_in("{linspace: [10, -10, 5]}") == std::vector<std::int64_t>{10, 5, 0, -5, -10});
    CHECK(integers_in("{logspace: [1, 1000, 4]}") == std::vector<std::int64_t>{1, 10, 100, 1000});
    CHECK(integers_in("{logspace: [2, 100, 5]}") == std::vector<std::int64_t>{2, 5, 14, 38, 100});
    CHECK(integers_in("[9007199254740993]") == std::vector<std::int64_t>{9007199254740993});
}

TEST_CASE("points of linspace keep within one unit of the 15th digit of the formula, ends exactly") {
    for (const auto& [a, b] :
         {std::pair{0.1, 1.0}, {-3.7, 12.25}, {1e-300, 1e-299}, {-1e308, 1e308}, {1.0 / 3, 2.0 / 3}}) {
        for (const std::int64_t n : {2, 3, 7, 100, 9999}) {
            const std::vector<double> points = linspace(a, b, n);
            REQUIRE(points.size() == static_cast<std::size_t>(n));
            CHECK(points.front() == a);
            CHECK(points.back() == b);

            // Half a unit of the decimal place that is kept (at most 0.5e-14 of the larger end), and a few roundings.
            const long double scale = std::max(std::abs(a), std::abs(b));
            const long double tolerance = scale * (0.5e-14L + 4 * 1.2e-16L);
            bool near = true, rises = true;
            for (std::int64_t i = 0; i < n; ++i) {
                const long double exact = a + (static_cast<long double>(b) - a) * i / (n - 1);
                near = near && std::abs(points[static_cast<std::size_t>(i)] - exact) <= tolerance;
                if (i > 0) {
                    rises = rises && points[static_cast<std::size_t>(i)] > points[static_cast<std::size_t>(i - 1)];
                }
            }
            CHECK(near);
            CHECK(rises);
        }
    }
}

TEST_CASE("points of logspace have equal ratios, ends exactly") {
    for (const auto& [a, b] : {std::pair{0.1, 1.0}, {1e-300, 1e300}, {7.0, 3.0}, {1.0 / 3, 1e5}}) {
        for (const std::int64_t n : {2, 3, 7, 100}) {
            const std::vector<double> points = logspace(a, b, n);
            REQUIRE(points.size() == static_cast<std::size_t>(n));
            CHECK(points.front() == a);
            CHECK(points.back() == b);

            // Every point carries a relative error of at most 0.5e-14 by rounding to 15 digits; a ratio that of two.
            const long double step =
                (std::log(static_cast<long double>(b)) - std::log(static_cast<long double>(a))) / (n - 1);
            for (std::size_t i = 1; i < points.size(); ++i) {
                const long double ratio =
                    std::log(static_cast<long double>(points[i])) - std::log(static_cast<long double>(points[i - 1]));
                CHECK(std::abs(ratio - step) <= 1.1e-14L);
            }
        }
    }
}
