// A configuration takes no longer than its length says, however its lists are laid out.
#include "support/growth.hpp"

#include <string>

#include "catch.hpp"
#include "rfbench/config/document.hpp"
#include "rfbench/config/source_text.hpp"

using namespace rfbench;
using namespace rfbench::config;
using namespace rfbench::tests;

namespace {

/// n elements, each as `element` says with its number for the dollar, and `between` them.
std::string list(std::size_t n, const std::string& element, const std::string& between) {
    const std::size_t dollar = element.find('$');
    std::string text = "list: [";
    for (std::size_t i = 0; i < n; ++i)
        text += (i == 0 ? "" : between) + element.substr(0, dollar) + std::to_string(i) + element.substr(dollar + 1);
    return text + "]\n";
}

}  // namespace

TEST_CASE("the time to read a list grows as its length does, on one line and on many") {
    for (const std::string element : {"{use: positive, label: \"p$\"}", "&a$ 1.5", "\u00e4\u00f6$", "'$'"})
        for (const std::string between : {", ", ",\n  "}) {
            INFO(element << (between.back() == ' ' && between.size() > 2 ? " on lines of their own" : " on one line"));
            const auto read = [&](std::size_t n) {
                parse_document(list(n, element, between), std::make_shared<Source>());
            };
            CHECK(growth(4000, 32000, read) < linear_or_quadratic);
        }
}

TEST_CASE("places on a long line count characters, whatever stands before them") {
    // Each of these is two bytes and one character.
    std::string text = "list: [";
    for (int i = 0; i < 500; ++i) text += "\u00e4, ";
    const Node root = parse_document(text + "\u00f6]\n", std::make_shared<Source>());
    const Node& items = root.items.front();
    REQUIRE(items.items.size() == 501);
    for (std::size_t i = 0; i < items.items.size(); ++i) {
        CHECK(items.items[i].place.line == 1);
        CHECK(items.items[i].place.column == static_cast<int>(8 + 3 * i));
    }
}
