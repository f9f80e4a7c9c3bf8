#pragma once
// From a YAML file to a checked configuration.
//
// An experiment's file may have a top-level map `profiles`; the body of each is laid over the document when it is
// selected: maps key by key, everything else (lists, and ranges like {linspace: ...}) replaced as a whole. All profiles
// are checked whether selected or not.
//
//     repeats: 20
//     sweep: {gamma: {linspace: [0.1, 1, 10]}}
//     profiles: {smoke: {repeats: 1, sweep: {gamma: [0.1, 1]}}}
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/config/error.hpp"
#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"

namespace rfbench::config {

struct Node;

/// Changes of a file that the command line asks for.
struct Options {
    std::string profile;                 ///< empty or "full": the document as written
    std::vector<std::string> overrides;  ///< "path=value" as given to --set, applied in order after the profile
};

/// A checked configuration, and what profile and overrides change in it.
struct Checked {
    Value value;                            ///< has every key of the schema, with its default where it was not given
    bool as_written;                        ///< neither changes anything
    std::vector<std::string> profile_keys;  ///< the top-level keys that the selected profile gives
};

/// Checks a document that read_document() gave; `name` is its file's. Throws as load() does.
Checked check(Node document, const std::string& name, const Schema& schema, const Options& options = {});

/// The checked configuration in a file. `schema` is an object that does not declare `profiles`. Throws Error for what
/// schema, document, profiles and overrides refuse, std::logic_error for a schema that is no such object.
Value load(const std::string& path, const Schema& schema, const Options& options = {});

/// The same for a text; `name` takes the file's place in messages.
Value parse(std::string_view text, const std::string& name, const Schema& schema, const Options& options = {});

/// The document of a text, whose keys are not checked yet. Throws Error when it is not YAML or not a map.
Node read_document(std::string_view text, const std::string& name);

/// The names of the profiles a text defines, in its order. Throws Error when it is not YAML.
std::vector<std::string> profile_names(std::string_view text, const std::string& name);

}  // namespace rfbench::config
