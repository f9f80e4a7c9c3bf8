// Rounding to formats of hardware, against the hardware's own and IEEE 754's examples.
#include "rfbench/attention/number_format.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/random/stream.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

/// The upper half of a float, rounded to nearest, ties to even, by integers alone.
double bfloat16_of(float x) {
    auto bits = std::bit_cast<std::uint32_t>(x);
    bits += 0x7fffu + (bits >> 16 & 1u);
    return static_cast<double>(std::bit_cast<float>(bits & 0xffff0000u));
}

/// A number of either sign whose exponent is anywhere from `low` to `high`.
double drawn(const Stream& stream, std::uint64_t i, int low, int high) {
    Stream own = stream.child(i);
    const double significand = 1 + own.uniform();
    const int exponent = low + static_cast<int>((high - low) * own.uniform());
    return std::ldexp(own.uniform() < 0.5 ? -significand : significand, exponent);
}

}  // namespace

TEST_CASE("float32 is what the processor makes of a double") {
    const NumberFormat& format = number_format("float32");
    const Stream stream(1);
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const double x = drawn(stream, i, -155, 131);
        CHECK(format.rounded(x) == static_cast<double>(static_cast<float>(x)));
    }
}

TEST_CASE("bfloat16 is the upper half of a float") {
    const NumberFormat& format = number_format("bfloat16");
    const Stream stream(2);
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const auto x = static_cast<float>(drawn(stream, i, -140, 127));
        CHECK(format.rounded(static_cast<double>(x)) == bfloat16_of(x));
    }
}

TEST_CASE("float16 has eleven bits, its own range and numbers below the normal ones") {
    const NumberFormat& format = number_format("float16");
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(format.rounded(0.1) == 0.0999755859375);
    CHECK(format.rounded(1 + 0x1p-11) == 1);               // a tie, to even
    CHECK(format.rounded(1 + 3 * 0x1p-11) == 1 + 0x1p-9);  // a tie, to even, upwards
    CHECK(format.rounded(65519.99) == 65504);
    CHECK(format.rounded(-65520.0) == -infinity);
    CHECK(format.rounded(0x1p-24) == 0x1p-24);
    CHECK(format.rounded(0x1p-25) == 0);
    CHECK(format.rounded(0x1.0001p-25) == 0x1p-24);
    CHECK(format.rounded(0x1.002p-14) == 0x1p-14);
    CHECK(std::isnan(format.rounded(std::nan(""))));
    CHECK(format.rounded(-infinity) == -infinity);
}

TEST_CASE("a format that there is not is named with the nearest one") {
    CHECK(contains(refusal<InputError>([] { number_format("bfloat61"); }), "Did you mean 'bfloat16'?"));
}
