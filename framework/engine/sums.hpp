#pragma once
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/status.hpp"

namespace rfbench::engine {

/// Writes the folder's SHA256SUMS, sorted by name: the cells that are done, files of earlier plans that are still there
/// under another key, and the collected file when it is current.
void write_sums(const Plan&, const Layout&, const Status&);

}  // namespace rfbench::engine
