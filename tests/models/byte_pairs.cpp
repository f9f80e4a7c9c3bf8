#include "rfbench/models/byte_pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "rfbench/models/byte_alphabet.hpp"
#include "rfbench/models/word_pieces.hpp"
#include "small_model.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using models::BytePairs;
using models::Token;
using models::WordPieces;
using scene::said;
using small_model::json;
using small_model::source_folder;

namespace {

std::vector<std::string> pieces(const std::string& text) {
    std::vector<std::string> out;
    WordPieces rest(text, "text");
    for (auto piece = rest.next(); !piece.empty(); piece = rest.next()) out.emplace_back(piece);
    return out;
}

std::string joined(const std::vector<std::string>& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::string());
}

const BytePairs& small_pairs() {
    static const BytePairs pairs(source_folder + "vocab.json", source_folder + "merges.txt");
    return pairs;
}

std::string utf8(std::uint32_t code) {
    const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
    if (code < 0x80) return {byte(code)};
    if (code < 0x800) return {byte(0xc0 | code >> 6), byte(0x80 | (code & 63))};
    if (code < 0x10000) return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 63)), byte(0x80 | (code & 63))};
    return {byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 63)), byte(0x80 | (code >> 6 & 63)),
            byte(0x80 | (code & 63))};
}

}  // namespace

TEST_CASE("pieces and tokens are those of the Python implementation") {
    for (const json& text : small_model::reference()["texts"]) {
        const auto parts = text["pieces"].get<std::vector<std::string>>();
        INFO(joined(parts));
        CHECK(pieces(joined(parts)) == parts);
        CHECK(small_pairs().encode(joined(parts)) == text["tokens"].get<std::vector<Token>>());
    }
}

TEST_CASE("each byte is written as one character, and none as two bytes") {
    std::set<std::string> seen;
    for (std::uint32_t code = 0; code < 0x400; ++code)
        if (const auto bytes = models::spelled_bytes(utf8(code))) {
            CHECK(bytes->size() == 1);
            CHECK(seen.insert(*bytes).second);
        }
    CHECK(seen.size() == 256);
    CHECK(models::spelled_bytes("\xc4\xa0th") == " th");
    for (const char* text : {" ", "\xc4", "\xc4t", "\xff", "\xe4\xb8\xad", "\xc2\xad", "a\n"})
        CHECK(!models::spelled_bytes(text));
}

TEST_CASE("decoding gives back any text, and the first tokens are those of the whole") {
    std::uint32_t state = 1;
    const auto next = [&state](std::uint32_t below) {
        state = state * 1664525u + 1013904223u;
        return (state >> 12) % below;
    };
    const std::uint32_t planes[] = {0x80, 0x80, 0x800, 0x10000, 0x110000};
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::string text;
        for (std::uint32_t i = 0, size = next(60); i < size; ++i) {
            const std::uint32_t code = next(planes[next(5)]);
            text += next(3) == 0 ? " \n'the"[next(6)] : ' ';
            if (code < 0xd800 || code > 0xdfff) text += utf8(code);
        }
        const auto tokens = small_pairs().encode(text);
        CHECK(small_pairs().decode(tokens) == text);
        CHECK(joined(pieces(text)) == text);
        const std::size_t most = next(20);
        const auto first = small_pairs().encode(text, "text", most);
        CHECK(first == std::vector<Token>(tokens.begin(), tokens.begin() + std::min(most, tokens.size())));
    }
    CHECK(small_pairs().decode(std::vector<Token>{332}) == "<|endoftext|>");
    CHECK_THROWS_WITH(small_pairs().decode(std::vector<Token>{333}), "there is no token 333; the vocabulary has 333");
    CHECK_THROWS_WITH(small_pairs().decode(std::vector<Token>{-1}), "there is no token -1; the vocabulary has 333");
}

TEST_CASE("a piece of a million letters is encoded like its parts") {
    // "ar" is a pair of the vocabulary, "ra" none: tokens repeat.
    std::string text;
    for (int i = 0; i < 500000; ++i) text += "ar";
    const auto tokens = small_pairs().encode(text);
    CHECK(tokens.size() == 500000);
    CHECK(std::set<Token>(tokens.begin(), tokens.end()).size() == 1);
}

TEST_CASE("what is no UTF-8 is refused with the offset of the byte") {
    const auto message = [](const std::string& text) { return said([&] { small_pairs().encode(text, "t.txt", 1); }); };
    CHECK(message("plain") == "accepted");
    // The text after the offset is PCRE2's own.
    const auto offset = [&](const std::string& text) {
        return message(text).substr(0, message(text).find(" (counted from 0): "));
    };
    CHECK(offset("caf\xe9 x") == "t.txt: is no UTF-8 at byte 3");
    CHECK(offset("the \xff") == "t.txt: is no UTF-8 at byte 4");
    CHECK(offset("abc\xe4\xb8") == "t.txt: is no UTF-8 at byte 3");
    CHECK(offset("\xed\xa0\x80") == "t.txt: is no UTF-8 at byte 0");
    CHECK(offset("\xc0\x80") == "t.txt: is no UTF-8 at byte 0");
    CHECK(offset(std::string(100000, ' ') + "\x80") == "t.txt: is no UTF-8 at byte 100000");
}

TEST_CASE("a malformed vocabulary is refused with the file, the line and the token") {
    json vocabulary = json::parse(small_model::bytes_of(source_folder + "vocab.json"));
    const auto changed = [&](auto change) {
        json other = vocabulary;
        change(other);
        return other.dump();
    };
    const std::string good = vocabulary.dump();
    struct Case {
        std::string vocabulary, merges, message;
    };
    const Case cases[] = {
        {good, "", "accepted"},
        {good, "#version: 0.2\r\na r\r\n\n", "accepted"},
        {"[1]", "", "v.json: is no JSON object of tokens and their numbers"},
        {"{}", "", "v.json: is no JSON object of tokens and their numbers"},
        {"{\"a\":0,\"a\":1}", "", "v.json: has the key 'a' twice"},
        {"{\"a\":0,\"b\":2}", "", "v.json: token 'b' has the number 2; 2 tokens have the numbers 0 to 1"},
        {"{\"a\":-1}", "", "v.json: token 'a' has the number -1; 1 tokens have the numbers 0 to 0"},
        {"{\"a\":\"0\"}", "", "v.json: token 'a' has the number \"0\"; 1 tokens have the numbers 0 to 0"},
        {"{\"a\":0,\"b\":0}", "", "v.json: two tokens have the number 0; one is 'b'"},
        {"{\"a b\":0}", "", "v.json: token 'a b' is not written in GPT-2's alphabet of bytes"},
        {"{\"\":0}", "", "v.json: token '' is not written in GPT-2's alphabet of bytes"},
        {changed([](json& v) {
             v["q!?"] = v["q"];
             v.erase("q");
         }),
         "", "v.json: has no token for the byte 71: not every text can be encoded"},
        {good, "#version: 0.2\na r\nQ W\n", "m.txt:3: 'QW' is not in vocab.json"},
        {good, "a r\n# Q\n", "m.txt:2: '#Q' is not in vocab.json"},
        {good, "a r\nthex n\n", "m.txt:2: 'thexn' is not in vocab.json"},
        {good, "ar\n", "m.txt:1: two tokens with one space between them are needed, not 'ar'"},
        {good, "a r\n\na t\n", "m.txt:2: two tokens with one space between them are needed, not ''"},
        {good, "a r t\n", "m.txt:1: two tokens with one space between them are needed, not 'a r t'"},
        {good, "a r\na t\na r\n", "m.txt:3: is the pair of line 1 again"},
    };
    for (const Case& c : cases) {
        const scene::Folder folder;
        const std::string v = folder.write("v.json", c.vocabulary), m = folder.write("m.txt", c.merges);
        const std::string text = said([&] { BytePairs(v, m); }), base = folder.path().string() + "/";
        CHECK((text.starts_with(base) ? text.substr(base.size()) : text) == c.message);
    }
}

TEST_CASE("a marker in a text is one token, and nothing is joined across it") {
    const auto joined_at = [](std::vector<Token> a, const std::vector<Token>& b) {
        a.push_back(332);
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    const auto first = small_pairs().encode("the first text."), second = small_pairs().encode(" the second");
    CHECK(small_pairs().encode("the first text.<|endoftext|> the second") == joined_at(first, second));
    CHECK(small_pairs().encode("<|endoftext|><|endoftext|>") == std::vector<Token>{332, 332});
    CHECK(small_pairs().encode("<|endoftext|> the", "text", 1) == std::vector<Token>{332});
    CHECK(small_pairs().encode("<|endoftex|>").size() > 1);
    CHECK(small_pairs().decode(joined_at(first, second)) == "the first text.<|endoftext|> the second");
    CHECK(said([] { small_pairs().encode("<|endoftext|>a\xff"); }).starts_with("text: is no UTF-8 at byte 14"));
}

TEST_CASE("tokenizer.json gives the tokens of vocab.json and merges.txt") {
    const scene::Folder folder;
    json vocabulary = json::parse(bytes_of(source_folder + "vocab.json"));
    vocabulary.erase("<|endoftext|>");
    std::istringstream lines(bytes_of(source_folder + "merges.txt"));
    json merges = json::array(), pairs = json::array();
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#version")) continue;
        merges.push_back(line);
        pairs.push_back({line.substr(0, line.find(' ')), line.substr(line.find(' ') + 1)});
    }
    const std::string text = "the first text.<|endoftext|> they're 12 words, thermal";
    for (const json& own : {merges, pairs}) {
        json tokenizer{{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", own}}},
                       {"added_tokens", {{{"id", 332}, {"content", "<|endoftext|>"}, {"special", true}}}}};
        const BytePairs read(folder.write("tokenizer.json", tokenizer.dump()));
        CHECK(read.encode(text) == small_pairs().encode(text));
        CHECK(read.size() == small_pairs().size());
    }
    // Added tokens are plain text, whatever the alphabet of the others.
    json tokenizer{{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}},
                   {"added_tokens", {{{"id", vocabulary.size()}, {"content", "‹|über mir|›"}}}}};
    const BytePairs marked(folder.write("tokenizer.json", tokenizer.dump()));
    CHECK(marked.encode("‹|über mir|›") == std::vector<Token>{static_cast<Token>(vocabulary.size())});
    // Settings by which texts have other tokens are refused.
    tokenizer["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}};
    CHECK(BytePairs(folder.write("tokenizer.json", tokenizer.dump())).size() == marked.size());
    for (const auto& [key, value] : {std::pair<const char*, json>("normalizer", {{"type", "Lowercase"}}),
                                     {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", true}}}}) {
        json other = tokenizer;
        other[key] = value;
        CHECK(said([&] { BytePairs{folder.write("tokenizer.json", other.dump())}; }).find(std::string(key) + " is {") !=
              std::string::npos);
    }
    json template_of = tokenizer, stripped = tokenizer;
    template_of["post_processor"] = {{"type", "TemplateProcessing"}};
    const auto refused = [&](const json& all, const char* words) {
        return said([&] { BytePairs{folder.write("tokenizer.json", all.dump())}; }).find(words) != std::string::npos;
    };
    CHECK(refused(template_of, "post_processor is {"));
    stripped["added_tokens"][0]["lstrip"] = true;
    CHECK(refused(stripped, "lstrip of the added token"));
    // An added token is cut out of a text before pairs are joined, though pairs make it, too.
    json made = tokenizer;
    const std::string first = merges[0].get<std::string>(), pair = first.substr(0, 1) + first.substr(2);
    REQUIRE(first.size() == 3);
    made["added_tokens"].push_back({{"id", vocabulary[pair]}, {"content", pair}});
    CHECK(BytePairs(folder.write("tokenizer.json", made.dump())).encode("x " + pair).size() == 3);
    tokenizer["model"]["ignore_merges"] = true;
    CHECK(said([&] {
              BytePairs{folder.write("tokenizer.json", tokenizer.dump())};
          }).ends_with("ignore_merges is true, which is not computed here"));
    const auto message = [&](const char* bytes) {
        return said([&] { BytePairs{folder.write("tokenizer.json", bytes)}; }).substr(folder.path().string().size());
    };
    CHECK(message("{}") == "/tokenizer.json: has no 'model' of the type BPE with 'vocab' and 'merges'");
    CHECK(message("{\"model\": {\"type\": \"WordPiece\", \"vocab\": {}, \"merges\": []}}") ==
          "/tokenizer.json: has no 'model' of the type BPE with 'vocab' and 'merges'");
}
