#include "rfbench/training/list_operations.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "rfbench/text/number.hpp"

namespace rfbench::training {
namespace {

int value_of(ListToken operation, std::vector<int> arguments) {
    std::sort(arguments.begin(), arguments.end());
    const std::size_t count = arguments.size();
    switch (operation) {
        case ListToken::maximum: return arguments.back();
        case ListToken::minimum: return arguments.front();
        case ListToken::median: return (arguments[(count - 1) / 2] + arguments[count / 2]) / 2;
        default: return std::accumulate(arguments.begin(), arguments.end(), 0) % 10;
    }
}

/// One list with all within it; it is left off as soon as it is too long.
class Drawing {
public:
    Drawing(const ListOperations& how, Stream stream) : how_(how), stream_(stream) {}

    int list(int depth) {
        const ListToken operation = how_.operations[stream_.below(how_.operations.size())];
        tokens.push_back(static_cast<int>(operation));
        const int count = 2 + static_cast<int>(stream_.below(static_cast<std::uint64_t>(how_.arguments - 1)));
        std::vector<int> values;
        for (int i = 0; i < count && !too_long(); ++i) values.push_back(argument(depth));
        tokens.push_back(static_cast<int>(ListToken::end));
        // The value of a list that was left off is not read.
        return too_long() ? 0 : value_of(operation, std::move(values));
    }

    bool too_long() const { return static_cast<Index>(tokens.size()) > how_.max_length; }

    std::vector<int> tokens;

private:
    int argument(int depth) {
        if (depth < how_.depth && stream_.uniform() < how_.nested) return list(depth + 1);
        tokens.push_back(static_cast<int>(stream_.below(10)));
        return tokens.back();
    }

    const ListOperations& how_;
    Stream stream_;
};

/// Tokens of a list that nests as deep and as wide as it may.
double max_tokens(const ListOperations& how) {
    // From the inside out: an operation, as many arguments as there may be, and the end. Double, which does not
    // overflow.
    double tokens = 1;
    for (int depth = 0; depth < (how.nested > 0 ? how.depth : 1); ++depth) tokens = how.arguments * tokens + 2;
    return tokens;
}

}  // namespace

void check(const ListOperations& how) {
    if (how.depth < 1 || how.arguments < 2 || !(how.nested >= 0 && how.nested <= 1))
        throw std::invalid_argument(
            "lists: depth " + std::to_string(how.depth) + ", " + std::to_string(how.arguments) +
            " arguments, nested with probability " + shortest_text(how.nested) +
            "; the depth must be at least 1, arguments at least 2, and a probability is from 0 to 1");
    const std::set<ListToken> kinds(how.operations.begin(), how.operations.end());
    if (kinds.empty() || kinds.size() < how.operations.size() || *kinds.begin() < ListToken::maximum ||
        *kinds.rbegin() > ListToken::sum)
        throw std::invalid_argument("lists: operations must be one or more of the four, each once");
    if (how.min_length > how.max_length)
        throw std::invalid_argument("lists: at least " + std::to_string(how.min_length) + " tokens and at most " +
                                    std::to_string(how.max_length));
    constexpr Index least = 4;
    if (how.max_length < least || static_cast<double>(how.min_length) > max_tokens(how))
        throw std::invalid_argument("lists: " + std::to_string(how.min_length) + " to " +
                                    std::to_string(how.max_length) + " tokens; lists of depth " +
                                    std::to_string(how.depth) + " and " + std::to_string(how.arguments) +
                                    " arguments have at least 4, and at most " + shortest_text(max_tokens(how)));
}

List draw_list(const ListOperations& how, const Stream& stream) {
    check(how);
    constexpr std::uint64_t attempts = 100'000;
    for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
        Drawing drawing(how, stream.child(attempt));
        const int value = drawing.list(1);
        if (!drawing.too_long() && static_cast<Index>(drawing.tokens.size()) >= how.min_length)
            return {std::move(drawing.tokens), value};
    }
    throw std::invalid_argument(
        "lists: none of 100000 drawn ones has " + std::to_string(how.min_length) + " to " +
        std::to_string(how.max_length) +
        " tokens; more depth or arguments, or a higher probability of nesting, make longer ones");
}

}  // namespace rfbench::training
