#include "rfbench/networks/drawn_sequences.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "catch.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;

TEST_CASE("recall: every key is asked for once, its value is the target, and nothing overwrites a pair") {
    for (const Filling filling : {Filling::other_keys, Filling::blank}) {
        const PairRecall recall{.length = 26, .vocabulary = 20, .pairs = 5, .filling = filling};
        std::map<Index, int> asked_at;
        for (std::uint64_t number = 0; number < 300; ++number) {
            const auto one = drawn_sequence(recall, Stream(1).child(number));
            REQUIRE(one.tokens.size() == 26);
            REQUIRE(one.targets.size() == 5);
            std::map<int, int> pairs;
            for (std::size_t i = 0; i < 10; i += 2) {
                CHECK((1 <= one.tokens[i] && one.tokens[i] < 10));
                CHECK((10 <= one.tokens[i + 1] && one.tokens[i + 1] < 20));
                pairs[one.tokens[i]] = one.tokens[i + 1];
            }
            REQUIRE(pairs.size() == 5);  // keys differ
            std::set<Index> places;
            std::set<int> asked;
            for (const Target& target : one.targets) {
                const int key = one.tokens[static_cast<std::size_t>(target.token)];
                REQUIRE(pairs.contains(key));
                CHECK(target.value == pairs.at(key));
                CHECK((target.token >= 10 && target.token % 2 == 0));
                places.insert(target.token);
                asked.insert(key);
                ++asked_at[target.token];
            }
            CHECK(places.size() == 5);
            CHECK(asked.size() == 5);
            for (Index i = 10; i < 26; ++i) {
                const int token = one.tokens[static_cast<std::size_t>(i)];
                if (places.contains(i)) continue;
                if (filling == Filling::blank)
                    CHECK(token == 0);
                else
                    CHECK((1 <= token && token < 10 && !pairs.contains(token)));
            }
        }
        // All eight places are asked at, the first most often: always but for a chance of about a sixth, where without
        // the law it would be 5 of 8 times. (Of 300: 187 and a deviation of 8.)
        CHECK(asked_at.size() == 8);
        CHECK(asked_at.at(10) > 240);
        CHECK(asked_at.at(24) < 150);
    }
}

TEST_CASE("recall: keys and values are uniform, and a sequence is its stream's") {
    const PairRecall recall{.length = 8, .vocabulary = 8, .pairs = 2};
    std::map<int, int> keys, values;
    for (std::uint64_t number = 0; number < 600; ++number) {
        const auto one = drawn_sequence(recall, Stream(2).child(number));
        ++keys[one.tokens[0]];
        ++values[one.tokens[3]];
    }
    // Thirds and quarters of 600 with deviations of 11.5 and 10.6: six of them.
    REQUIRE(keys.size() == 3);
    REQUIRE(values.size() == 4);
    for (const auto& [key, count] : keys) CHECK(std::abs(count - 200) < 70);
    for (const auto& [value, count] : values) CHECK(std::abs(count - 150) < 64);
    CHECK(drawn_sequence(recall, Stream(3)).tokens == drawn_sequence(recall, Stream(3)).tokens);
    CHECK(drawn_sequence(recall, Stream(3)).tokens != drawn_sequence(recall, Stream(4)).tokens);
}

TEST_CASE("copying: the second half is the first, and every token from its zero on tells the next") {
    std::map<int, int> tokens;
    for (std::uint64_t number = 0; number < 100; ++number) {
        const auto one = drawn_sequence(Copying{.length = 16, .vocabulary = 5}, Stream(5).child(number));
        REQUIRE(one.tokens.size() == 16);
        CHECK(std::equal(one.tokens.begin(), one.tokens.begin() + 8, one.tokens.begin() + 8));
        CHECK(one.tokens[0] == 0);
        for (std::size_t i = 1; i < 8; ++i) ++tokens[one.tokens[i]];
        REQUIRE(one.targets.size() == 7);
        for (std::size_t i = 0; i < 7; ++i) {
            CHECK(one.targets[i].token == static_cast<Index>(8 + i));
            CHECK(one.targets[i].value == one.tokens[8 + i + 1]);
        }
    }
    // Quarters of 700, deviation 11.5: six of them; never the zero.
    CHECK(tokens.size() == 4);
    CHECK(!tokens.contains(0));
    for (const auto& [token, count] : tokens) CHECK(std::abs(count - 175) < 70);
}

TEST_CASE("drawn sequences refuse what does not fit") {
    const auto said = [](const auto& task) { return tests::refusal([&] { drawn_sequence(task, Stream(1)); }); };
    CHECK(said(PairRecall{.length = 15, .vocabulary = 20, .pairs = 4}) ==
          "recall: a sequence of 15 tokens; 4 pairs and as many questions need 16");
    CHECK(said(PairRecall{.length = 64, .vocabulary = 10, .pairs = 4}) ==
          "recall: 4 pairs of a vocabulary of 10, which has 4 keys; there must be a pair, a key for each and one to "
          "fill with");
    CHECK(said(PairRecall{.length = 64, .vocabulary = 8, .pairs = 4, .filling = Filling::blank}) ==
          "recall: 4 pairs of a vocabulary of 8, which has 3 keys; there must be a pair, a key for each");
    // Blanks need no key beside those of the pairs.
    const auto blank =
        drawn_sequence({.length = 64, .vocabulary = 10, .pairs = 4, .filling = Filling::blank}, Stream(1));
    CHECK(std::count(blank.tokens.begin(), blank.tokens.end(), 0) == 64 - 3 * 4);
    CHECK(said(PairRecall{.length = 64, .vocabulary = 64, .pairs = 0}).starts_with("recall: 0 pairs"));
    CHECK(said(Copying{.length = 7}) == "copying: a sequence of 7 tokens; 0 v 0 v has an even number, 4 at least");
    CHECK(said(Copying{.length = 2}).starts_with("copying: a sequence of 2 tokens"));
    CHECK(said(Copying{.length = 8, .vocabulary = 2}) ==
          "copying: a vocabulary of 2; 0 and two tokens to copy are needed at least");
}
