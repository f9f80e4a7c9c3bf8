// One of several things by name, each with keys of its own.
#include "catch.hpp"
#include "rfbench/config/aliases.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/config/schema.hpp"
#include "support/refusal.hpp"

using namespace rfbench::config;
using rfbench::tests::refusal;

namespace {

Schema shapes(std::size_t more) {
    const KeyRule radius = defaulted("radius", real(above(0)), "1", "r");
    std::vector<Named> all{{"disc", {radius}}, {"ball", {radius}}, {"cube", {required("side", real(), "a")}}};
    for (std::size_t i = 0; i < more; ++i) all.push_back({"other" + std::to_string(i), {}});
    const KeyRule label = optional("label", text(), "its name"), count = defaulted("count", integer(1), "1", "of them");
    return object({required("shape",
                            named("shape", "use", all, {label, count}, std::vector<Alias>(),
                                  {{"red", " It is a colour: {use: disc, color: red}."}}),
                            "what it is")});
}

std::string said(const std::string& yaml, std::size_t more = 0) {
    return refusal<Error>([&] { parse(yaml, "f", shapes(more)); });
}

}  // namespace

TEST_CASE("few named things are shown with what each takes, keys that are alike once") {
    std::vector<std::string> lines;
    for (const KeyHelp& key : keys_of(shapes(0)))
        lines.push_back(key.path + " (" + key.need + "): " + key.description + "; " + key.takes);
    REQUIRE(lines.size() == 6);
    CHECK(lines[1] == "shape.use (required): which shape; one of disc, ball, cube");
    CHECK(lines[2].starts_with("shape.label (optional): its name"));
    CHECK(lines[3].starts_with("shape.count (default 1): of them"));
    CHECK(lines[4].starts_with("shape.radius (default 1): of disc, ball: r; "));
    CHECK(lines[5].starts_with("shape.side (required): of cube: a; "));
    CHECK(said("shape: dics\n").ends_with("Did you mean 'disc'? There are: disc, ball, cube."));
    CHECK(said("shape: red\n").find("not 'red'. It is a colour: {use: disc, color: red}. There are: disc") !=
          std::string::npos);
    CHECK(said("shape: {use: cube, radius: 2}\n").find("'cube' takes no such key") != std::string::npos);
}

TEST_CASE("many named things are left to the list of them") {
    CHECK(keys_of(shapes(21)).size() == 6);
    CHECK(keys_of(shapes(22)).size() == 4);
    CHECK(said("shape: dics\n", 22).ends_with("Did you mean 'disc'? 'rfbench list shapes' shows them all."));
}

TEST_CASE("a profile's map that takes the place of a name alone says so, with the line of the name") {
    CHECK(
        said("shape: disc\nprofiles: {smoke: {shape: {radius: 2}}}\n") ==
        "f:2:27: profiles.smoke.shape.use: this key is missing: which shape it is. The map replaces 'disc' of line 1, "
        "which is a name alone: write {use: disc} there, or a name here.");
    CHECK(said("shape: {use: disc}\nprofiles: {smoke: {shape: {radius: 2}}}\n") == "accepted");
    CHECK(said("shape: {radius: 2}\n").ends_with("which shape it is."));
}

TEST_CASE("a key that is refused says why at its place, and help does not show it") {
    const Schema schema = object(
        {required("shape", named("shape", "use", {{"disc", {refused_key("side", "a disc has none")}}, {"cube", {}}}),
                  "what it is")});
    const auto answer = [&](const std::string& yaml) { return refusal<Error>([&] { parse(yaml, "f", schema); }); };
    CHECK(answer("shape: {use: disc, side: 2}\n") == "f:1:20: shape.side: a disc has none.");
    CHECK(answer("shape: {use: cube, side: 2}\n").ends_with("'cube' takes no such key. It takes: use."));
    CHECK(answer("shape: {use: disc, sid: 2}\n").ends_with("'disc' takes no such key. It takes: use."));
    CHECK(parse("shape: disc\n", "f", schema).at("shape").keys() == std::vector<std::string>{"use"});
    CHECK(keys_of(schema).size() == 2);
    // Outside of named things, too.
    const Schema plain = object({optional("a", real(), "a"), refused_key("b", "b is gone")});
    CHECK(refusal<Error>([&] { parse("b: 1\n", "f", plain); }) == "f:1:1: b: b is gone.");
    CHECK(refusal<Error>([&] { parse("c: 1\n", "f", plain); }).ends_with("Allowed: a."));
    CHECK_THROWS_AS(object({optional("a", real(), "a"), refused_key("a", "twice")}), std::logic_error);
    // A misspelt key beside it is one mistake: the key that was meant is not missing as well.
    const Schema needed =
        object({refused_key("b", "b is gone"), required("alpha", real(), "a"), required("c", real(), "c")});
    CHECK(refusal<Error>([&] { parse("alpa: 1\nc: 2\n", "f", needed); }) ==
          "f:1:1: alpa: there is no such key. Did you mean 'alpha'? Allowed: alpha, c.");
}

TEST_CASE("an alias stands for a map; what is given beside it counts, and ends its label where it changes the map") {
    const KeyRule radius = defaulted("radius", real(above(0)), "1", "r");
    const std::vector<Named> all{{"disc", {radius}}, {"cube", {required("side", real(), "a")}}};
    const Schema schema = object({required("shape",
                                           named("shape", "use", all, {optional("label", text(), "its name")},
                                                 {{"Coin", "{use: disc, radius: 0.5, label: Coin}"}}),
                                           "what it is")});
    const auto read = [&](const std::string& yaml) { return canonical(parse("shape: " + yaml + "\n", "f", schema)); };
    CHECK(read("Coin") == read("{use: disc, radius: 0.5, label: Coin}"));
    // Another radius makes it another thing, which is not called so.
    CHECK(read("{use: Coin, radius: 2}") == read("{use: disc, radius: 2}"));
    CHECK(read("{use: Coin, radius: 0.5}") == read("Coin"));
    CHECK(read("{label: euro, use: Coin}") == read("{use: disc, radius: 0.5, label: euro}"));
    const auto said = [&](const std::string& yaml) { return refusal<Error>([&] { read(yaml); }); };
    CHECK(said("{use: Coin, side: 2}") ==
          "f:1:20: shape.side: 'disc' takes no such key. It takes: use, label, radius.");
    CHECK(said("coin").ends_with("Did you mean 'Coin'? There are: disc, cube."));
}
