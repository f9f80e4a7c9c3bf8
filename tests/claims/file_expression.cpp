#include "rfbench/claims/file_expression.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::claims;
using Catch::Matchers::Contains;

namespace {

store::Dataset times() {
    store::Dataset data;
    data.axes = {{"method", std::vector<std::string>{"relu", "linear, M = 64"}, "", ""},
                 {"length", std::vector<double>{128, 256}, "", ""},
                 {"repeat", std::vector<double>{0, 1, 2}, "", ""}};
    store::Variable seconds;
    seconds.name = "seconds";
    seconds.axes = {"method", "length", "repeat"};
    seconds.values = {1, 2, 6, 3, 4, 8, 10, 20, 60, 30, 40, 80};
    store::Variable bytes;
    bytes.name = "bytes";
    bytes.axes = {"method"};
    bytes.values = {7, 9};
    data.variables = {seconds, bytes};
    return data;
}

}  // namespace

TEST_CASE("Brackets fix labels of a variable, each use its own") {
    CHECK(number_of("median(seconds[method = linear, M = 64; length = 256], repeat)", times()) == 40);
    CHECK(number_of("mean(seconds[method=relu; length=128], repeat) / 2 + bytes[method = relu]", times()) == 8.5);
    CHECK(number_of("sum(bytes, method)", times()) == 16);
    CHECK(number_of("bytes[method = linear, M = 64] - bytes[method = relu]", times()) == 2);
}

TEST_CASE("What is not one number of the file is refused, with what there is") {
    const auto refused = [](const char* expression, const char* why) {
        INFO(expression);
        CHECK_THROWS_WITH(number_of(expression, times()), Contains(why));
    };
    refused("seconds[method = relu; length = 256]", "is not one number: repeat is left");
    refused("second[method = relu]", "Did you mean 'seconds'?");
    refused("byte", "no variable 'byte'");
    refused("bytes[method = elu]", "elu");
    refused("bytes[metod = relu]", "metod");
    refused("bytes[method]", "no 'axis = label'");
    refused("mean(seconds[length = long; method = relu], repeat)", "labels of 'length' are numbers, not 'long'");
    refused("bytes[method = relu", "has no ']'");
}
