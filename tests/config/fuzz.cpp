#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "realistic.hpp"

using namespace rfbench::config;

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the variants are the same everywhere.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t n) {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return static_cast<std::size_t>((z ^ (z >> 31)) % n);
    }

private:
    std::uint64_t state_;
};

const std::vector<std::string> tokens{"{",
                                      "}",
                                      "[",
                                      "]",
                                      ":",
                                      ": ",
                                      "- ",
                                      "? ",
                                      ", ",
                                      "#",
                                      " #",
                                      "&a ",
                                      "*a",
                                      "*counts",
                                      "!!str ",
                                      "!",
                                      "|",
                                      ">",
                                      "'",
                                      "\"",
                                      "\\",
                                      "%",
                                      "@",
                                      "`",
                                      "~",
                                      "null",
                                      "---\n",
                                      "...\n",
                                      "<<: ",
                                      "\t",
                                      "\r",
                                      "\n",
                                      "  ",
                                      "0x1F",
                                      "010",
                                      ".nan",
                                      "1e999",
                                      "1:30",
                                      "-0",
                                      "yes",
                                      "true",
                                      "{linspace: [1, 2, 3]}",
                                      "{powers: [1, 1048576]}",
                                      "{logspace: [1, 9, 10000]}",
                                      "profiles:",
                                      "smoke: ",
                                      std::string(1, '\0'),
                                      "\xff",
                                      "\xef\xbb\xbf",
                                      "\xc2\x85",
                                      "\xe2\x80\xa8",
                                      "\x04",
                                      "\"\\x00\"",
                                      "\"\\U0010FFFF\"",
                                      "[[[[[[[[",
                                      "{{{{{{",
                                      "experiment: ",
                                      "gamma: ",
                                      "99999999999999999999",
                                      "-9223372036854775808"};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        lines.back() += c;
        if (c == '\n') lines.emplace_back();
    }
    return lines;
}

std::string with_lines_changed(const std::string& text, Dice& dice) {
    std::vector<std::string> lines = lines_of(text);
    const std::size_t i = dice.below(lines.size()), j = dice.below(lines.size());
    switch (dice.below(4)) {
        case 0: std::swap(lines[i], lines[j]); break;
        case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), lines[j]); break;
        case 2: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i)); break;
        default: lines[i] = std::string(1 + dice.below(4), ' ') + lines[i]; break;
    }
    std::string changed;
    for (const std::string& line : lines) changed += line;
    return changed;
}

std::string mutated(std::string text, Dice& dice) {
    if (text.empty()) return "a";
    const std::size_t at = dice.below(text.size());
    const std::size_t length = 1 + dice.below(12);
    switch (dice.below(7)) {
        case 0: text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << dice.below(8))); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(dice.below(text.size()), text.substr(at, 4 * length)); break;
        case 3: text.resize(at); break;
        case 4: return with_lines_changed(text, dice);
        case 5: text.replace(at, dice.below(6), tokens[dice.below(tokens.size())]); break;
        default: text.insert(at, tokens[dice.below(tokens.size())]); break;
    }
    return text;
}

}  // namespace

TEST_CASE("6,000 mutations of a configuration are each accepted or refused, never worse") {
    const Schema schema = realistic_schema();
    const std::vector<Options> options{{}, {"smoke", {}}, {"", {"repeats=3", "sweep.gamma.linspace.2=4"}}};
    std::size_t accepted = 0, refused = 0;
    for (std::uint64_t variant = 0; variant < 6000; ++variant) {
        Dice dice(variant);
        std::string text = realistic_text;
        for (std::size_t edits = 1 + variant % 3; edits > 0; --edits) text = mutated(text, dice);
        INFO("variant " << variant << ":\n" << text);
        try {
            const Value value = parse(text, "f.yaml", schema, options[variant % options.size()]);
            const std::string written = canonical(value);
            REQUIRE(canonical(parse(written, "canonical", schema)) == written);
            ++accepted;
        } catch (const Error& error) {
            REQUIRE(std::string(error.what()).size() > 10);
            ++refused;
        }
    }
    // Both ways through were taken many times.
    CHECK(accepted > 100);
    CHECK(refused > 100);
}

TEST_CASE("3,000 mutations of a --set argument are each accepted or refused, never worse") {
    const Schema schema = realistic_schema();
    const std::vector<std::string> seeds{"sweep.gamma.linspace.2=4", "data.1.scale=0.25", "labels.gamma='a, b'",
                                         "sweep={gamma: [1, 2], count: {powers: [2, 8]}}", "mechanisms.2.A=-0.5"};
    std::size_t accepted = 0;
    for (std::uint64_t variant = 0; variant < 3000; ++variant) {
        Dice dice(variant);
        std::string argument = seeds[variant % seeds.size()];
        for (std::size_t edits = dice.below(3); edits > 0; --edits) argument = mutated(argument, dice);
        INFO("variant " << variant << ": " << argument);
        try {
            parse(realistic_text, "f.yaml", schema, {"", {argument}});
            ++accepted;
        } catch (const Error& error) {
            REQUIRE(std::string(error.what()).find("--set ") != std::string::npos);
        }
    }
    CHECK(accepted > 100);
}
