#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "realistic.hpp"
#include "refusal.hpp"
#include "rfbench/config/source_text.hpp"
#include "rfbench_places.hpp"
#include "support/refusal.hpp"

using namespace rfbench::config;
using namespace rfbench::tests;

namespace {

// Message to a program that asks for a key that the schema does not declare.
template <class Ask>
std::string misuse(const Ask& ask) {
    return rfbench::tests::refusal<std::logic_error>([&] { ask(); });
}

std::string load_refusal(const std::string& path) {
    return rfbench::tests::refusal<Error>([&] { load(path, realistic_schema()); });
}

}  // namespace

TEST_CASE("values are read by type and remember their place") {
    const Value value = parse(realistic_text, "f.yaml", realistic_schema());
    CHECK(value.at("experiment").text() == "variance");
    CHECK(value.at("seed").integer() == 20240501);
    CHECK(value.at("paired").boolean());
    CHECK(value.at("note").text() == "thesis, figure 6.4 \xe2\x80\x94 'regimes'");
    CHECK(value.at("sampling").texts() == std::vector<std::string>{"iid", "orthogonal"});
    CHECK(value.at("sweep").at("count").integers() == std::vector<std::int64_t>{4, 8, 16, 32, 64});
    CHECK(value.at("data").items()[1].at("scale").number() == 0.5);
    CHECK(value.at("data").items()[1].at("rows").integer() == 1024);
    CHECK(value.at("mechanisms").items()[0].kind() == Kind::text);
    CHECK(value.at("mechanisms").items()[2].kind() == Kind::map);
    CHECK(value.at("mechanisms").items()[2].at("A").number() == -0.25);
    CHECK(value.at("labels").keys() == std::vector<std::string>{"gamma", "count"});
    CHECK(value.keys().front() == "experiment");

    CHECK(value.at("data").items()[1].at("scale").where() == "f.yaml:10:12: data.1.scale");
    CHECK(value.at("data").items()[1].at("rows").where() == "f.yaml:9:5: data.1.rows");
    CHECK(value.at("mechanisms").items()[2].at("A").where() == "f.yaml:11:79: mechanisms.2.A");
    CHECK(parse(realistic_text, "f.yaml", realistic_schema(), {"smoke", {}}).at("repeats").where() ==
          "f.yaml:24:14: profiles.smoke.repeats");
    CHECK(parse(realistic_text, "f.yaml", realistic_schema(), {"", {"repeats=2"}}).at("repeats").where() ==
          "--set repeats=2: repeats");
    try {
        value.at("sweep").at("gamma").refuse("must reach 2 for this experiment.");
        CHECK(false);
    } catch (const Error& error) {
        CHECK(std::string(error.what()) == "f.yaml:14:10: sweep.gamma: must reach 2 for this experiment.");
    }
}

TEST_CASE("absent optional keys are known to be absent") {
    const Value value = parse(realistic_text, "f.yaml", realistic_schema());
    CHECK(value.at("data").items()[0].has("rows"));
    CHECK_FALSE(value.at("data").items()[0].has("scale"));
    CHECK(value.at("labels").has("gamma"));
    CHECK_FALSE(value.at("labels").has("angle"));
}

TEST_CASE("asking for what the schema does not declare is a mistake of the program") {
    const Value value = parse(realistic_text, "f.yaml", realistic_schema());
    CHECK(misuse([&] { value.at("repeat"); }) ==
          "f.yaml:2:1: the schema declares no key 'repeat'. Did you mean 'repeats'?");
    CHECK(misuse([&] { value.has("zzz"); }) == "f.yaml:2:1: the schema declares no key 'zzz'.");
    CHECK(misuse([&] { value.at("repeats").number(); }) ==
          "f.yaml:4:10: repeats: the schema declares an integer here, the program asks for a number.");
    CHECK(misuse([&] { value.at("sweep").at("gamma").items(); }) ==
          "f.yaml:14:10: sweep.gamma: the schema declares numbers here, the program asks for a list.");
    CHECK(misuse([&] { value.at("seed").at("x"); }) ==
          "f.yaml:3:7: seed: the schema declares an integer here, the program asks for a map.");
    CHECK(misuse([&] { value.at("data").items()[0].at("scale"); }) ==
          "f.yaml:8:5: data.0: the key 'scale' has no value; ask has() first.");
}

TEST_CASE("a schema that contradicts itself is a mistake of the program") {
    CHECK(misuse([] {
              object({required("x", real(), ""), optional("x", real(), "")});
          }) == "object: the key 'x' is declared twice.");
    CHECK(misuse([] { object({defaulted("x", integer(1, 5), "6", "")}); }) ==
          "default of 'x': x: must be a whole number from 1 to 5, not '6'.");
    CHECK(misuse([] { object({defaulted("x", text(), "[", "")}); }) != "accepted");
    CHECK(misuse([] { one_of({}); }) != "accepted");
    CHECK(misuse([] { any_of({}); }) != "accepted");
    CHECK(misuse([] { parse("a: 1", "f.yaml", integer()); }) != "accepted");
    CHECK(misuse([] { parse("a: 1", "f.yaml", object({optional("profiles", text(), "")})); }) != "accepted");
}

TEST_CASE("the keys a configuration takes can be listed") {
    const std::vector<KeyHelp> keys = keys_of(realistic_schema());
    const auto line = [&](const std::string& path) {
        for (const KeyHelp& key : keys) {
            if (key.path == path) return key.takes + "; " + key.need + "; " + key.description;
        }
        return std::string("missing");
    };
    CHECK(line("repeats") == "a whole number from 1 to 1000; default 5; draws a cell");
    CHECK(line("data[].scale") == "a number above 0 and at most 10; optional; factor on the coordinates");
    CHECK(line("mechanisms[].mechanism") == "one of trigonometric, positive, generalized-exponential; required; which");
    CHECK(line("sweep.angle").find("numbers from 0 to 180 (one, a list, ") == 0);
    CHECK(line("labels.*") == "a text; optional; any name");
}

TEST_CASE("the canonical text is a fixed point, whatever the profile") {
    const Schema schema = realistic_schema();
    for (const char* profile : {"", "smoke", "tiny"}) {
        const std::string once = canonical(parse(realistic_text, "f.yaml", schema, {profile, {}}));
        CHECK(canonical(parse(once, "canonical", schema)) == once);
    }
    CHECK(canonical(parse(realistic_text, "f.yaml", schema, {"smoke", {}})) == R"(experiment: variance
seed: 20240501
repeats: 1
paired: true
note: "thesis, figure 6.4 )"
                                                                               "\xe2\x80\x94"
                                                                               R"( 'regimes'"
data: [{name: normal, rows: 1024}, {name: digits, rows: 1024, scale: 0.5}]
mechanisms: [trigonometric, positive, {mechanism: generalized-exponential, t: "-1", A: -0.25}]
sampling: [iid, orthogonal]
sweep:
  gamma: [0.1, 1]
  count: [4]
  angle: [0, 45, 90.5]
labels:
  gamma: "bandwidth\n(gamma)\n"
  count: "number of features"
)");
}

TEST_CASE("the same configuration written differently has the same canonical text") {
    const Schema schema =
        object({defaulted("b", integer(), "5", ""), required("g", numbers(), ""), optional("t", text(), "")});
    const std::string text = canonical(parse("b: 5\ng: [0.1, 0.2, 0.3]\n", "f.yaml", schema));
    CHECK(canonical(parse("{g: {linspace: [1e-1, 0.30, 3]}}", "f.yaml", schema)) == text);
    CHECK(canonical(parse("g: [+0.1, 2e-1, 0.3]\nb: 5\nprofiles: {p: {b: 6}}", "f.yaml", schema)) == text);
    CHECK(canonical(parse("b: 6\ng: [0.1, 0.2, 0.3]\n", "f.yaml", schema)) != text);
}

TEST_CASE("any text survives the canonical form") {
    const Schema schema = object({required("t", list_of(text()), "texts")});
    const std::string given =
        R"(t: ["yes", 'null', "010", "a: b", "- a", "#x", "'", '"', "\\", "\n a \n", "\t", " ", "é",
      "{", "*a", "&a", "!x", "%", "a #b", "~", "3", "<<", "---", "...", "\u2028", "\U0001F600", plain, "-", "\\n"])";
    const Value value = parse(given, "f.yaml", schema);
    const std::string once = canonical(value);
    const Value again = parse(once, "canonical", schema);
    CHECK(canonical(again) == once);
    CHECK(again.at("t").texts() == value.at("t").texts());
    CHECK(value.at("t").texts()[9] == "\n a \n");
}

TEST_CASE("files are read, and what is no configuration file is refused by name") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(RFBENCH_BINARY_DIR) / ("test-config-" + std::to_string(getpid()));
    fs::create_directories(folder);
    const fs::path file = folder / "regimes.yaml";
    std::ofstream(file, std::ios::binary) << realistic_text;
    CHECK(load(file.string(), realistic_schema()).at("repeats").integer() == 5);

    CHECK(load_refusal((folder / "regime.yaml").string()) ==
          (folder / "regime.yaml").string() + ": there is no such file. Did you mean 'regimes.yaml'?");
    CHECK(load_refusal((folder / "regimes.yml").string()).ends_with(" Did you mean 'regimes.yaml'?"));
    std::ofstream(folder / "ab.yaml") << "x";
    std::ofstream(folder / "cde.txt") << "x";
    for (const char* other : {"xy.yaml", "cde.yaml"})
        CHECK(load_refusal((folder / other).string()).ends_with(": there is no such file."));
    CHECK(load_refusal(folder.string()) == folder.string() + ": is a folder; give the configuration file in it.");
    CHECK(load_refusal("/dev/null") == "/dev/null: is not a regular file.");
    CHECK(load_refusal((file / "x").string()).find("there is no such file.") != std::string::npos);

    std::ofstream(file, std::ios::binary) << std::string(max_text_bytes + 1, ' ');
    CHECK(load_refusal(file.string()) ==
          file.string() + ": a configuration has at most 4194304 bytes, this one has 4194305.");
    std::ofstream(file, std::ios::binary) << "experiment: variance\nrepeats: 0\n";
    CHECK(load_refusal(file.string())
              .starts_with(file.string() + ":2:10: repeats: must be a whole number from 1 to 1000, not '0'.\n"));
    fs::remove_all(folder);
}
