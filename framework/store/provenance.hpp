#pragma once
// Which program made a result: the same text from run to run of one build, on whatever machine it runs.
#include <map>
#include <string>

namespace rfbench::store {

/// Keys: version, git_commit, git_dirty ("true" or "false"), compiler, compile_flags (of the mathematics; other
/// folders differ from it in -Og for -O3), build ("optimized" or "debug"),
/// instruction_set (of the x86-64 levels the highest that is compiled for, or the processor family),
/// instruction_extensions (beyond that level), hdf5, fmt; and what the caller adds or replaces (versions of the
/// libraries that the store does not know). What the build did not tell is "unknown".
std::map<std::string, std::string> provenance(const std::map<std::string, std::string>& more = {});

}  // namespace rfbench::store
