#pragma once
#include <string>

#include "rfbench/config/load.hpp"
#include "support/refusal.hpp"

namespace rfbench::config {

/// The message with which a configuration is refused; "accepted" when it is not.
inline std::string refusal(const std::string& text, const Schema& schema, const Options& options = {}) {
    return tests::refusal<Error>([&] { parse(text, "f.yaml", schema, options); });
}

}  // namespace rfbench::config
