#pragma once
// From yaml-cpp's marks to places. Only the configuration's own files include this.
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "rfbench/config/error.hpp"

namespace rfbench::config {

/// Places of the marks of one text. Marks count lines and bytes from 0, places count lines and characters from 1.
class Places {
public:
    /// The text must outlive this.
    Places(std::string_view text, std::shared_ptr<const Source> source);

    Place at(const YAML::Mark&) const;
    /// Whether the quote that a node at this mark opens is closed again, which yaml-cpp does not ask at the end of a
    /// file. True for a node that opens none.
    bool closes_quote(const YAML::Mark&) const;

    const std::shared_ptr<const Source>& source() const { return source_; }

private:
    std::size_t line_of(const YAML::Mark&) const;
    /// Characters before a byte. A reader counts characters, yaml-cpp bytes: continuation bytes of UTF-8 are passed
    /// over.
    std::size_t characters_before(std::size_t at) const;

    std::string_view text_;
    std::shared_ptr<const Source> source_;
    std::vector<std::size_t> starts_;      // of the lines, in bytes
    std::vector<std::size_t> characters_;  // before every counted_bytes-th byte: a list may stand on one line
};

}  // namespace rfbench::config
