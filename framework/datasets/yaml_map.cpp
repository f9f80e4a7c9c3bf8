#include "rfbench/datasets/yaml_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "rfbench/datasets/place.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

void refuse_node(const YAML::Node& node, const std::string& file, const std::string& sentence) {
    const YAML::Mark mark = node.Mark();
    if (mark.is_null()) refuse({file}, sentence);
    refuse({file, static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1}, sentence);
}

std::string text_of(const YAML::Node& node, const std::string& file, const std::string& what) {
    if (!node.IsScalar()) refuse_node(node, file, what + " must be a text");
    std::string text = node.Scalar();
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
    if (text.empty()) refuse_node(node, file, what + " must not be empty");
    return text;
}

std::size_t count_of(const YAML::Node& node, const std::string& file, const std::string& what) {
    const std::string text = text_of(node, file, what);
    std::size_t value = 0;
    const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || stopped != text.data() + text.size() || value == 0) {
        refuse_node(node, file, fmt::format("{} must be a whole number from 1, not {}", what, in_quotes(text)));
    }
    return value;
}

std::vector<KeyValue> pairs_of(const YAML::Node& node, const std::string& file, const std::string& what) {
    if (!node.IsMap()) refuse_node(node, file, what + " must be a map (key: value)");
    std::vector<KeyValue> pairs;
    for (const auto& pair : node) {
        const std::string key = text_of(pair.first, file, "a key of " + what);
        const auto same = [&](const auto& earlier) { return earlier.key == key; };
        if (std::any_of(pairs.begin(), pairs.end(), same)) {
            refuse_node(pair.first, file, fmt::format("{} has the key '{}' twice", what, key));
        }
        pairs.push_back({key, pair.first, pair.second});
    }
    return pairs;
}

YamlMap::YamlMap(const YAML::Node& node, std::string file, std::string what, const std::vector<std::string>& allowed)
    : node_(node), file_(std::move(file)), what_(std::move(what)) {
    for (const auto& [key, key_node, value] : pairs_of(node_, file_, what_)) {
        if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
        refuse_node(key_node, file_, fmt::format("{} has the unknown key {}; allowed: {}.{}", what_, in_quotes(key),
                                                 fmt::join(allowed, ", "), did_you_mean(key, allowed)));
    }
}

bool YamlMap::has(const std::string& key) const { return node_[key].IsDefined(); }

YAML::Node YamlMap::at(const std::string& key) const {
    if (!has(key)) refuse_node(node_, file_, fmt::format("{} lacks the key '{}'", what_, key));
    return node_[key];
}

std::string YamlMap::text(const std::string& key) const {
    return text_of(at(key), file_, fmt::format("'{}' of {}", key, what_));
}

std::size_t YamlMap::count(const std::string& key) const {
    return count_of(at(key), file_, fmt::format("'{}' of {}", key, what_));
}

std::vector<YAML::Node> YamlMap::list(const std::string& key) const {
    const YAML::Node node = at(key);
    if (!node.IsSequence() || node.size() == 0) refuse_at(key, "must be a list with at least one element");
    return {node.begin(), node.end()};
}

std::string YamlMap::choice(const std::string& key, const std::vector<std::string>& allowed) const {
    const std::string given = text(key);
    if (std::find(allowed.begin(), allowed.end(), given) == allowed.end()) {
        refuse_at(key, fmt::format("is {}; allowed: {}.{}", in_quotes(given), fmt::join(allowed, ", "),
                                   did_you_mean(given, allowed)));
    }
    return given;
}

void YamlMap::refuse_at(const std::string& key, const std::string& sentence) const {
    refuse_node(node_[key], file_, fmt::format("'{}' of {} {}", key, what_, sentence));
}

}  // namespace rfbench::datasets
