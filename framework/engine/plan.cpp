#include "rfbench/engine/plan.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <set>
#include <stdexcept>
#include <string_view>

#include "rfbench/store/sha256.hpp"

namespace rfbench::engine {
namespace {

constexpr std::size_t longest_name = 150;  // leaves room for ".h5" and a temporary's suffix within 255 bytes

bool safe(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
    return letter || digit || std::string_view("=,.+-_").find(c) != std::string_view::npos;
}

bool safe(const std::string& text) {
    if (text.empty() || text.front() == '.' || text.front() == '-' || text.size() > longest_name) return false;
    for (const char c : text)
        if (!safe(c)) return false;
    return true;
}

void check_name(const char* what, const std::string& name) {
    if (!safe(name))
        throw std::invalid_argument(
            fmt::format("the {} \"{}\" names a file: it must have 1 to {} characters of "
                        "letters, digits and = , . + - _, and not begin with . or -",
                        what, name, longest_name));
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

// Every field with its length before it, so that no two lists of fields look the same.
std::string fields(std::initializer_list<std::string_view> values) {
    std::string text;
    for (const auto value : values) text += fmt::format("{}:{}\n", value.size(), value);
    return text;
}

}  // namespace

void check(const Plan& plan) {
    check_name("experiment", plan.experiment);
    check_name("configuration", plan.config);
    store::check({plan.axes, {}, {}});
    std::set<std::string> keys;
    std::map<std::vector<std::size_t>, std::string> places;
    for (const Cell& cell : plan.cells) {
        if (cell.key.empty()) throw std::invalid_argument("a cell has an empty key");
        if (!keys.insert(cell.key).second)
            throw std::invalid_argument(fmt::format("two cells have the key \"{}\"", cell.key));
        check_coordinates(plan, cell);
        if (const auto [place, fresh] = places.emplace(cell.coordinates, cell.key); !fresh)
            throw std::invalid_argument(
                fmt::format("the cells \"{}\" and \"{}\" have the same coordinates", place->second, cell.key));
    }
}

std::string identity(const Plan& plan, const Cell& cell) {
    return store::sha256(fields({plan.experiment, store::sha256(plan.resolved), plan.data_hash,
                                 std::to_string(plan.schema_version), cell.key}));
}

std::string file_name(const Cell& cell) {
    if (safe(cell.key)) return cell.key + ".h5";
    // Other keys: what of them can be in a name, and part of their hash, so that no two cells share a file.
    std::string readable;
    for (const char c : cell.key.substr(0, longest_name - 20)) readable += safe(c) ? c : '_';
    if (readable.empty() || readable.front() == '.' || readable.front() == '-') readable.insert(0, "_");
    return readable + "-" + store::sha256(cell.key).substr(0, 16) + ".h5";
}

}  // namespace rfbench::engine
