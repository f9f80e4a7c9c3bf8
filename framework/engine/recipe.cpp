#include "rfbench/engine/recipe.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <sstream>
#include <string_view>

namespace rfbench::engine {
namespace {

std::string label(const store::Axis& axis, std::size_t index) {
    if (const auto* words = std::get_if<std::vector<std::string>>(&axis.labels)) return words->at(index);
    return fmt::format("{}", std::get<std::vector<double>>(axis.labels).at(index));
}

// A line break would make two lines of one.
std::string on_one_line(std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\n");
    return text;
}

/// Texts of a recipe by name; lines without a name are taken together.
std::map<std::string, std::string> said(std::string_view recipe) {
    std::map<std::string, std::string> lines;
    while (!recipe.empty()) {
        const std::string_view line = recipe.substr(0, recipe.find('\n'));
        recipe.remove_prefix(std::min(recipe.size(), line.size() + 1));
        const std::size_t colon = line.find(": ");
        lines[std::string(line.substr(0, colon))] =
            colon == std::string_view::npos ? std::string() : std::string(line.substr(colon + 2));
    }
    return lines;
}

bool is_digest(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Part of a text from the separator before its first difference to another text.
std::string differing(const std::string& text, const std::string& other) {
    constexpr std::size_t most = 60;
    if (text.size() <= most) return text;
    std::size_t from = 0;
    while (from < text.size() && from < other.size() && text[from] == other[from]) ++from;
    while (from > 0 && text[from - 1] != ' ') --from;
    return (from > 0 ? "... " : "") + text.substr(from, most) + (text.size() - from > most ? " ..." : "");
}

std::string changed(const std::string& name, const std::string& now, const std::string& before) {
    if (is_digest(now) && is_digest(before)) return name + " has changed";
    return fmt::format("{}: {} (was {})", name, differing(now, before), differing(before, now));
}

}  // namespace

Recipes::Recipes(const Plan& plan)
    : common_(plan.common), folder_(engine::place(plan)), of_common_(store::digest(common_)) {
    for (std::size_t a = 0; a < plan.axes.size(); ++a) {
        const store::Axis& axis = plan.axes[a];
        std::vector<std::string>& lines = lines_.emplace_back();
        const bool more = a < plan.contents.size() && !plan.contents[a].empty();
        for (std::size_t i = 0; i < axis.size(); ++i) {
            lines.push_back(fmt::format("{}: {}\n", axis.name, on_one_line(label(axis, i))));
            std::istringstream content(more ? plan.contents[a].at(i) : std::string());
            for (std::string line; std::getline(content, line);)
                lines.back() += fmt::format("{} {}\n", axis.name, line);
        }
    }
}

std::string Recipes::own(const Cell& cell) const {
    std::string text;
    for (std::size_t a = 0; a < lines_.size(); ++a) text += lines_[a].at(cell.coordinates.at(a));
    return text;
}

store::Digest Recipes::identity(const Cell& cell) const {
    store::Sha256 hash;
    // The digest of the common lines and not the lines: of a million cells they are hashed once.
    hash.add(of_common_);
    const std::string text = own(cell);
    hash.add(std::as_bytes(std::span(text)));
    return hash.bytes();
}

store::Digest identity(const std::string& common, const std::string& own) {
    store::Sha256 hash;
    hash.add(store::digest(common));
    hash.add(std::as_bytes(std::span(own)));
    return hash.bytes();
}

bool is_measured(const std::string& recipe) {
    return recipe.starts_with(measured_line) || recipe.find(std::string("\n") + measured_line) != std::string::npos;
}

std::uint64_t Recipes::place(const Cell& cell) const {
    const store::Digest whole = store::digest(folder_ + "\n" + cell.key);
    // Eight bytes of the digest tell places apart, and take little of a record.
    std::uint64_t first = 0;
    std::memcpy(&first, whole.data(), sizeof first);
    return first;
}

std::string difference(const std::string& now, const std::string& before) {
    const auto a = said(now), b = said(before);
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
    for (const auto& [name, value] : a) {
        const auto was = b.find(name);
        if (was == b.end())
            add(fmt::format("{}: {} (was not there)", name, differing(value, {})));
        else if (was->second != value)
            add(changed(name, value, was->second));
    }
    for (const auto& [name, value] : b)
        if (!a.contains(name)) add(fmt::format("{} is no longer there", name));
    return text;
}

}  // namespace rfbench::engine
