#include "rfbench/features/maps/exponentials.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"

using namespace rfbench;

namespace {

std::vector<float> exponentials(const std::vector<float>& x) {
    std::vector<float> out(x.size());
    features::exponentials(x.data(), static_cast<Index>(x.size()), 0, out.data());
    return out;
}

/// The distance of floats at y, that of subnormal ones being the least.
long double unit(long double y) { return std::ldexp(1.0L, std::max(std::ilogb(y) - 23, -149)); }

}  // namespace

TEST_CASE("Exponentials in vectors, over their whole range", "[features]") {
    // Every 1009th float, of either sign, to the ends of the results.
    std::vector<float> x;
    const auto upper = std::bit_cast<std::uint32_t>(88.72283f), lower = std::bit_cast<std::uint32_t>(103.97f);
    for (std::uint32_t bits = 0; bits <= upper; bits += 1009) x.push_back(std::bit_cast<float>(bits));
    for (std::uint32_t bits = 0; bits <= lower; bits += 1009) x.push_back(-std::bit_cast<float>(bits));
    // The rest is largest where the whole number changes: a grid there, up to the ends.
    for (int n = -150; n <= 127; ++n)
        for (int k = -20; k <= 20; ++k) x.push_back(static_cast<float>((n + 0.5) * M_LN2 + k * 1e-6));
    const std::vector<float> own = exponentials(x);
    long double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double exact = std::exp(static_cast<long double>(x[i]));
        worst = std::max(worst, std::abs(own[i] - exact) / unit(exact));
    }
    // Below one, where a unit is 2^-24 and the rest r is negative: half a unit of the last rounding, a quarter each of
    // those of r and of r + r^2 q, an eighth of that of r^2 q, and 3.8e-9 of the polynomial. A subnormal result is
    // rounded once more, but to units of at least two of those.
    CHECK(worst < 1.25L);
}

TEST_CASE("Exponentials at the ends of numbers", "[features]") {
    constexpr float infinity = std::numeric_limits<float>::infinity(), least = std::numeric_limits<float>::denorm_min();
    const std::vector<float> own =
        exponentials({0, -0.0f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), 88.72284f, 1e30f, -1e30f,
                      88.72283f, -103.9720f, -103.9722f, least, -least});
    CHECK(own[0] == 1);
    CHECK(own[1] == 1);
    CHECK(own[2] == infinity);
    CHECK(own[3] == 0);
    CHECK(std::isnan(own[4]));
    CHECK(own[5] == infinity);
    CHECK(own[6] == infinity);
    CHECK(own[7] == 0);
    CHECK(own[8] > 0.9999f * std::numeric_limits<float>::max());
    CHECK(own[9] == least);
    CHECK(own[10] == 0);
    CHECK(own[11] == 1);
    CHECK(own[12] == 1);
}

TEST_CASE("An exponential's bits depend on no other and not on its place", "[features]") {
    std::vector<float> x(100);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.37f * static_cast<float>(i) - 20;
    const float shift = 1.7f;
    std::vector<float> all(x.size());
    features::exponentials(x.data(), 100, shift, all.data());
    for (Index first = 0; first < 20; ++first)
        for (Index n = 0; first + n <= 100; ++n) {
            std::vector<float> own = x;
            features::exponentials(own.data() + first, n, shift, own.data() + first);
            std::vector<float> expected = x;
            std::copy_n(all.begin() + first, n, expected.begin() + first);
            REQUIRE(own == expected);
        }
}

TEST_CASE("Rows of arrays are exponentiated in both precisions", "[features]") {
    Rows<double> wide = Rows<double>::Constant(3, 21, 2.5);
    wide(1, 20) = 4;
    Rows<float> narrow = wide.cast<float>(), to = narrow;
    // Each of 21 terms has an error of 1.25 units, and sums round 4 times on the way to them.
    const float sum = std::exp(2.0f) + 20 * std::exp(0.5f);
    features::exponentiate(narrow.row(1).array(), 2.0f, to.row(1).array());
    CHECK(features::largest(narrow.row(1).array()) == 4);
    CHECK(features::largest(wide.row(1).array()) == 4);
    CHECK(std::abs(features::sum_exponentiated(narrow.row(1).array(), 2.0f) - sum) < 6 * std::ldexp(sum, -23));
    CHECK(std::abs(features::sum_exponentiated(wide.row(1).array(), 2.0) - static_cast<double>(sum)) < 1e-5);
    CHECK(wide(1, 20) == std::exp(2.0));
    CHECK(std::abs(narrow(1, 20) - std::exp(2.0f)) <= std::ldexp(1.25f, -21));
    CHECK(std::abs(narrow(1, 0) - std::exp(0.5f)) <= std::ldexp(1.25f, -23));
    CHECK(to.row(1) == narrow.row(1));
    CHECK(narrow.row(0) == Rows<float>::Constant(1, 21, 2.5f));
    CHECK(narrow.row(2) == narrow.row(0));
}

TEST_CASE("What is streamed has the same bits at any address", "[features]") {
    std::vector<float> x(200), out(300), expected(200);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.37f * static_cast<float>(i) - 70;
    features::exponentials(x.data(), 200, 1, expected.data());
    for (Index first = 0; first < 32; ++first)
        for (const Index n : {Index{7}, Index{64}, Index{199}}) {
            std::fill(out.begin(), out.end(), -1.0f);
            features::exponentials(x.data(), n, 1, out.data() + first, features::Store::streamed);
            features::finish_streams();
            REQUIRE(std::equal(expected.begin(), expected.begin() + n, out.begin() + first));
            REQUIRE(out[static_cast<std::size_t>(first + n)] == -1);
        }
}

TEST_CASE("The largest entry wherever it is, and the sum of exponentials of any number", "[features]") {
    for (Index n = 1; n <= 150; ++n)
        for (Index at = 0; at < n; ++at) {
            std::vector<float> x(static_cast<std::size_t>(n), -3.0f);
            x[static_cast<std::size_t>(at)] = -2.5f;
            REQUIRE(features::largest(x.data(), n) == -2.5f);
            const float sum = features::sum_exponentials(x.data(), n, -3, x.data());
            // Exact up to the one term: all others are ones.
            REQUIRE(std::abs(sum - static_cast<float>(n - 1) - std::exp(0.5f)) <=
                    std::ldexp(static_cast<float>(n), -22));
        }
    CHECK(features::largest(nullptr, 0) == -std::numeric_limits<float>::infinity());
}
