#include "rfbench/engine/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

namespace rfbench::engine {
namespace {

std::size_t size_of(const std::vector<store::Axis>& axes) {
    std::size_t size = 1;
    for (const auto& axis : axes) size *= axis.size();
    return size;
}

// Row-major position of a cell among the plan's axes.
std::size_t position(const Plan& plan, const Cell& cell) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < plan.axes.size(); ++i) at = at * plan.axes[i].size() + cell.coordinates[i];
    return at;
}

[[noreturn]] void differ(const std::string& first, const std::string& second, const std::string& how) {
    throw std::invalid_argument(
        fmt::format("the cells \"{}\" and \"{}\" do not fit together: {}; all cells of a sweep "
                    "must have the same axes and variables",
                    first, second, how));
}

void compare_axes(const store::Dataset& a, const std::string& key_a, const store::Dataset& b,
                  const std::string& key_b) {
    if (a.axes.size() != b.axes.size())
        differ(key_a, key_b, fmt::format("{} and {} axes", a.axes.size(), b.axes.size()));
    for (std::size_t i = 0; i < a.axes.size(); ++i) {
        const auto &x = a.axes[i], &y = b.axes[i];
        if (x.name != y.name) differ(key_a, key_b, fmt::format("axis {} is \"{}\" and \"{}\"", i, x.name, y.name));
        if (x.labels != y.labels || x.unit != y.unit || x.description != y.description)
            differ(key_a, key_b, fmt::format("the axis \"{}\" has other labels, unit or description", x.name));
    }
}

void compare_variables(const store::Dataset& a, const std::string& key_a, const store::Dataset& b,
                       const std::string& key_b) {
    if (a.variables.size() != b.variables.size())
        differ(key_a, key_b, fmt::format("{} and {} variables", a.variables.size(), b.variables.size()));
    for (std::size_t i = 0; i < a.variables.size(); ++i) {
        const auto &x = a.variables[i], &y = b.variables[i];
        if (x.name != y.name) differ(key_a, key_b, fmt::format("variable {} is \"{}\" and \"{}\"", i, x.name, y.name));
        if (x.axes != y.axes || x.unit != y.unit || x.description != y.description)
            differ(key_a, key_b, fmt::format("the variable \"{}\" has other axes, unit or description", x.name));
    }
}

// The collected dataset without values: NaN everywhere.
store::Dataset frame(const Plan& plan, const store::Dataset& first) {
    store::Dataset whole;
    whole.axes = plan.axes;
    std::vector<std::string> outer;
    for (const auto& axis : plan.axes) outer.push_back(axis.name);
    for (const auto& axis : first.axes) {
        if (std::find(outer.begin(), outer.end(), axis.name) != outer.end())
            throw std::invalid_argument(
                fmt::format("the axis \"{}\" is one of the sweep and one of its cells; rename "
                            "one of the two",
                            axis.name));
        whole.axes.push_back(axis);
    }
    for (const auto& variable : first.variables) {
        store::Variable stacked = variable;
        stacked.axes = outer;
        stacked.axes.insert(stacked.axes.end(), variable.axes.begin(), variable.axes.end());
        stacked.values.assign(size_of(plan.axes) * variable.values.size(), std::numeric_limits<double>::quiet_NaN());
        whole.variables.push_back(std::move(stacked));
    }
    return whole;
}

void place(const Plan& plan, const Cell& cell, const store::Dataset& data, store::Dataset& whole) {
    for (std::size_t v = 0; v < data.variables.size(); ++v) {
        const auto& values = data.variables[v].values;
        // The plan's axes come first, so that the values of one cell lie side by side.
        const auto begin = std::ptrdiff_t(position(plan, cell) * values.size());
        std::copy(values.begin(), values.end(), whole.variables[v].values.begin() + begin);
    }
}

std::string lines(const std::set<std::string>& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : "\n") + value;
    return text;
}

// Every value an attribute has among the cells, and in how many cells it occurs.
struct Attributes {
    std::map<std::string, std::set<std::string>> values;
    std::map<std::string, std::size_t> occurrences;
    std::size_t cells = 0;

    void add(const store::Dataset& data) {
        ++cells;
        for (const auto& [name, value] : data.attributes) {
            values[name].insert(value);
            ++occurrences[name];
        }
    }

    std::map<std::string, std::string> merged(const Plan& plan) const {
        // Keep an attribute if all cells agree on it. For provenance, list every distinct value. The program that
        // collects is named only if there is no cell, so that it changes no file.
        std::map<std::string, std::string> merged;
        if (cells == 0) merged = plan.provenance;
        for (const auto& [name, distinct] : values) {
            const bool agreed = distinct.size() == 1 && occurrences.at(name) == cells;
            if (plan.provenance.contains(name) || agreed) merged[name] = lines(distinct);
        }
        for (const auto& [name, value] : plan.attributes) merged[name] = value;
        return merged;
    }
};

}  // namespace

store::Dataset collect(const Plan& plan, const std::vector<bool>& absent,
                       const std::function<store::Dataset(std::size_t)>& read) {
    check(plan);
    store::Dataset whole, first;
    std::string first_key;
    Attributes attributes;
    std::string missing;
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        const Cell& cell = plan.cells[i];
        if (absent.at(i)) {
            missing += (missing.empty() ? "" : "\n") + cell.key;
            continue;
        }
        // One cell in memory at a time: the first gives the frame, the others must fit it, and failed ones stay NaN.
        store::Dataset data = read(i);
        attributes.add(data);
        if (attributes.cells == 1) {
            whole = frame(plan, data);
            first_key = cell.key;
            first = data;
        }
        compare_axes(first, first_key, data, cell.key);
        compare_variables(first, first_key, data, cell.key);
        place(plan, cell, data, whole);
    }
    // If every cell failed, the file has the axes and no variable.
    if (attributes.cells == 0) whole.axes = plan.axes;

    whole.attributes = attributes.merged(plan);
    whole.attributes["experiment"] = plan.experiment;
    whole.attributes["name"] = plan.config;
    whole.attributes["config"] = plan.resolved;
    whole.attributes["data_hash"] = plan.data_hash;
    whole.attributes["schema_version"] = std::to_string(plan.schema_version);
    if (!missing.empty()) whole.attributes["failed_cells"] = missing;
    store::check(whole);
    return whole;
}

}  // namespace rfbench::engine
