#pragma once
// Names that people know a thing by: a name in the place of a map with some of its keys.
#include <map>
#include <string>
#include <vector>

#include "rfbench/config/schema.hpp"

namespace rfbench::config {

/// `name` stands for a map, such as FAVOR+ for {use: positive, sampling: orthogonal, label: FAVOR+}. Keys beside the
/// name take the place of those of the map.
struct Alias {
    std::string name;
    std::string yaml;
};

/// Sentences for names that are of another kind, by name: "It is a sampling ...".
using ForeignNames = std::map<std::string, std::string>;

/// named() whose things have other names, too; a checked value has what they stand for.
Schema named(std::string what, std::string key, std::vector<Named>, std::vector<KeyRule> common,
             const std::vector<Alias>&, ForeignNames = {});

}  // namespace rfbench::config
