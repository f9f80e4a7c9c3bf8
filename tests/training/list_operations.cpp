#include "rfbench/training/list_operations.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "catch.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::training;

namespace {

/// Value of tokens, read from the left with a stack of open lists; no code of the generator's.
struct Reading {
    struct Open {
        int operation;
        std::vector<int> arguments;
    };
    int value = -1, depth = 0;
    std::size_t arguments = 0;  // of the longest list

    explicit Reading(const std::vector<int>& tokens) {
        std::vector<Open> open;
        for (const int token : tokens) {
            REQUIRE(value == -1);
            if (token >= 10 && token < 14) {
                open.push_back({token, {}});
                depth = std::max(depth, static_cast<int>(open.size()));
                continue;
            }
            REQUIRE((token == 14 || (token >= 0 && token < 10)));
            REQUIRE(!open.empty());
            int argument = token;
            if (token == 14) {
                arguments = std::max(arguments, open.back().arguments.size());
                REQUIRE(open.back().arguments.size() >= 2);
                argument = evaluated(open.back());
                open.pop_back();
            }
            if (open.empty())
                value = argument;
            else
                open.back().arguments.push_back(argument);
        }
        REQUIRE(open.empty());
    }

    static int evaluated(const Open& list) {
        // How many arguments each digit has.
        std::map<int, int> counts;
        int sum = 0;
        for (const int one : list.arguments) {
            ++counts[one];
            sum += one;
        }
        if (list.operation == 10) return counts.rbegin()->first;
        if (list.operation == 11) return counts.begin()->first;
        if (list.operation == 13) return sum % 10;
        // The median is floor of the mean of the digits at which half of the arguments are reached and passed.
        const int half = static_cast<int>(list.arguments.size());
        int seen = 0, reached = -1;
        for (const auto& [digit, count] : counts) {
            seen += count;
            if (reached < 0 && 2 * seen >= half) reached = digit;
            if (2 * seen > half) return (reached + digit) / 2;
        }
        return -1;
    }
};

}  // namespace

TEST_CASE("the value of a list is what a second evaluator reads from its tokens") {
    const ListOperations how{.min_length = 4, .max_length = 100, .depth = 5, .arguments = 6, .nested = 0.3};
    std::set<int> operations, values;
    Index even_medians = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const List list = draw_list(how, Stream(1).child(i));
        INFO("list " << i);
        const Reading reading(list.tokens);
        CHECK(reading.value == list.value);
        CHECK(reading.depth <= 5);
        CHECK(reading.arguments <= 6);
        values.insert(list.value);
        operations.insert(list.tokens.begin(), list.tokens.end());
        // Lists that do not nest, of an even number of arguments, the middle ones of which add up to an odd number.
        if (list.tokens[0] == 12 && reading.depth == 1 && list.tokens.size() % 2 == 0) ++even_medians;
    }
    CHECK(values.size() == 10);
    CHECK(operations.size() == num_list_tokens);
    CHECK(even_medians > 20);
}

TEST_CASE("lists have the lengths that are asked for, and depend on their stream alone") {
    const ListOperations how{.min_length = 30, .max_length = 40, .depth = 4, .arguments = 5, .nested = 0.25};
    std::set<std::vector<int>> all;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const List list = draw_list(how, Stream(2).child(i));
        CHECK(list.tokens.size() >= 30);
        CHECK(list.tokens.size() <= 40);
        CHECK(draw_list(how, Stream(2).child(i)).tokens == list.tokens);
        all.insert(list.tokens);
    }
    CHECK(all.size() == 200);
}

TEST_CASE("operations, numbers of arguments and digits are uniform") {
    // Without nesting all lists are drawn at once.
    const ListOperations how{.min_length = 4, .max_length = 10, .depth = 1, .arguments = 6};
    constexpr int count = 8000;
    std::map<int, int> operations, arguments, digits;
    int of_digits = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const List list = draw_list(how, Stream(3).child(i));
        ++operations[list.tokens[0]];
        ++arguments[static_cast<int>(list.tokens.size()) - 2];
        for (std::size_t t = 1; t + 1 < list.tokens.size(); ++t) {
            ++digits[list.tokens[t]];
            ++of_digits;
        }
    }
    // Six standard deviations of a binomial count.
    const auto check_uniform = [](const std::map<int, int>& counts, std::size_t kinds, int total) {
        REQUIRE(counts.size() == kinds);
        const double share = 1 / static_cast<double>(kinds);
        for (const auto& [what, seen] : counts) {
            INFO(what);
            CHECK(std::abs(seen - share * total) < 6 * std::sqrt(share * (1 - share) * total));
        }
    };
    check_uniform(operations, 4, count);
    check_uniform(arguments, 5, count);
    check_uniform(digits, 10, of_digits);
}

TEST_CASE("lists have the operations that are asked for, each as often") {
    using enum ListToken;
    const ListOperations how{.min_length = 4, .max_length = 40, .depth = 3, .operations = {median, maximum}};
    constexpr std::uint64_t all = 3000;
    int medians = 0;
    for (std::uint64_t i = 0; i < all; ++i) {
        const List list = draw_list(how, Stream(4).child(i));
        CHECK(Reading(list.tokens).value == list.value);
        for (const int token : list.tokens) CHECK((token < 10 || token == 10 || token == 12 || token == 14));
        medians += list.tokens[0] == 12;
    }
    // Six standard deviations of a binomial count: the length, by which lists are drawn again, depends on no operation.
    CHECK(std::abs(medians - 0.5 * all) < 6 * std::sqrt(0.25 * all));
}

TEST_CASE("lists that there cannot be are refused") {
    const auto said = [](const ListOperations& how) { return tests::refusal([&] { draw_list(how, Stream(1)); }); };
    CHECK(said({.depth = 0}) ==
          "lists: depth 0, 5 arguments, nested with probability 0.25; the depth must be at least 1, arguments at "
          "least 2, and a probability is from 0 to 1");
    CHECK(tests::contains(said({.min_length = 8, .max_length = 20, .depth = 1, .arguments = 5}),
                          "lists: 8 to 20 tokens; lists of depth 1 and 5 arguments have at least 4, and at most 7"));
    CHECK(said({.min_length = 65, .max_length = 64}) == "lists: at least 65 tokens and at most 64");
    CHECK(tests::contains(said({.min_length = 90, .max_length = 92, .depth = 30, .arguments = 2, .nested = 1e-3}),
                          "none of 100000 drawn ones has 90 to 92 tokens"));
    for (const std::vector<ListToken>& operations :
         {std::vector<ListToken>{}, {ListToken::sum, ListToken::sum}, {ListToken::end}})
        CHECK(said({.operations = operations}) == "lists: operations must be one or more of the four, each once");
}
