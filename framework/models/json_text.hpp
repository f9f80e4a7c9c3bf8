#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace rfbench::models {

/// The value of a JSON text (RFC 8259). `file` names it in messages. Throws DataError with the parser's line and column
/// where it is no JSON or no UTF-8, and naming the key that an object has twice.
nlohmann::json parse_json(std::string_view text, std::string_view file);

}  // namespace rfbench::models
