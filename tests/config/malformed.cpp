#include <fmt/format.h>

#include <string>
#include <vector>

#include "catch.hpp"
#include "refusal.hpp"
#include "rfbench/config/document.hpp"

using namespace rfbench::config;

namespace {

Schema schema() {
    return object({
        required("gamma", numbers(above(0)), "bandwidths"),
        optional("n", integer(1, 100), "count"),
        optional("share", real(between(-1, 1)), "share"),
        optional("tail", real(above(0).below(1)), "tail"),
        optional("on", boolean(), "switch"),
        optional("draw", one_of({"iid", "orthogonal"}), "draw"),
        optional("t", text(), "text"),
        optional("list", list_of(text(), 2), "texts"),
        optional("counts", integers(1, 1024), "counts"),
        optional("sub", object({required("x", real(), "abscissa"), optional("width", real(), "width")}), "map"),
        optional("either", any_of({integer(), one_of({"auto"})}), "count or auto"),
        optional("axes", map_of(text(), {"gamma", "count"}), "labels"),
    });
}

const std::string ranges = "(one, a list, {linspace: [a, b, n]}, {logspace: [a, b, n]} or {powers: [a, b]})";
const std::string keys = "gamma, n, share, tail, on, draw, t, list, counts, sub, either, axes";

struct Malformed {
    std::string text;
    std::string message;  // after "f.yaml"
};

void check_all(const std::vector<Malformed>& table) {
    for (const auto& [text, message] : table) {
        INFO(text);
        CHECK(refusal(text, schema()) == "f.yaml" + message);
    }
}

}  // namespace

TEST_CASE("what is not one YAML map is refused where it goes wrong") {
    check_all({
        {"", ":1:1: there is nothing here but comments."},
        {"# only a comment\n\n", ":1:1: there is nothing here but comments."},
        {"---\n", ":1:1: there is nothing here but comments."},
        {"- 1\n", ":1:1: a configuration is a map of 'key: value' lines, not a list of 1."},
        {"gamma:3\n",
         ":1:1: a configuration is a map of 'key: value' lines, not 'gamma:3'. Is a space missing after the "
         "colon?"},
        {"gamma: [1,\n", ":2:1: this is not YAML: end of sequence flow not found."},
        {"gamma: [1, 2]]\n", ":1:14: this is not YAML: illegal flow end."},
        {"gamma: {linspace:[1, 2, 3]}\n",
         ":1:18: this is not YAML: end of map flow not found. Write a space after ':'."},
        {"gamma: 1\n n: 2\n", ":2:3: this is not YAML: illegal map value."},
        {"gamma: 1\nsub:\n    x: 1\n  width: 2\n", ":4:3: this is not YAML: end of map not found."},
        {"gamma: 1\nt: a: b\n", ":2:5: this is not YAML: illegal map value."},
        {"gamma: 1\nt: \"a\" b\n", ":2:8: this is not YAML: end of map not found."},
        {"gamma: 1\nt: \"a\nn: 3\n", ":2:4: t: the quote that opens here is never closed."},
        {"gamma: 1\nt: 'it''s\n", ":2:4: t: the quote that opens here is never closed."},
        {"gamma: 1\nt: \"\\q\"\n", ":2:7: this is not YAML: unknown escape character: q."},
        {"gamma: 1\n@x: 3\n", ":2:1: this is not YAML: unknown token."},
        {"gamma: 1\nt: *x\n", ":2:4: this is not YAML: the referenced anchor is not defined."},
        {"gamma: 1\n---\ngamma: 2\n", ":2:1: a second document begins here; a configuration is one document."},
        {"gamma: 1\n...\ngamma: 2\n", ":3:1: a second document begins here; a configuration is one document."},
        {"%YAML 1.2\n---\ngamma: 1\n", ":1:1: YAML directives (lines that begin with '%') are not allowed."},
        {"gamma: !!float 1\n",
         ":1:8: gamma: the tag 'tag:yaml.org,2002:float' is not allowed; the type follows from the key."},
        {"gamma: !!seq [1]\n",
         ":1:8: gamma: the tag 'tag:yaml.org,2002:seq' is not allowed; the type follows from the key."},
        {"? [a]\n: 1\n", ":1:3: a key must be a plain word, not a list or a map. Is a bracket left open?"},
        {": 3\n", ":1:1: a key is missing before the colon."},
        {"gamma: 1\nsub: {*a : 1}\n", ":2:7: this is not YAML: the referenced anchor is not defined."},
        {"gamma: &a 1\nsub: {*a : 1}\n", ":2:7: sub: an alias cannot be a key."},
        {"gamma: &a [1, *a]\n", ":1:15: gamma.1: this alias stands inside its own anchor."},
        {"gamma: 1\nsub:\n  <<: {x: 1}\n",
         ":3:3: sub.'<<': merge keys are not supported; write the keys out or use a profile."},
    });
}

TEST_CASE("bytes that are not plain UTF-8 text are refused") {
    check_all({
        {"gamma: 1\n\tn: 2\n", ":2:1: a tab; write spaces instead (or \\t inside double quotes)."},
        {"gamma: 1\nt: \xff\n", ":2:4: the byte 0xff is not UTF-8 text."},
        {"gamma: 1\nt: \xc3\xa9\xc3\xa9 \xe2\x82\n", ":2:7: the byte 0xe2 is not UTF-8 text."},
        {"gamma: 1\nt: \xc0\xaf\n", ":2:4: the byte 0xc0 is not UTF-8 text."},
        {"gamma: 1\nt: \xed\xa0\x80\n", ":2:4: the byte 0xed is not UTF-8 text."},
        {"gamma: 1\nt: \xf4\x90\x80\x80\n", ":2:4: the byte 0xf4 is not UTF-8 text."},
        {std::string("gamma: 1\0\n", 10), ":1:9: a NUL byte; this is not a text file."},
        {"gamma: 1\nt: a\rb\n", ":2:5: the control character 0x0d is not allowed."},
        {"gamma: 1\nt: \x04\n", ":2:4: the control character 0x04 is not allowed."},
        {"gamma: 1\nt: \xc2\x85\n", ":2:4: the control character U+0085 is not allowed."},
        {"gamma: 1\nt: a\xef\xbb\xbf\n", ":2:5: a byte order mark inside the text is not allowed."},
        {"gamma: 1\nt: \"a\\0b\"\n", ":2:4: t: the text holds the control character U+0000."},
        {"gamma: 1\nt: \"a\\x85\"\n", ":2:4: t: the text holds the control character U+0085."},
        {"gamma: 1\nt: \"\\uFEFF\"\n", ":2:4: t: the text holds a byte order mark."},
        {"\xff\xfeg", ":1:1: the byte 0xff is not UTF-8 text."},
    });
}

TEST_CASE("keys that are unknown, twice or missing are refused") {
    check_all({
        {"gamma: 1\ngama: 2\n", ":2:1: gama: there is no such key. Did you mean 'gamma'? Allowed: " + keys + "."},
        {"gamma: 1\nzzzzz: 2\n", ":2:1: zzzzz: there is no such key. Allowed: " + keys + "."},
        {"gamma: 1\n\"a\\nb\": 2\n", ":2:1: 'a\\nb': there is no such key. Allowed: " + keys + "."},
        {"gamma: 1\nsub:\n  x: 1\n  widht: 2\n",
         ":4:3: sub.widht: there is no such key. Did you mean 'width'? Allowed: x, width."},
        {"gamma: 1\nsub: {\xc3\xa9\xc3\xa9: 1, wide: 2}\n",
         ":2:7: sub.'\xc3\xa9\xc3\xa9': there is no such key. Allowed: x, width.\n"
         "f.yaml:2:14: sub.wide: there is no such key. Did you mean 'width'? Allowed: x, width.\n"
         "f.yaml:2:6: sub.x: this key is missing (abscissa); it must be a number."},
        {"gamma: 1\nsub: {x: '\xc3\xa9\xc3\xa9', width: 2}\n",
         ":2:10: sub.x: must be a number, not the text '\xc3\xa9\xc3\xa9' in quotes: leave the quotes out."},
        {"t: '\xc3\xa9\xc3\xa9'\naxes: {gamma: '\xc3\xa9', n: 2}\n",
         ":1:1: gamma: this key is missing (bandwidths); it must be numbers above 0 " + ranges +
             ".\nf.yaml:2:20: axes.n: there is no such key. Allowed: gamma, count."},
        {"gamma: 1\naxes: {gamma: '\xc3\xa9', cuont: 2}\n",
         ":2:20: axes.cuont: there is no such key. Did you mean 'count'? Allowed: gamma, count."},
        {"gamma: 1\nn: 2\ngamma: 2\n", ":3:1: gamma: this key is given twice, first on line 1."},
        {"gamma: 1\nsub: {x: 1,\n  x: 2}\n", ":3:3: sub.x: this key is given twice, first on line 2."},
        {"gamma: 1\nunknown: {x: 1, x: 2}\n", ":2:17: unknown.x: this key is given twice, first on line 2."},
        {"gamma: 1\nn\n", ":2:1: n: must be a whole number from 1 to 100, not nothing."},
        {"n: 3\n", ":1:1: gamma: this key is missing (bandwidths); it must be numbers above 0 " + ranges + "."},
        {"gamma: 1\nsub: {}\n", ":2:6: sub.x: this key is missing (abscissa); it must be a number."},
        {"gamma: 1\nsub:\n  width: 1\n", ":3:3: sub.x: this key is missing (abscissa); it must be a number."},
    });
}

TEST_CASE("values of the wrong type or out of range are refused") {
    check_all({
        {"gamma:\nn: 3\n", ":1:1: gamma: must be numbers above 0 " + ranges + ", not nothing."},
        {"gamma: ~\n", ":1:1: gamma: must be numbers above 0 " + ranges + ", not nothing."},
        {"gamma: []\n", ":1:8: gamma: must be numbers above 0 " + ranges + ", not an empty list."},
        {"gamma: 0\n", ":1:8: gamma: must be a number above 0, not '0'."},
        {"gamma: -0.0\n", ":1:8: gamma: must be a number above 0, not '-0.0'."},
        {"gamma: [1, -2]\n", ":1:12: gamma.1: must be a number above 0, not '-2'."},
        {"gamma: [1, [2]]\n", ":1:12: gamma.1: must be a number above 0, not a list of 1."},
        {"gamma: [1, ~]\n", ":1:8: gamma.1: must be a number above 0, not nothing."},
        {"gamma:\n  - 1\n  - 2\n  - 1.0\n", ":4:5: gamma.2: 1 is in the list twice, first as element 0."},
        {"gamma: 1, 2\n",
         ":1:8: gamma: must be a number above 0, not '1, 2': numbers are written like 3, -0.25 or 1e-3."},
        {"gamma: 1\nshare: 1.0000000000000003\n",
         ":2:8: share: must be a number from -1 to 1, not '1.0000000000000003'."},
        {"gamma: 1\ntail: 1\n", ":2:7: tail: must be a number above 0 and below 1, not '1'."},
        {"gamma: 1\nn: 0\n", ":2:4: n: must be a whole number from 1 to 100, not '0'."},
        {"gamma: 1\nn: {a: 1}\n", ":2:4: n: must be a whole number from 1 to 100, not a map."},
        {"gamma: 1\non: yes\n", ":2:5: on: must be true or false, not 'yes'."},
        {"gamma: 1\non: True\n", ":2:5: on: must be true or false, not 'True'."},
        {"gamma: 1\non: 1\n", ":2:5: on: must be true or false, not '1'."},
        {"gamma: 1\non: 'true'\n",
         ":2:5: on: must be true or false, not the text 'true' in quotes: leave the quotes "
         "out."},
        {"gamma: 1\ndraw: orthogonl\n",
         ":2:7: draw: 'orthogonl' is not allowed. Did you mean 'orthogonal'? Allowed: iid, orthogonal."},
        {"gamma: 1\ndraw: [iid]\n", ":2:7: draw: must be one of iid, orthogonal, not a list of 1."},
        {"gamma: 1\nt: ''\n", ":2:4: t: must be a text that is not empty."},
        {"gamma: 1\nt: null\n", ":2:1: t: must be a text, not nothing."},
        {"gamma: 1\nlist: [a]\n", ":2:7: list: must be a list of at least 2, each a text, not a list of 1."},
        {"gamma: 1\nlist: a\n", ":2:7: list: must be a list of at least 2, each a text, not 'a'."},
        {"gamma: 1\nlist: [a, b, a]\n", ":2:14: list.2: 'a' is in the list twice, first as element 0."},
        {"gamma: 1\nsub: 3\n", ":2:6: sub: must be a map with the keys x, width, not '3'."},
        {"gamma: 1\neither: autos\n", ":2:9: either: must be a whole number, or the name auto, not 'autos'."},
        {"gamma: 1\r\nn: 500\r\n", ":2:4: n: must be a whole number from 1 to 100, not '500'."},
        {"\xef\xbb\xbfn: 500\ngamma: 1\n", ":1:4: n: must be a whole number from 1 to 100, not '500'."},
        {"gamma: &a -1\n", ":1:8: gamma: must be a number above 0, not '-1'."},
    });
}

TEST_CASE("numbers that readers of YAML take differently are refused") {
    const std::string at = ":1:8: gamma: must be a number above 0, not ";
    const std::string whole = ":2:4: n: must be a whole number from 1 to 100, not ";
    const std::string octal = ": leading zeros would make it octal to other readers; leave them out.";
    check_all({
        {"gamma: .nan\n", at + "'.nan': only finite numbers are allowed."},
        {"gamma: -.INF\n", at + "'-.INF': only finite numbers are allowed."},
        {"gamma: 1e999\n", at + "'1e999': it is beyond the range of double precision."},
        {"gamma: 1e-999\n", at + "'1e-999': it is beyond the range of double precision."},
        {"gamma: 010\n", at + "'010'" + octal},
        {"gamma: 00.5\n", at + "'00.5'" + octal},
        {"gamma: 0x10\n", at + "'0x10': write it in decimal."},
        {"gamma: 0o17\n", at + "'0o17': write it in decimal."},
        {"gamma: 1:30\n", at + "'1:30': it would be base 60 to other readers; write it in decimal."},
        {"gamma: 1_000\n", at + "'1_000': write the digits without '_'."},
        {"gamma: .5\n", at + "'.5': numbers are written like 3, -0.25 or 1e-3."},
        {"gamma: 5.\n", at + "'5.': numbers are written like 3, -0.25 or 1e-3."},
        {"gamma: 1e\n", at + "'1e': numbers are written like 3, -0.25 or 1e-3."},
        {"gamma: '3'\n", at + "the text '3' in quotes: leave the quotes out."},
        {"gamma: 1\nn: 1.5\n", whole + "'1.5': whole numbers are written in digits only, like 1000."},
        {"gamma: 1\nn: 1e2\n", whole + "'1e2': whole numbers are written in digits only, like 1000."},
        {"gamma: 1\nn: 010\n", whole + "'010'" + octal},
        {"gamma: 1\nn: -0x1\n", whole + "'-0x1': write it in decimal."},
        {"gamma: 1\nn: 99999999999999999999\n", whole + "'99999999999999999999': it does not fit 64 bits."},
    });
}

TEST_CASE("ranges that cannot be written out are refused") {
    const std::string map = ": gamma: must be numbers above 0 " + ranges + "; this map has ";
    check_all({
        {"gamma: {}\n", ":1:8" + map + "0 keys instead of one."},
        {"gamma: {logspace: [1, 2, 3], x: 1}\n", ":1:8" + map + "2 keys instead of one."},
        {"gamma: {linspce: [1, 2, 3]}\n",
         ":1:9: gamma.linspce: there is no such range. Did you mean 'linspace'? Ranges: "
         "linspace, logspace, powers."},
        {"gamma: {linspace: [1, 2]}\n", ":1:19: gamma.linspace: must be a list [a, b, n], not a list of 2."},
        {"gamma: {powers: 3}\n", ":1:17: gamma.powers: must be a list [a, b], not '3'."},
        {"gamma: {linspace: [0, 1, 3]}\n", ":1:20: gamma.linspace.0: must be a number above 0, not '0'."},
        {"gamma: {linspace: [1, 2, 1]}\n", ":1:26: gamma.linspace.2: must be a whole number from 2 to 10000, not '1'."},
        {"gamma: {linspace: [1, 2, 1000000000]}\n",
         ":1:26: gamma.linspace.2: must be a whole number from 2 to 10000, not '1000000000'."},
        {"gamma: {linspace: [1, 1, 3]}\n", ":1:26: gamma.linspace.2: 3 points from 1 to 1 are not all different."},
        {"gamma: {linspace: [1, 1.000000000000001, 100]}\n",
         ":1:42: gamma.linspace.2: 100 points from 1 to 1.000000000000001 are not all different."},
        {"gamma: {powers: [3, 64]}\n", ":1:21: gamma.powers.1: doubling 3 does not reach 64; it gives 48 and then 96."},
        {"gamma: {powers: [4, 2]}\n", ":1:21: gamma.powers.1: the end of doubling must not be below its start."},
        {"gamma: 1\ncounts: {linspace: [1, 2, 3]}\n",
         ":2:20: counts.linspace: gives 1.5, which is not a whole number below 2^53."},
        {"gamma: 1\ncounts: {logspace: [1, 5, 9]}\n",
         ":2:27: counts.logspace.2: 9 points from 1 to 5 are not all different."},
        {"gamma: 1\ncounts: {powers: [1, 2048]}\n",
         ":2:22: counts.powers.1: must be a whole number from 1 to 1024, not '2048'."},
    });
    const Schema any = object({required("x", numbers(), "any")});
    CHECK(refusal("x: {logspace: [-1, 1, 3]}", any) == "f.yaml:1:16: x.logspace.0: must be above 0 here, not -1.");
    const Schema whole = object({required("x", integers(), "any")});
    CHECK(refusal("x: {linspace: [0, 9007199254740993, 2]}", whole) ==
          "f.yaml:1:15: x.linspace: gives 9007199254740992, which is not a whole number below 2^53.");
    CHECK(refusal("x: {powers: [0, 1]}", any) == "f.yaml:1:14: x.powers.0: must be above 0 here, not 0.");
}

TEST_CASE("what could exhaust the machine is refused") {
    const auto nested = [](std::size_t depth) {
        return std::string("gamma: ").append(depth, '[').append("1").append(depth, ']').append("\n");
    };
    // The map around is one level.
    CHECK(refusal(nested(max_nesting - 1), schema()).find("gamma.0: must be a number") != std::string::npos);
    CHECK(refusal(nested(max_nesting), schema()).find("nested deeper than 32 levels") != std::string::npos);
    CHECK(refusal(nested(100000), schema()) != "accepted");
    CHECK(refusal(std::string("gamma: ").append(100000, '['), schema()) != "accepted");
    CHECK(refusal(std::string(3 << 20, '{'), schema()) != "accepted");

    // A billion laughs: ten times ten times ... ten aliases.
    std::string bomb = "a: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    for (int i = 1; i < 10; ++i) {
        bomb += fmt::format("b{}: &a{} [*a{}", i, i, i - 1);
        for (int j = 1; j < 10; ++j) bomb += fmt::format(", *a{}", i - 1);
        bomb += "]\n";
    }
    CHECK(refusal(bomb, schema()).find("with its aliases written out the document is larger than 32 MiB") !=
          std::string::npos);

    // Aliases of one large text.
    std::string heavy = std::string("t: &t ").append(1 << 20, 'x').append("\nlist: [*t");
    for (int i = 0; i < 1000; ++i) heavy += ", *t";
    CHECK(refusal(heavy + "]\n", schema()).find("larger than 32 MiB") != std::string::npos);

    // An alias deepens what it stands in.
    std::string deep = "a0: &a0 [1]\n";
    for (int i = 1; i < 40; ++i) {
        deep += fmt::format("a{}: &a{} [*a{}]\n", i, i, i - 1);
    }
    CHECK(refusal(deep, schema()).find("nested deeper than 32 levels") != std::string::npos);

    CHECK(refusal(std::string("t: ").append(5 << 20, 'x'), schema()) ==
          "f.yaml: a configuration has at most 4194304 bytes, this one has 5242883.");
}

TEST_CASE("harmless variety is accepted") {
    for (const char* text : {"gamma: 1", "\xef\xbb\xbfgamma: 1\n", "gamma: 1\r\nn: 5\r\n", "---\ngamma: 1\n...\n",
                             "gamma: &g 1\nsub: {x: *g}\n", "{gamma: [1, 2,], \"n\": 3}", "gamma: +1e+2 # wide\n",
                             "gamma: 1\nt: \"\\u00e9\\t\\n\"\n", "gamma: 1\nt: |\n  a\n\n  b\n", "'gamma': 1\n"}) {
        INFO(text);
        CHECK(refusal(text, schema()) == "accepted");
    }
}

TEST_CASE("all mistakes of a document are told at once, a line each, and those of its profiles") {
    CHECK(refusal("gamma: [1, -1, x]\nn: 200\ndrw: iid\nsub: {width: wide}\n", schema()) ==
          "f.yaml:3:1: drw: there is no such key. Did you mean 'draw'? Allowed: " + keys +
              ".\n"
              "f.yaml:1:12: gamma.1: must be a number above 0, not '-1'.\n"
              "f.yaml:2:4: n: must be a whole number from 1 to 100, not '200'.\n"
              "f.yaml:4:6: sub.x: this key is missing (abscissa); it must be a number.\n"
              "f.yaml:4:14: sub.width: must be a number, not 'wide': numbers are written like 3, -0.25 or 1e-3.");
    CHECK(refusal("gamma: 1\nprofiles: {a: {n: 0}, b: {n: 101}}\n", schema()) ==
          "f.yaml:2:19: profiles.a.n: must be a whole number from 1 to 100, not '0'.\n"
          "f.yaml:2:30: profiles.b.n: must be a whole number from 1 to 100, not '101'.");
    std::string many = "gamma: 1\n";
    for (int i = 0; i < 30; ++i) many += fmt::format("x{}: 1\n", i);
    CHECK(refusal(many, schema()).ends_with("\nand 10 more mistakes"));
}
