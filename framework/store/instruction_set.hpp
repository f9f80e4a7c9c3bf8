#pragma once
#include <string>

namespace rfbench::store {

/// The highest x86-64 level (psABI: x86-64, x86-64-v2, -v3, -v4) this code was compiled for, or the processor family.
/// Results are the same bits within one level, not across levels.
std::string instruction_set();

/// Extensions compiled for beyond that level, by the compiler's names, separated by spaces.
std::string instruction_extensions();

}  // namespace rfbench::store
