#pragma once
// Checked access to the nodes of the manifest: every refusal has file:line:column, and unknown keys are refused.
#include <cstddef>
#include <string>
#include <vector>

#include "rfbench/config/document.hpp"

namespace rfbench::datasets {

/// Throws DataError "file:line:column: sentence" at the node.
[[noreturn]] void refuse_node(const config::Node&, const std::string& sentence);

/// A scalar's text, never empty. `what` names the value in messages, here and below.
std::string text_of(const config::Node&, const std::string& what);

/// A whole number >= 1.
std::size_t count_of(const config::Node&, const std::string& what);

/// Throws DataError when the node is no map.
void require_map(const config::Node&, const std::string& what);

/// One map of the manifest, with the keys it may have.
class MapReader {
public:
    /// Throws DataError when the node is no map or has a key that is not allowed. Keeps a reference to the node.
    MapReader(const config::Node&, std::string what, const std::vector<std::string>& allowed);

    bool has(const std::string& key) const;

    /// Values that must be there: any node, a text, a whole number >= 1, the elements of a list with at least one.
    const config::Node& at(const std::string& key) const;
    std::string text(const std::string& key) const;
    std::size_t count(const std::string& key) const;
    const std::vector<config::Node>& list(const std::string& key) const;

    /// One of the allowed texts; throws DataError with the nearest.
    std::string choice(const std::string& key, const std::vector<std::string>& allowed) const;

    /// Throws DataError "'key' of WHAT sentence" at the value of a key that is there.
    [[noreturn]] void refuse_at(const std::string& key, const std::string& sentence) const;

private:
    const config::Node& node_;
    std::string what_;
};

}  // namespace rfbench::datasets
