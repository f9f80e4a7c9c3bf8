#include "rfbench/code/study_part.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace rfbench::code {
namespace {

using Tokens = std::vector<std::string>;
using Place = Tokens::const_iterator;

bool holds(Place first, Place last, std::string_view token) { return std::find(first, last, token) != last; }

/// The token after the brace that closes the one at `opening`; the end where none does.
Place after_braces(Place opening, Place last) {
    int depth = 0;
    for (Place at = opening; at != last; ++at) {
        if (*at == "{") ++depth;
        if (*at == "}" && --depth == 0) return at + 1;
    }
    return last;
}

/// Whether what follows `namespace`, `struct` or `class` and so on stands in these braces, and not statements.
bool opens_declarations(Place first, Place last) {
    if (holds(first, last, "(") || holds(first, last, "=") || holds(first, last, "enum")) return false;
    constexpr std::array<std::string_view, 4> words{"namespace", "struct", "class", "union"};
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return holds(first, last, word); });
}

/// Whether there are some outside of angle brackets, where they are those of a type: std::function<void()>.
bool has_parentheses(Place first, Place last) {
    int depth = 0;
    for (Place at = first; at != last; ++at) {
        const bool named = at != first && *(at - 1) == "operator";
        if (*at == "<" && !named) ++depth;
        if (*at == ">" && !named) --depth;
        if (*at == ">>" && !named) depth -= 2;
        if (depth <= 0 && (*at == "(" || *at == ")")) return true;
    }
    return false;
}

/// Whether [first, last), which a semicolon ends, declares something that is defined elsewhere.
bool only_declares(Place first, Place last) {
    if (first == last || *first == "static_assert") return false;
    if (*first == "extern") return true;
    const Place equals = std::find(first, last, "=");
    if (equals != last && last - equals == 2) {
        constexpr std::array<std::string_view, 3> defined{"default", "delete", "0"};
        if (std::find(defined.begin(), defined.end(), *(equals + 1)) != defined.end()) return false;
    }
    // A variable's parentheses are behind its equals sign, or between braces, which are not looked into.
    return has_parentheses(first, equals);
}

/// Whether a function or a variable is declared without being defined, in a namespace or a class.
bool declares_what_is_defined_elsewhere(Place first, Place last) {
    Place statement = first;
    for (Place at = first; at != last;) {
        if (*at == "#") {
            at = statement = std::find(at, last, "\n");
        } else if (*at == "{" && !opens_declarations(statement, at)) {
            at = statement = after_braces(at, last);
        } else {
            if (*at == ";" && only_declares(statement, at)) return true;
            const bool ends = *at == ";" || *at == "{" || *at == "}" || *at == "\n";
            ++at;
            if (ends) statement = at;
        }
    }
    return false;
}

}  // namespace

Tokens study_part(Tokens tokens) {
    constexpr std::array<std::string_view, 3> head{"Sweep", "prepare", "("};
    const Place first = tokens.cbegin(), last = tokens.cend();
    const Place prepare = std::search(first, last, head.begin(), head.end());
    if (prepare == last || declares_what_is_defined_elsewhere(first, prepare)) return tokens;
    tokens.erase(after_braces(std::find(prepare, last, "{"), last), last);
    return tokens;
}

}  // namespace rfbench::code
