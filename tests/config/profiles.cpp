#include <string>
#include <vector>

#include "catch.hpp"
#include "realistic.hpp"
#include "refusal.hpp"

using namespace rfbench::config;

namespace {

Schema profiled_schema() {
    return object({
        required("repeats", integer(1, 100), "draws"),
        required("sweep",
                 object({required("gamma", numbers(above(0)), "bandwidths"),
                         defaulted("count", integers(1), "[8]", "features")}),
                 "axes"),
        optional("sub", object({required("x", real(), "abscissa"), optional("y", real(), "ordinate")}), "map"),
        optional("either", any_of({object({required("a", real(), "")}), object({required("b", real(), "")})}),
                 "a or b"),
    });
}

const std::string base = "repeats: 20\nsweep:\n  gamma: {linspace: [1, 2, 3]}\n  count: [4, 8]\n";

Value with(const std::string& profiles, const std::string& profile, const std::vector<std::string>& overrides = {}) {
    return parse(base + profiles, "f.yaml", profiled_schema(), {profile, overrides});
}

std::string refused(const std::string& profiles, const std::string& profile = {},
                    const std::vector<std::string>& overrides = {}) {
    return refusal(base + profiles, profiled_schema(), {profile, overrides});
}

}  // namespace

TEST_CASE("more profiles than a file needs are refused, before each is checked with the whole document") {
    const auto profiles = [](int count) {
        std::string text = "profiles:\n";
        for (int i = 0; i < count; ++i) text += "  p" + std::to_string(i) + ": {repeats: 1}\n";
        return text;
    };
    CHECK(refused(profiles(100)) == "accepted");
    CHECK(refused(profiles(101)) == "f.yaml:6:3: profiles: has 101 profiles; a configuration has at most 100.");
}

TEST_CASE("a profile replaces values and keeps what it does not name") {
    const std::string profiles = "profiles: {smoke: {repeats: 1, sweep: {gamma: [0.1, 1]}}, none: {}}\n";
    const Value smoke = with(profiles, "smoke");
    CHECK(smoke.at("repeats").integer() == 1);
    CHECK(smoke.at("sweep").at("gamma").numbers() == std::vector<double>{0.1, 1});
    CHECK(smoke.at("sweep").at("count").integers() == std::vector<std::int64_t>{4, 8});
    for (const char* profile : {"", "full", "none"}) {
        CHECK(canonical(with(profiles, profile)) == canonical(parse(base, "f.yaml", profiled_schema())));
    }
    CHECK(profile_names(base + profiles, "f.yaml") == std::vector<std::string>{"smoke", "none"});
}

TEST_CASE("a range is replaced as a whole, in either direction") {
    const std::string profiles =
        "profiles: {logs: {sweep: {gamma: {logspace: [1, 4, 3]}}}, same: {sweep: {gamma: {linspace: [1, 3, 2]}}}, "
        "one: {sweep: {gamma: 7}}}\n";
    CHECK(with(profiles, "logs").at("sweep").at("gamma").numbers() == std::vector<double>{1, 2, 4});
    CHECK(with(profiles, "same").at("sweep").at("gamma").numbers() == std::vector<double>{1, 3});
    CHECK(with(profiles, "one").at("sweep").at("gamma").numbers() == std::vector<double>{7});
}

TEST_CASE("a profile may add a map that the document lacks") {
    CHECK(with("profiles: {p: {sub: {x: 2}}}\n", "p").at("sub").at("x").number() == 2);
    CHECK_FALSE(with("profiles: {p: {sub: {x: 2}}}\n", "full").has("sub"));
}

TEST_CASE("every profile is checked, selected or not, and errors point to its lines") {
    CHECK(refused("profiles:\n  smoke:\n    repeat: 3\n") ==
          "f.yaml:7:5: profiles.smoke.repeat: there is no such key. Did you mean 'repeats'? Allowed: repeats, sweep, "
          "sub, "
          "either.");
    CHECK(refused("profiles:\n  smoke: {}\n  big:\n    sweep: {gamma: [1, -1]}\n", "smoke") ==
          "f.yaml:8:24: profiles.big.sweep.gamma.1: must be a number above 0, not '-1'.");
    CHECK(refused("profiles: {smoke: {sub: {y: 1}}}\n") ==
          "f.yaml:5:25: profiles.smoke.sub.x: this key is missing (abscissa); it must be a number.");
    CHECK(refused("profiles: {smoke: {profiles: {}}}\n") ==
          "f.yaml:5:20: profiles.smoke.profiles: there is no such key. Allowed: repeats, sweep, sub, either.");
    CHECK(refused("profiles: {smoke: {repeats: 1, repeats: 2}}\n") ==
          "f.yaml:5:32: profiles.smoke.repeats: this key is given twice, first on line 5.");
    CHECK(refused("profiles: {smoke: 3}\n") ==
          "f.yaml:5:19: profiles.smoke: must be a map of what the profile changes, not '3'.");
    CHECK(refused("profiles: [smoke]\n") ==
          "f.yaml:5:11: profiles: must be a map from profile names to maps, not a list of 1.");
    CHECK(refused("profiles:\n") == "f.yaml:5:1: profiles: must be a map from profile names to maps, not nothing.");
    CHECK(refused("profiles: {full: {}}\n") ==
          "f.yaml:5:12: profiles.full: 'full' is the document as written; choose another name.");
}

TEST_CASE("where a profile makes the document's own lines wrong, it is named") {
    CHECK(refused("either: {a: 1}\nprofiles: {p: {either: {b: 1}}}\n")
              .find("with profile 'p': f.yaml:5:9: either: must be ") == 0);
}

TEST_CASE("an unknown profile names those there are") {
    const std::string profiles = "profiles: {smoke: {}, quick: {}}\n";
    CHECK(refused(profiles, "smok") ==
          "f.yaml: there is no profile 'smok'. Did you mean 'smoke'? Profiles: smoke, quick, "
          "and full for the document as written.");
    CHECK(
        refused("", "smoke") ==
        "f.yaml: there is no profile 'smoke'. The file has none; a map 'profiles: {smoke: {...}}' in it defines one.");
}

TEST_CASE("an override sets a value after the profile") {
    const std::string profiles = "profiles: {smoke: {repeats: 1}}\n";
    const Value value = with(profiles, "smoke", {"repeats=7", "sweep.gamma=[5, 6]", "sweep.gamma.1=8", "sub.x=-1"});
    CHECK(value.at("repeats").integer() == 7);
    CHECK(value.at("sweep").at("gamma").numbers() == std::vector<double>{5, 8});
    CHECK(value.at("sub").at("x").number() == -1);
    CHECK(with("", "", {"sweep.gamma.linspace.2=2"}).at("sweep").at("gamma").numbers() == std::vector<double>{1, 2});
    CHECK(with("", "", {"sweep={gamma: 3}"}).at("sweep").at("count").integers() == std::vector<std::int64_t>{8});
    CHECK(with("", "", {"repeats=2", "repeats=3"}).at("repeats").integer() == 3);
}

TEST_CASE("a wrong override is named with what is allowed") {
    const auto set = [](const std::string& argument) { return refused("", "", {argument}); };
    CHECK(set("sweep.gama=3") ==
          "--set sweep.gama=3: sweep.gama: there is no such key. Did you mean 'gamma'? Allowed: gamma, count.");
    CHECK(
        set("swep.gamma=3") ==
        "--set swep.gamma=3: swep: there is no such key. Did you mean 'sweep'? Allowed: repeats, sweep, sub, either.");
    CHECK(set("repeats=101") == "--set repeats=101: repeats: must be a whole number from 1 to 100, not '101'.");
    CHECK(set("sweep={gama: 3}") ==
          "--set sweep={gama: 3}: sweep.gama: there is no such key. Did you mean 'gamma'? Allowed: gamma, count.");
    CHECK(set("sweep={gamma: 3, gamma: 4}") == "--set sweep={gamma: 3, gamma: 4}: gamma: this key is given twice.");
    CHECK(set("sub.y=1") == "--set sub.y=1: sub.x: this key is missing (abscissa); it must be a number.");
    CHECK(set("sweep.count.2=3") == "--set sweep.count.2=3: sweep.count.2: the list has the elements 0 to 1.");
    CHECK(set("sweep.count.x=3") == "--set sweep.count.x=3: sweep.count.x: the list has the elements 0 to 1.");
    CHECK(
        set("list.0=3") ==
        "--set list.0=3: list.0: list is not written in the configuration, so that it has no element 0; give it whole, "
        "as in list=[...].");
    CHECK(set("repeats.x=3") == "--set repeats.x=3: repeats.x: repeats is '20', which has no keys.");
    CHECK(set("repeats") == "--set repeats: must be path=value, like rows=128 or methods.0=positive.");
    for (const std::string given : {"repeats: 3", "sub: [{x: a=b}]"})
        CHECK(set(given) ==
              "--set " + given +
                  ": must be path=value, like rows=128 or methods.0=positive; '=' stands where a file has "
                  "the first colon.");
    CHECK(set("repeats=") == "--set repeats=: a value is missing after '='.");
    CHECK(set("repeats=~") == "--set repeats=~: there is nothing here but comments.");
    CHECK(set("=3") == "--set =3: the path before '=' must be names or element numbers with a dot between.");
    CHECK(set("sweep..gamma=3") ==
          "--set sweep..gamma=3: the path before '=' must be names or element numbers with a dot between.");
    CHECK(set("repeats=\"3") == "--set repeats=\"3: this is not YAML: illegal EOF in scalar.");
    CHECK(set("repeats=!!int 3") ==
          "--set repeats=!!int 3: the tag 'tag:yaml.org,2002:int' is not allowed; the type follows from the key.");
    CHECK(set("profiles.smoke.repeats=3") ==
          "--set profiles.smoke.repeats=3: profiles are selected with --profile, not set.");
    CHECK(set("repeats=3\n---\n4") ==
          "--set repeats=3\\n---\\n4: a second document begins here; a configuration is one "
          "document.");
    CHECK(set("sweep.count.0=8") ==
          "with --set sweep.count.0=8: f.yaml:4:14: sweep.count.1: 8 is in the list twice, first as element 0.");
}
