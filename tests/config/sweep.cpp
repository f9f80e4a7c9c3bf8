#include "rfbench/config/sweep.hpp"

#include <limits>
#include <string>

#include "catch.hpp"
#include "rfbench/config/error.hpp"
#include "support/refusal.hpp"

using namespace rfbench::config;
using namespace rfbench::tests;

namespace {

std::string refusal(const std::vector<SweepAxis>& axes, std::size_t limit) {
    return rfbench::tests::refusal<Error>([&] { combinations(axes, limit); });
}

}  // namespace

TEST_CASE("a product lists every combination once, the last axis fastest") {
    const auto tuples = product({{"mechanism", 2}, {"gamma", 3}, {"repeat", 2}});
    REQUIRE(tuples.size() == 12);
    CHECK(tuples.front() == std::vector<std::size_t>{0, 0, 0});
    CHECK(tuples[1] == std::vector<std::size_t>{0, 0, 1});
    CHECK(tuples[2] == std::vector<std::size_t>{0, 1, 0});
    CHECK(tuples.back() == std::vector<std::size_t>{1, 2, 1});

    // The place of a tuple is its row-major number.
    for (std::size_t i = 0; i < tuples.size(); ++i) {
        CHECK(tuples[i][0] * 6 + tuples[i][1] * 2 + tuples[i][2] == i);
    }
}

TEST_CASE("a sweep without axes is one cell") { CHECK(product({}) == std::vector<std::vector<std::size_t>>{{}}); }

TEST_CASE("too many combinations are refused, also where their number overflows") {
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
    CHECK(combinations({{"a", 10}, {"b", 10}}, 100) == 100);
    CHECK(refusal({{"a", 10}, {"b", 10}}, 99) == "the sweep has more than 99 combinations: 10 a x 10 b.");
    CHECK(combinations({{"a", huge}}, huge) == huge);
    CHECK(refusal({{"a", huge / 2 + 1}, {"b", 2}}, huge).find("more than") != std::string::npos);
    CHECK(refusal({{"a", huge}, {"b", huge}, {"c", huge}}, huge).find("more than") != std::string::npos);
    CHECK(refusal({{"a", 3}, {"gamma", 0}}, 99) == "the sweep's axis 'gamma' has no values.");
}
