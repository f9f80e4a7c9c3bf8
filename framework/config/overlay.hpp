#pragma once
// Changing a document before it is checked: profiles and --set. Only the configuration's own files include this.
#include <string>
#include <vector>

#include "rfbench/config/document.hpp"

namespace rfbench::config {

/// Lays `patch` over `base`: maps key by key, anything else replaced. A range ({linspace: ...}) counts as a value.
/// Nodes of the patch keep their place.
void overlay(Node& base, const Node& patch);

/// Takes the map `profiles` out of the document. Each body knows that its keys are below "profiles.<name>". Throws
/// Error when it is no map of maps, one is called "full", or there are more than max_profiles: each is checked with
/// the whole document.
inline constexpr std::size_t max_profiles = 100;
struct Profile {
    Key name;
    Node body;
};
std::vector<Profile> take_profiles(Node& document);

/// Sets "path=value" in the document: keys separated by dots, list elements by number from 0; maps on the way that are
/// not there are made. Throws Error "--set path=value: ..." when the argument is malformed, its value is not YAML, the
/// path leads through something that is no map or list, to an element that is not there, or into `profiles`.
void set_override(Node& document, const std::string& argument);

}  // namespace rfbench::config
