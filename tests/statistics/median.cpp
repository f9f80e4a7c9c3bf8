#include "rfbench/statistics/median.hpp"

#include <cmath>

#include "catch.hpp"

using rfbench::statistics::median;

TEST_CASE("a median is the middle value, or the mean of both middle ones") {
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 2, 9}) == 3);
    CHECK(median({INFINITY, 1, INFINITY, 2}) == INFINITY);
    CHECK(median({INFINITY, 1, 3}) == 3);
    CHECK(std::isnan(median({})));
}
