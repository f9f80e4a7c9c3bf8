// How messages show what stands in a file.
#include "rfbench/datasets/place.hpp"

#include "catch.hpp"
#include "rfbench/text/utf8.hpp"

using namespace rfbench;
using namespace rfbench::datasets;

TEST_CASE("A field is shown in quotes, its beginning where it is long, and never a part of a character") {
    CHECK(in_quotes("3,5") == "'3,5'");
    CHECK(in_quotes(std::string("a\0\n\x7f", 4)) == "'a\\x00\\x0a\\x7f'");
    CHECK(in_quotes(std::string(40, 'a')) == "'" + std::string(40, 'a') + "'");
    CHECK(in_quotes(std::string(41, 'a')) == "'" + std::string(40, 'a') + "...'");
    CHECK(in_quotes(std::string(39, 'a') + "\u00f6") == "'" + std::string(39, 'a') + "...'");
    CHECK(in_quotes(std::string(38, 'a') + "\u00f6bc") == "'" + std::string(38, 'a') + "\u00f6...'");
}

TEST_CASE("The beginning of a text ends with a whole character") {
    const std::string text = "a\u00f6\u20ac\U0001f600";  // of 1, 2, 3 and 4 bytes
    const std::size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (std::size_t most = 0; most < 12; ++most) CHECK(utf8_prefix(text, most) == text.substr(0, whole[most]));
    // A text that is not UTF-8 has no characters to end with.
    CHECK(utf8_prefix("\x80\x80\x80", 2).empty());
}
