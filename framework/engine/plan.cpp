#include "rfbench/engine/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace rfbench::engine {
namespace {

constexpr std::size_t max_name_length = 150;  // leaves room for extensions within 255 bytes

bool safe(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
    return letter || digit || std::string_view("=,.+-_").find(c) != std::string_view::npos;
}

bool safe(const std::string& text) {
    // No hidden files, and none that a command takes for an option.
    if (text.empty() || text.front() == '.' || text.front() == '-' || text.size() > max_name_length) return false;
    for (const char c : text)
        if (!safe(c)) return false;
    return true;
}

void check_name(const char* what, const std::string& name) {
    if (!safe(name))
        throw std::invalid_argument(
            fmt::format("the {} \"{}\" names a file: it must have 1 to {} characters of "
                        "letters, digits and = , . + - _, and not begin with . or -.",
                        what, name, max_name_length));
}

void check_coordinates(const Plan& plan, const Cell& cell) {
    if (cell.coordinates.size() != plan.axes.size())
        throw std::invalid_argument(fmt::format("cell \"{}\" has {} coordinates, the sweep has {} axes", cell.key,
                                                cell.coordinates.size(), plan.axes.size()));
    for (std::size_t i = 0; i < plan.axes.size(); ++i)
        if (cell.coordinates[i] >= plan.axes[i].size())
            throw std::invalid_argument(fmt::format("cell \"{}\" is at {} of axis \"{}\", which ends at {}", cell.key,
                                                    cell.coordinates[i], plan.axes[i].name,
                                                    std::ptrdiff_t(plan.axes[i].size()) - 1));
}

// Two cells that are the same in what `of` points to, earlier ones first. Pointers are sorted: a plan of a million
// cells is not copied.
template <class Of>
std::optional<std::pair<const Cell*, const Cell*>> first_double(const std::vector<Cell>& cells, Of of) {
    std::vector<const Cell*> sorted;
    for (const Cell& cell : cells) sorted.push_back(&cell);
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return *of(*a) < *of(*b); });
    const auto found =
        std::adjacent_find(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return *of(*a) == *of(*b); });
    if (found == sorted.end()) return {};
    return std::pair{*found, *std::next(found)};
}

}  // namespace

void check(const Plan& plan) {
    check_name("experiment", plan.experiment);
    check_name("configuration", plan.config);
    if (!plan.profile.empty()) check_name("profile", plan.profile);
    store::check({plan.axes, {}, {}});
    for (const Cell& cell : plan.cells) {
        if (cell.key.empty()) throw std::invalid_argument("a cell has an empty key");
        check_coordinates(plan, cell);
    }
    if (const auto twice = first_double(plan.cells, [](const Cell& cell) { return &cell.key; }))
        throw std::invalid_argument(fmt::format("two cells have the key \"{}\"", twice->first->key));
    if (const auto twice = first_double(plan.cells, [](const Cell& cell) { return &cell.coordinates; }))
        throw std::invalid_argument(fmt::format("the cells \"{}\" and \"{}\" have the same coordinates",
                                                twice->first->key, twice->second->key));
}

std::string place(const Plan& plan) {
    return (plan.profile.empty() ? "" : plan.profile + "/") + plan.experiment + "/" + plan.config;
}

}  // namespace rfbench::engine
