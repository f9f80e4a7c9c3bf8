#include "rfbench/regression/split.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"

using namespace rfbench;
using regression::split_rows;

TEST_CASE("Splits have the sizes of the thesis and every row once", "[regression]") {
    // Likhosherstov 2022, Table 6.1
    const std::vector<std::pair<Index, Index>> sizes{{4176, 3758}, {1371, 1233},   {1727, 1554}, {1483, 1334},
                                                     {1472, 1324}, {12960, 11664}, {1999, 1799}, {28055, 25249}};
    for (const auto& [rows, training] : sizes) {
        const auto split = split_rows(rows, Stream(1));
        CHECK(static_cast<Index>(split.training.size()) == training);
        std::vector<Index> all = split.training;
        all.insert(all.end(), split.validation.begin(), split.validation.end());
        all.insert(all.end(), split.test.begin(), split.test.end());
        std::sort(all.begin(), all.end());
        std::vector<Index> expected(static_cast<std::size_t>(rows));
        std::iota(expected.begin(), expected.end(), Index{0});
        CHECK(all == expected);
        CHECK(split.test.size() - split.validation.size() <= 1);
    }
}

TEST_CASE("Each row is as likely in each part", "[regression]") {
    constexpr int repeats = 4000;
    constexpr Index rows = 40;
    std::vector<int> in_test(rows, 0);
    for (int r = 0; r < repeats; ++r)
        for (const Index row : split_rows(rows, Stream(3).child(static_cast<std::uint64_t>(r))).test)
            ++in_test[static_cast<std::size_t>(row)];
    // Binomial(4000, 2 / 40): mean 200, deviation 13.8; five deviations for 40 rows err once in 40,000.
    for (const int count : in_test) CHECK(std::abs(count - 200) < 5 * 13.8);
}

TEST_CASE("Too few rows are refused", "[regression]") {
    CHECK_THROWS_AS(split_rows(19, Stream(1)), std::invalid_argument);
}
