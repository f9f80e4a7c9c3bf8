#include "rfbench/store/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "rfbench/text/nearest.hpp"

namespace rfbench::store {
namespace {

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& list) {
    std::vector<std::string> names;
    names.reserve(list.size());
    for (const Named& item : list) names.push_back(item.name);
    return names;
}

std::string there_are(const std::vector<std::string>& names) {
    return names.empty() ? "there are none" : fmt::format("there are: {}", fmt::join(names, ", "));
}

template <class Named>
const Named& find(const std::vector<Named>& list, const std::string& name, const char* kind) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Named& item) { return item.name == name; });
    if (found != list.end()) return *found;
    const auto names = names_of(list);
    throw std::out_of_range(
        fmt::format("no {} is called '{}'; {}.{}", kind, name, there_are(names), did_you_mean(name, names)));
}

void check_names(const Dataset& data) {
    // Axes and variables are datasets of one file, side by side.
    std::set<std::string> taken;
    const auto take = [&](const std::string& name, const char* kind) {
        if (name.empty()) throw std::invalid_argument(fmt::format("an {} of a dataset has no name", kind));
        if (!taken.insert(name).second)
            throw std::invalid_argument(fmt::format("two axes or variables of a dataset are called '{}'", name));
    };
    for (const Axis& axis : data.axes) take(axis.name, "axis");
    for (const Variable& variable : data.variables) take(variable.name, "array");
}

// The product of the sizes; throws when a name is not an axis, comes twice, or the product is beyond all memory.
std::size_t volume(const Dataset& data, const Variable& variable) {
    std::set<std::string> seen;
    std::size_t product = 1;
    for (const std::string& name : variable.axes) {
        const auto names = names_of(data.axes);
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end())
            throw std::invalid_argument(
                fmt::format("variable '{}' lies over the axis '{}', which the dataset does not "
                            "have; {}.{}",
                            variable.name, name, there_are(names), did_you_mean(name, names)));
        if (!seen.insert(name).second)
            throw std::invalid_argument(fmt::format("variable '{}' names the axis '{}' twice", variable.name, name));
        const std::size_t size = data.axes[std::size_t(at - names.begin())].size();
        // Compared by division, since the product would wrap around; an axis may have no labels.
        if (size != 0 && product > std::numeric_limits<std::size_t>::max() / size)
            throw std::invalid_argument(
                fmt::format("variable '{}' has more values than can be counted", variable.name));
        product *= size;
    }
    return product;
}

std::string shape(const Dataset& data, const Variable& variable) {
    std::vector<std::string> factors;
    for (const std::string& name : variable.axes) factors.push_back(fmt::format("{} {}", data.axis(name).size(), name));
    return factors.empty() ? "a single number" : fmt::format("{}", fmt::join(factors, " x "));
}

}  // namespace

std::size_t Axis::size() const {
    return std::visit([](const auto& list) { return list.size(); }, labels);
}

const Axis& Dataset::axis(const std::string& name) const { return find(axes, name, "axis"); }

const Variable& Dataset::variable(const std::string& name) const { return find(variables, name, "variable"); }

bool Dataset::has_variable(const std::string& name) const {
    return std::any_of(variables.begin(), variables.end(), [&](const Variable& one) { return one.name == name; });
}

void check(const Dataset& data) {
    check_names(data);
    for (const Variable& variable : data.variables) {
        const std::size_t expected = volume(data, variable);
        if (variable.values.size() != expected)
            throw std::invalid_argument(fmt::format("variable '{}' has {} values, but its axes call for {} ({})",
                                                    variable.name, variable.values.size(), expected,
                                                    shape(data, variable)));
    }
}

}  // namespace rfbench::store
