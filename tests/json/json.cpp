// Texts that the parser lets pass and are refused here, and the layout of written JSON.
#include "rfbench/json/json.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

std::string refused(const std::string& text) {
    return tests::refusal<FileError>([&] { parse_json(text, "a.json"); });
}

}  // namespace

TEST_CASE("A text that is no JSON is refused by its column, a key that is there twice by its name") {
    CHECK(parse_json(R"({"a": [1, 2.5, null], "b": {"a": "\u00e9"}})", "a.json")["b"]["a"] == "\xc3\xa9");
    CHECK(refused("{\"a\": }").starts_with("a.json: is no JSON: parse error at line 1, column 7: "));
    CHECK(refused("{\"a\": \"\xff\"}").starts_with("a.json: is no JSON: parse error at line 1, column 8: "));
    CHECK(refused("") != "");
    CHECK(refused("{\"a\": 1e999}").starts_with("a.json: is no JSON: number overflow"));
    CHECK(refused(R"({"a": 1, "b": {"a": 2}, "a": 3})") == "a.json: has the key 'a' twice");
    CHECK(refused(R"([{"a": 1}, {"a": 2}])") == "accepted");
}

TEST_CASE("What is nested too deep is refused, however long it is, and messages show the beginning of a value") {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(refused(nested(max_json_depth)) == "accepted");
    const std::string sentence = "a.json: lists and objects are nested deeper than 64 levels";
    CHECK(refused(nested(max_json_depth + 1)) == sentence);
    CHECK(refused("{\"n_layer\": " + nested(100'000) + "}") == sentence);
    CHECK(refused(nested(10'000'000).substr(0, 10'000'000)) == sentence);
    CHECK(json_shown(parse_json("[1, 2]", "a")) == "[1,2]");
    CHECK(json_shown(parse_json("\"" + std::string(20'000, 'x') + "\"", "a")).size() == 63);
}

TEST_CASE("Flat values are one line, nested ones a line a member") {
    const nlohmann::ordered_json value = {{"z", 1}, {"a", {1, 2}}, {"deep", {{"x", {{"re", 0.5}}}}}};
    CHECK(json_lines(value) == "{\n  \"z\": 1,\n  \"a\": [1,2],\n  \"deep\": {\n    \"x\": {\"re\":0.5}\n  }\n}");
    CHECK(json_line(value) == R"({"z":1,"a":[1,2],"deep":{"x":{"re":0.5}}})");
    CHECK(json_line("a\"\n\xff") == "\"a\\\"\\n\xef\xbf\xbd\"");
}

TEST_CASE("Numbers read back as the same doubles, and what is not finite is null") {
    for (const double value : {0.1, 1.0 / 3, -1e-300, 5e-324, 1.7976931348623157e308, -0.06})
        CHECK(parse_json(json_line(value), "number").get<double>() == value);
    CHECK(json_line(std::numeric_limits<double>::quiet_NaN()) == "null");
    CHECK(json_line(-std::numeric_limits<double>::infinity()) == "null");
}
