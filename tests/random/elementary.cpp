#include "rfbench/random/elementary.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/random/box_muller.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;

namespace {

// |value - exact| in units of the last place of exact.
double ulps(double value, long double exact) {
    const double rounded = static_cast<double>(exact);
    const double unit = std::nextafter(std::abs(rounded), std::numeric_limits<double>::infinity()) - std::abs(rounded);
    return static_cast<double>(std::abs(static_cast<long double>(value) - exact)) / unit;
}

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

}  // namespace

TEST_CASE("uniforms lie in the open interval and are symmetric") {
    CHECK(elementary::open_unit(0) == 0x1p-53);
    CHECK(elementary::open_unit(all_ones) == 1 - 0x1p-53);
    Stream stream(11);
    bool exact = true;
    for (int i = 0; i < 100000; ++i) {
        const std::uint64_t word = stream.bits();
        exact = exact && elementary::open_unit(word) == static_cast<double>(2 * (word >> 12) + 1) * 0x1p-53;
        exact = exact && elementary::open_unit(~word) == 1 - elementary::open_unit(word);
    }
    CHECK(exact);
}

TEST_CASE("log, sin and cos are within 2 ulp") {
    // A wide sweep, and the neighbourhoods of 0, 1 and sqrt 1/2 where log is hardest.
    Stream stream(12);
    double worst_log = 0, worst_sin = 0, worst_cos = 0;
    const auto check_log = [&](double x) {
        worst_log = std::max(worst_log, ulps(elementary::log(x), std::log(static_cast<long double>(x))));
    };
    for (int i = 0; i < 200000; ++i) {
        const double u = stream.uniform();
        check_log(u);
        check_log(std::ldexp(1 + u, static_cast<int>(stream.below(2000)) - 1000));
        for (const double centre : {1.0, std::sqrt(0.5), std::sqrt(2.0)})
            check_log(centre + (stream.uniform() - 0.5) * std::ldexp(1.0, -static_cast<int>(stream.below(52))));

        const double angle = 0.78539816339744828 * stream.uniform();
        worst_sin = std::max(worst_sin, ulps(elementary::sin_octant(angle), std::sin(static_cast<long double>(angle))));
        worst_cos = std::max(worst_cos, ulps(elementary::cos_octant(angle), std::cos(static_cast<long double>(angle))));
    }
    for (int k = 1; k <= 53; ++k) {
        check_log(std::ldexp(1.0, -k));
        check_log(1 - std::ldexp(1.0, -k));
        check_log(1 + std::ldexp(1.0, -k + 1));
    }
    CHECK(elementary::log(1.0) == 0);
    CHECK(worst_log <= 2);
    CHECK(worst_sin <= 2);
    CHECK(worst_cos <= 2);
}

TEST_CASE("lengths of normal pairs follow exp(-x^2/2) out to 8.5") {
    // The radius falls as the word grows: find the first word with r <= x; P(r > x) is that word over 2^64.
    for (const double x : {0.1, 1.0, 3.0, 5.0, 7.0, 8.0, 8.5}) {
        std::uint64_t low = 0, high = all_ones;
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (box_muller::squared_radius(middle) > x * x)
                low = middle + 1;
            else
                high = middle;
        }
        INFO("x = " << x);
        const double tail = std::ldexp(static_cast<double>(low), -64);
        CHECK(std::abs(tail - std::exp(-x * x / 2)) <= 0x1p-52 + 1e-14 * std::exp(-x * x / 2));
    }
    CHECK(box_muller::squared_radius(0) == Approx(2 * 53 * std::log(2.0)).epsilon(1e-15));
    CHECK(box_muller::squared_radius(all_ones) > 0);
}

TEST_CASE("angles reach all eight octants, and no coordinate is zero") {
    for (std::uint64_t octant = 0; octant < 8; ++octant)
        for (const std::uint64_t rest : {std::uint64_t{0}, all_ones - 7, std::uint64_t{0x123456789abcdef0}}) {
            const auto pair = box_muller::turned(2.0, rest | octant);
            CHECK(std::hypot(pair.first, pair.second) == Approx(2.0).epsilon(1e-15));
            CHECK(pair.first != 0);
            CHECK(pair.second != 0);
            CHECK((pair.first < 0) == ((octant & 2) != 0));
            CHECK((pair.second < 0) == ((octant & 4) != 0));

            // Swapped means the second coordinate is the larger one (the angles 0 and pi/4 are not reached).
            const bool larger = std::abs(pair.second) > std::abs(pair.first);
            if (rest != all_ones - 7) CHECK(larger == ((octant & 1) != 0));
        }
}
