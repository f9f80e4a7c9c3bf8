#pragma once
// Results: arrays over named, labelled axes. A cell's result, a collected sweep and what a figure is drawn
// from are all of this one shape.
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace rfbench::store {

/// One dimension: its labels are numbers (gamma = 0.1, 0.2, ...) or words (mechanism = positive, ...).
struct Axis {
    std::string name;                                                    ///< unique in a dataset
    std::variant<std::vector<double>, std::vector<std::string>> labels;  ///< one for each index
    std::string unit;                                                    ///< empty for a pure number
    std::string description;  ///< one line, ends up as the attribute long_name

    /// How many labels there are.
    std::size_t size() const;
};

/// One measured quantity over some of the axes, in row-major order (the last axis varies fastest). NaN where the sweep
/// has no cell.
struct Variable {
    std::string name;               ///< unique in a dataset
    std::vector<std::string> axes;  ///< names, the slowest first
    std::vector<double> values;     ///< as many as the product of the axes' sizes
    std::string unit;               ///< empty for a pure number
    std::string description;        ///< one line, the attribute long_name
};

/// Variables over shared axes: the result of a cell, or of a whole sweep.
struct Dataset {
    std::vector<Axis> axes;                         ///< all that variables are over
    std::vector<Variable> variables;                ///< in the order of the file
    std::map<std::string, std::string> attributes;  ///< provenance and the like, UTF-8

    /// The axis of that name. Throws std::out_of_range, with the names there are, when there is none.
    const Axis& axis(const std::string& name) const;
    /// The variable of that name. Throws as axis() does.
    const Variable& variable(const std::string& name) const;
    /// Whether there is a variable of that name.
    bool has_variable(const std::string& name) const;
};

/// Throws std::invalid_argument with a sentence when names repeat, a variable names an unknown axis, or the number of
/// values is not the product of its axes' sizes.
void check(const Dataset&);

}  // namespace rfbench::store
