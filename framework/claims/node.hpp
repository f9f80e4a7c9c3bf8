#pragma once
// A node of an expression's tree, and the functions that it may call.
#include <string>
#include <vector>

#include "rfbench/claims/expression.hpp"

namespace rfbench::claims {

struct Expression::Node {
    enum class Kind { number, name, call };
    Kind kind;
    double number = 0;
    std::string name;          ///< of a value, or of the function; operators are functions of their sign
    std::vector<Node> inputs;  ///< of a call; the name of an axis or of a bound variable is a node `name`

    Array value(const Names&) const;
    void collect(std::set<std::string>& names, std::set<std::string> bound) const;
};

/// How the inputs of a function are read.
struct Signature {
    std::size_t count;
    bool axis;      ///< the last is the name of an axis
    bool variable;  ///< the first is the name of a variable, bound in the last
};
/// Throws std::invalid_argument, with the nearest, for an unknown function.
Signature signature(const std::string& function);

/// The function of these values; `node` has the names.
Array called(const Expression::Node& node, const Names&);

}  // namespace rfbench::claims
