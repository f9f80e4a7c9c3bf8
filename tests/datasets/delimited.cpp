#include "rfbench/datasets/delimited.hpp"

#include <clocale>
#include <vector>

#include "catch.hpp"
#include "scene.hpp"

using namespace rfbench::datasets;
using scene::said;

namespace {

std::vector<std::string> texts(std::string_view text) {
    std::vector<std::string> out;
    for (const Line& line : lines_of(text)) out.emplace_back(line.text);
    return out;
}

std::vector<std::string> fields(std::string_view line, Separator separator) {
    std::vector<std::string_view> views;
    split(line, separator, views);
    return {views.begin(), views.end()};
}

}  // namespace

TEST_CASE("Line ends, a missing last one, blank lines at the end and a byte order mark do not change the lines") {
    const std::vector<std::string> expected{"1,2", "3,4"};
    for (const char* text : {"1,2\n3,4\n", "1,2\r\n3,4\r\n", "1,2\n3,4", "1,2\r\n3,4", "1,2\n3,4\n\n",
                             "1,2\r\n3,4\r\n\r\n \t\n", "\uFEFF1,2\n3,4\n"}) {
        INFO(in_quotes(text));
        CHECK(texts(text) == expected);
    }
    CHECK(texts("").empty());
    CHECK(texts("\n\r\n  \n").empty());
    CHECK(lines_of("a\n\nb").back().number == 3);
}

TEST_CASE("Fields are told apart by the declared separator only") {
    using Fields = std::vector<std::string>;
    CHECK(fields("a, b ,c", Separator::comma) == Fields{"a", "b", "c"});
    CHECK(fields("a,,c,", Separator::comma) == Fields{"a", "", "c", ""});
    CHECK(fields("a b\tc", Separator::tab) == Fields{"a b", "c"});
    CHECK(fields("\t", Separator::tab) == Fields{"", ""});
    CHECK(fields("  a  b \t c  ", Separator::spaces) == Fields{"a", "b", "c"});
    CHECK(fields("a,b", Separator::spaces) == Fields{"a,b"});
}

TEST_CASE("Numbers are the nearest doubles, whatever the locale") {
    const char* const before = std::setlocale(LC_NUMERIC, nullptr);
    const std::string restore = before ? before : "C";
    for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
        std::setlocale(LC_NUMERIC, locale);
        CHECK(number("0.1", {"f", 1, 1}) == 0.1);
        CHECK(number("-2.5e-3", {"f", 1, 1}) == -2.5e-3);
        CHECK(number("+7", {"f", 1, 1}) == 7.0);
        CHECK(number("1e308", {"f", 1, 1}) == 1e308);
        CHECK(number("9007199254740993", {"f", 1, 1}) == 9007199254740992.0);
    }
    std::setlocale(LC_NUMERIC, restore.c_str());
}

TEST_CASE("What is not a finite number is refused by its place") {
    const auto message = [](const char* field) { return said([&] { number(field, {"f.csv", 7, 3}); }); };
    CHECK(message("") == "f.csv:7:3: the field is empty; a number is needed");
    CHECK(message("nan") == "f.csv:7:3: 'nan' is not finite; every number must be");
    CHECK(message("-INF") == "f.csv:7:3: '-INF' is not finite; every number must be");
    CHECK(message("+infinity") == "f.csv:7:3: '+infinity' is not finite; every number must be");
    CHECK(message("1e999") == "f.csv:7:3: '1e999' is outside the range of a double");
    CHECK(message("0,5") == "f.csv:7:3: '0,5' has a decimal comma; numbers are written with a point");
    CHECK(message("1.5x") == "f.csv:7:3: '1.5x' is not a number");
    CHECK(message("0x10") == "f.csv:7:3: '0x10' is not a number");
    CHECK(message("+-1") == "f.csv:7:3: '+-1' is not a number");
    CHECK(message("--1") == "f.csv:7:3: '--1' is not a number");
    CHECK(message("?") == "f.csv:7:3: '?' is not a number");
    CHECK(message("1\x01") == "f.csv:7:3: '1\\x01' is not a number");
    CHECK(message("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee") ==
          "f.csv:7:3: 'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd...' is not a number");
}
