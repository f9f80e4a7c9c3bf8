#pragma once
// JSON in and out, by JSON for Modern C++ (nlohmann): what that lets pass is refused here, and one layout is that of
// all we write.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace rfbench {

/// How deep lists and objects may be nested: what reads a value may call itself at each level.
inline constexpr int max_json_depth = 64;

/// The value of a JSON text (RFC 8259); `place` names it in messages. Throws FileError with the parser's line and
/// column where it is no JSON or no UTF-8, and naming the key that an object has twice, of which the parser would
/// silently keep the last, and for one that is nested deeper than max_json_depth.
nlohmann::json parse_json(std::string_view text, std::string_view place);

/// The text of a value, without a newline at its end: what has no lists or objects inside is one line, anything else
/// has one line a member, two spaces deeper. Members keep their order; numbers read back as the same doubles, and what
/// is not finite is null. Bytes that are no UTF-8 become U+FFFD.
std::string json_lines(const nlohmann::ordered_json&);

/// The same, all on one line.
std::string json_line(const nlohmann::ordered_json&);

/// Beginning of a value's line, in ASCII, for a message.
std::string json_shown(const nlohmann::json&);

}  // namespace rfbench
