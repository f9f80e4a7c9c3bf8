#pragma once
#include <string>

#include "rfbench/config/load.hpp"

namespace rfbench::config {

/// The message with which a configuration is refused, or "accepted".
inline std::string refusal(const std::string& text, const Schema& schema, const Options& options = {}) {
    try {
        parse(text, "f.yaml", schema, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace rfbench::config
