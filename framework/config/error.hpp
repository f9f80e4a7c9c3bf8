#pragma once
// Errors of configurations, with their places.
#include <memory>
#include <string>
#include <string_view>

#include "rfbench/errors.hpp"

namespace rfbench::config {

/// Origin of some YAML: a file, whose lines count, or a --set argument, whose lines do not.
struct Source {
    std::string name;       ///< file name, or "--set path=value"
    bool has_lines = true;  ///< messages give line and column
    std::string prefix;     ///< put before key paths, e.g. "profiles.smoke."
};

/// A place in a source; line and column from 1, columns in characters. Line 0: the source as a whole.
struct Place {
    std::shared_ptr<const Source> source;  ///< null where it is not known
    int line = 0;                          ///< from 1; 0: the source as a whole
    int column = 0;                        ///< from 1, in characters
};

/// "file:line:column: key.path", "file:line:column", "file: key.path" or "file", whatever of it is known.
std::string where(const Place&, const std::string& path);

/// A refused configuration; what() is "file:line:column: key.path: sentence". List elements in a path are counted from
/// 0, as in "sweep.gamma.2".
class Error : public InputError {
public:
    /// A whole sentence, about no place.
    explicit Error(const std::string& message) : InputError(message) {}
    /// A sentence about the key `path`, which where(place, path) is put before.
    Error(const Place& place, const std::string& path, const std::string& sentence)
        : InputError(where(place, path) + ": " + sentence), source_(place.source) {}

    /// Origin of the refused YAML; nullptr when it is not known.
    const std::shared_ptr<const Source>& source() const { return source_; }

private:
    std::shared_ptr<const Source> source_;
};

/// The text in single quotes, fit for one line of a message: control characters escaped, cut after 60 characters.
std::string in_quotes(std::string_view text);

/// path + "." + key; a key that is not a plain word is put in quotes. An empty path gives the key.
std::string joined(const std::string& path, std::string_view key);
/// path + "." + index, for an element of a list.
std::string joined(const std::string& path, std::size_t index);

}  // namespace rfbench::config
