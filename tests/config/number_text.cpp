#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/config/number_syntax.hpp"
#include "rfbench/text/counted.hpp"
#include "rfbench/text/number.hpp"

using namespace rfbench;

TEST_CASE("Numbers in messages read back the same, as they are written in configurations", "[number]") {
    using Limits = std::numeric_limits<double>;
    for (const double value : {0.0, 0.1, 1.0 / 3, 1e-9, -2.5e300, 0.125, std::nextafter(0.125, 1), Limits::max(),
                               -Limits::max(), Limits::min(), Limits::denorm_min()}) {
        CHECK(config::read_number(shortest_text(value)).value == value);
        CHECK(shortest_text(value) == config::write_number(value));
    }
    CHECK(shortest_text(0.1) == "0.1");
    CHECK(shortest_text(1e-9) == "1e-09");
    CHECK(shortest_text(-Limits::infinity()) == "-inf");
    for (const double nan : {Limits::quiet_NaN(), -Limits::quiet_NaN()}) CHECK(shortest_text(nan) == "nan");
}

TEST_CASE("One thing has no s", "[number]") {
    CHECK(counted(0, "column") == "0 columns");
    CHECK(counted(1, "column") == "1 column");
    CHECK(counted(2, "column") == "2 columns");
}
