// The emulation against the operation of TDPBF16PS as the manual writes it, and against the processor where it has it.
#include "rfbench/products/emulated_tiles.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rfbench/products/bfloat16.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using namespace rfbench::products;

namespace {

/// Factors of one instruction, as matrices: A 16 x 32, B 32 x 16, C 16 x 16.
struct Tiles {
    float a[16][32] = {}, b[32][16] = {}, c[16][16] = {};

    /// C + A B, in place of C.
    void multiply() {
        std::vector<std::uint16_t> rows, pairs;
        for (int m = 0; m < 16; ++m)
            for (int k = 0; k < 32; ++k) rows.push_back(upper_half(a[m][k]));
        for (int k = 0; k < 32; k += 2)
            for (int n = 0; n < 16; ++n)
                for (const int half : {0, 1}) pairs.push_back(upper_half(b[k + half][n]));
        std::uint16_t sums[tile_halves];
        std::memcpy(sums, c, tile_bytes);
        EmulatedTiles tiles;
        tiles.load<2>(sums);
        tiles.load<5>(rows.data());
        tiles.load<7>(pairs.data());
        tiles.multiply<2, 5, 7>();
        tiles.store<2>(c[0]);
    }
};

/// Entry (m, n) of C + A B for one row of A and one column of B, other entries zero.
float entry(const std::vector<float>& a, const std::vector<float>& b, float c = 0, int m = 0, int n = 0) {
    Tiles tiles;
    for (std::size_t k = 0; k < a.size(); ++k) {
        tiles.a[m][k] = a[k];
        tiles.b[k][n] = b[k];
    }
    tiles.c[m][n] = c;
    tiles.multiply();
    return tiles.c[m][n];
}

float power(int exponent) { return std::ldexp(1.0F, exponent); }

bool subnormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL; }
float zero_if_subnormal(float x) { return subnormal(x) ? std::copysign(0.0F, x) : x; }

}  // namespace

TEST_CASE("bfloat16 is the nearest, even of two, and NaN stays NaN") {
    CHECK(rounded_to_bfloat16(1 + power(-8)) == 1);                             // halfway, to even
    CHECK(rounded_to_bfloat16(1 + 3 * power(-8)) == 1 + power(-6));             // halfway, to even
    CHECK(rounded_to_bfloat16(1 + power(-8) + power(-23)) == 1 + power(-7));    // above halfway
    CHECK(rounded_to_bfloat16(-1 - power(-8) - power(-23)) == -1 - power(-7));  // so below zero
    CHECK(rounded_to_bfloat16(power(-133)) == power(-133));                     // the smallest
    CHECK(rounded_to_bfloat16(255 * power(120)) == 255 * power(120));           // the largest
    CHECK(std::isinf(rounded_to_bfloat16(std::numeric_limits<float>::max())));
    CHECK(std::isinf(rounded_to_bfloat16(std::numeric_limits<float>::infinity())));
    for (const std::uint32_t bits : {0x7f800001U, 0x7fffffffU, 0xffffffffU, 0xff80ffffU})
        CHECK(std::isnan(rounded_to_bfloat16(std::bit_cast<float>(bits))));
}

TEST_CASE("tiles: even and odd terms are summed apart, each in its order, from zero") {
    const float small = power(-12), half_ulp = power(-24);
    // Terms 0 and 2 are even: 2^-24 + 2^-24 + 1 is 1 + 2^-23, while 1 + 2^-24 + 2^-24 rounds to one twice.
    CHECK(entry({small, 0, small, 0, 1}, {small, 0, small, 0, 1}) == 1 + power(-23));
    CHECK(entry({1, 0, small, 0, small}, {1, 0, small, 0, small}) == 1);
    // An even and an odd term never meet before the end: 1 + 2^-24, twice.
    CHECK(entry({1, small, 0, small}, {1, small, 0, small}) == 1 + power(-23));
    CHECK(entry({1, small, small}, {1, small, small}) == 1);
    // They are added up before they come to what was there.
    CHECK(entry({small, small}, {small, small}, 1) == 1 + power(-23));
    CHECK(entry({small}, {small}, 1) == 1);
    CHECK(entry({1}, {half_ulp}, -1) == -1 + half_ulp);
}

TEST_CASE("tiles: multiply-adds round once, and no product is rounded by itself") {
    // (1 + 2^-7)(1 - 2^-7) 2^-126 is below the smallest normal number, and is not once 2^-125 is added.
    const float x = (1 + power(-7)) * power(-63), y = (1 - power(-7)) * power(-63);
    CHECK(entry({1, 0, x}, {power(-125), 0, y}) == (3 - power(-14)) * power(-126));
    CHECK(entry({x}, {y}) == 0);
    // 2^130 - 2^127 overflows on its way, but not in one step.
    CHECK(entry({-1, 0, power(64)}, {power(127), 0, power(64)}) == power(127));
    CHECK(std::isinf(entry({power(64)}, {power(65)})));
}

TEST_CASE("tiles: subnormal numbers are zero, going in and coming out") {
    const float largest_subnormal = std::bit_cast<float>(0x007f0000U);
    CHECK(entry({largest_subnormal}, {power(100)}) == 0);
    CHECK(entry({power(100)}, {-largest_subnormal}) == 0);
    CHECK(entry({}, {}, std::bit_cast<float>(0x007fffffU)) == 0);
    std::vector<float> a(32), b(32);
    a[30] = a[31] = power(-100);
    b[30] = b[31] = -power(-30);
    CHECK(std::signbit(entry(a, b, -0.0F)));
    CHECK(entry({power(-100)}, {power(-26)}) == power(-126));
    // On the way, too: 2^-127 twice.
    const float x = power(-64), y = power(-63);
    CHECK(entry({x, 0, x}, {y, 0, y}) == 0);
    CHECK(entry({0, x, 0, x}, {0, y, 0, y}) == 0);
    // 2^-126 + 2^-126 (1 + 2^-7) - 2^-125 is 2^-133.
    CHECK(entry({1, 0, 1, 0, -1}, {power(-126), 0, (1 + power(-7)) * power(-126), 0, power(-125)}) == 0);
    CHECK(std::isnan(entry({0}, {std::numeric_limits<float>::infinity()})));
}

TEST_CASE("tiles: all entries have the bits of the manual's operation") {
    Stream stream(1);
    // Exponents so far apart that products leave the normal numbers on both ends.
    for (const int range : {1, 20, 70, 120}) {
        Tiles tiles;
        const auto draw = [&] {
            const int exponent = static_cast<int>(stream.below(2 * static_cast<std::uint64_t>(range) + 1)) - range;
            return static_cast<float>(std::ldexp(stream.normal(), exponent));
        };
        for (auto& row : tiles.a)
            for (float& x : row) x = rounded_to_bfloat16(draw());
        for (auto& row : tiles.b)
            for (float& x : row) x = rounded_to_bfloat16(draw());
        for (auto& row : tiles.c)
            for (float& x : row) x = draw();
        Tiles expected = tiles;
        for (int m = 0; m < 16; ++m)
            for (int n = 0; n < 16; ++n) {
                float temporary[2] = {0, 0};
                for (int k = 0; k < 32; ++k)
                    temporary[k % 2] = zero_if_subnormal(
                        std::fma(zero_if_subnormal(tiles.a[m][k]), zero_if_subnormal(tiles.b[k][n]), temporary[k % 2]));
                const float both = zero_if_subnormal(temporary[0] + temporary[1]);
                expected.c[m][n] = zero_if_subnormal(zero_if_subnormal(tiles.c[m][n]) + both);
            }
        tiles.multiply();
        for (int m = 0; m < 16; ++m)
            for (int n = 0; n < 16; ++n) {
                INFO("range " << range << ", row " << m << ", column " << n);
                if (std::isnan(expected.c[m][n]))
                    REQUIRE(std::isnan(tiles.c[m][n]));
                else
                    REQUIRE(std::bit_cast<std::uint32_t>(tiles.c[m][n]) ==
                            std::bit_cast<std::uint32_t>(expected.c[m][n]));
            }
    }
}
