#include "rfbench/datasets/manifest_node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "rfbench/config/number_syntax.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

[[noreturn]] void refuse_place(const config::Place& place, const std::string& sentence) {
    throw DataError(fmt::format("{}: {}", config::where(place, ""), sentence));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void refuse_node(const config::Node& node, const std::string& sentence) { refuse_place(node.place, sentence); }

std::string text_of(const config::Node& node, const std::string& what) {
    if (node.shape != config::Shape::scalar) {
        refuse_node(node, fmt::format("{} must be a text, not {}", what, config::given(node)));
    }
    const std::size_t last = node.text.find_last_not_of(" \n");
    if (last == std::string::npos) refuse_node(node, what + " must not be empty");
    return node.text.substr(0, last + 1);
}

std::size_t count_of(const config::Node& node, const std::string& what) {
    const auto [value, wrong] = config::read_integer(text_of(node, what));
    if (!wrong.empty() || value < 1) {
        refuse_node(node, fmt::format("{} must be a whole number from 1, not {}", what, config::given(node)));
    }
    return static_cast<std::size_t>(value);
}

void require_map(const config::Node& node, const std::string& what) {
    if (node.shape == config::Shape::map) return;
    refuse_node(node, fmt::format("{} must be a map (key: value), not {}", what, config::given(node)));
}

MapReader::MapReader(const config::Node& node, std::string what, const std::vector<std::string>& allowed)
    : node_(node), what_(std::move(what)) {
    require_map(node_, what_);
    for (const config::Key& key : node_.keys) {
        if (contains(allowed, key.name)) continue;
        refuse_place(key.place, fmt::format("{} has the unknown key {}; allowed: {}.{}", what_, in_quotes(key.name),
                                            fmt::join(allowed, ", "), did_you_mean(key.name, allowed)));
    }
}

bool MapReader::has(const std::string& key) const { return config::find(node_, key) != nullptr; }

const config::Node& MapReader::at(const std::string& key) const {
    const config::Node* const value = config::find(node_, key);
    if (!value) refuse_node(node_, fmt::format("{} lacks the key '{}'", what_, key));
    return *value;
}

std::string MapReader::text(const std::string& key) const {
    return text_of(at(key), fmt::format("'{}' of {}", key, what_));
}

std::size_t MapReader::count(const std::string& key) const {
    return count_of(at(key), fmt::format("'{}' of {}", key, what_));
}

const std::vector<config::Node>& MapReader::list(const std::string& key) const {
    const config::Node& node = at(key);
    if (node.shape != config::Shape::list || node.items.empty()) {
        refuse_at(key, "must be a list with at least one element");
    }
    return node.items;
}

std::string MapReader::choice(const std::string& key, const std::vector<std::string>& allowed) const {
    std::string given = text(key);
    if (!contains(allowed, given)) {
        refuse_at(key, fmt::format("is {}; allowed: {}.{}", in_quotes(given), fmt::join(allowed, ", "),
                                   did_you_mean(given, allowed)));
    }
    return given;
}

void MapReader::refuse_at(const std::string& key, const std::string& sentence) const {
    refuse_node(at(key), fmt::format("'{}' of {} {}", key, what_, sentence));
}

}  // namespace rfbench::datasets
