#include "rfbench/report/long_table.hpp"

#include <limits>
#include <stdexcept>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::report;

namespace {

store::Dataset small_data() {
    store::Dataset data;
    data.axes = {{"method", std::vector<std::string>{"a, b", "-e1"}, "", ""},
                 {"seed", std::vector<double>{0, 1}, "", ""}};
    data.variables = {{"loss", {"method", "seed"}, {1.5, std::numeric_limits<double>::quiet_NaN(), 0.1, 4}, "", ""},
                      {"trained", {"method"}, {10, 20}, "", ""}};
    return data;
}

}  // namespace

TEST_CASE("A long table has a row a value, with the labels of its axes") {
    CHECK(long_csv(long_table(small_data(), {})) ==
          "variable,method,seed,value\r\n"
          "loss,\"a, b\",0,1.5\r\n"
          "loss,\"a, b\",1,\r\n"
          "loss,-e1,0,0.1\r\n"
          "loss,-e1,1,4\r\n"
          "trained,\"a, b\",,10\r\n"
          "trained,-e1,,20\r\n");
}

TEST_CASE("Variables are chosen, and axes that none of them has are left out") {
    CHECK(long_csv(long_table(small_data(), {"trained"})) ==
          "variable,method,value\r\ntrained,\"a, b\",10\r\ntrained,-e1,20\r\n");
    CHECK_THROWS_AS(long_table(small_data(), {"lost"}), std::out_of_range);
}
