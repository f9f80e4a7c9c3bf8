#pragma once
// Checked access to the maps of a YAML document: every refusal has file:line:column, and
// unknown or repeated keys are refused.
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rfbench::datasets {

/// Throws DataError at the node.
[[noreturn]] void refuse_node(const YAML::Node&, const std::string& file, const std::string& sentence);

/// One map. `what` names it in messages, as in "data set 'car'".
class YamlMap {
public:
    /// Throws DataError when the node is no map, or a key is repeated or not in `allowed`.
    YamlMap(const YAML::Node&, std::string file, std::string what, const std::vector<std::string>& allowed);

    bool has(const std::string& key) const;
    /// A value that must be there.
    YAML::Node at(const std::string& key) const;
    /// A text that must be there and not be empty; blank-trimmed.
    std::string text(const std::string& key) const;
    /// A whole number >= 1 that must be there.
    std::size_t count(const std::string& key) const;
    /// The elements of a list that must be there and not be empty.
    std::vector<YAML::Node> list(const std::string& key) const;
    /// One of the allowed texts; throws DataError with the nearest.
    std::string choice(const std::string& key, const std::vector<std::string>& allowed) const;

    [[noreturn]] void refuse_at(const std::string& key, const std::string& sentence) const;
    const std::string& file() const { return file_; }

private:
    YAML::Node node_;
    std::string file_;
    std::string what_;
};

/// The keys and values of a map in file order. Throws DataError when it is no map or a key is repeated.
struct KeyValue {
    std::string key;
    YAML::Node key_node;
    YAML::Node value;
};
std::vector<KeyValue> pairs_of(const YAML::Node&, const std::string& file, const std::string& what);

/// A whole number >= 1, or a refusal at the node.
std::size_t count_of(const YAML::Node&, const std::string& file, const std::string& what);

/// A scalar's text, or a refusal at the node.
std::string text_of(const YAML::Node&, const std::string& file, const std::string& what);

}  // namespace rfbench::datasets
