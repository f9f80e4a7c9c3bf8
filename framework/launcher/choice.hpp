#pragma once
// Packages hold programs, and modules of Python, for several levels of the x86-64 psABI, each linked of code of that
// level alone. Which one runs is decided here, by code for plain x86-64.
#include <string>
#include <vector>

namespace rfbench::launcher {

/// The environment variable that asks for a level by its name.
inline constexpr const char* variable = "RFBENCH_INSTRUCTION_SET";

/// Whether a name is that of a level: "x86-64", "x86-64-v2", ... "x86-64-v9".
bool is_level(const std::string& name);

/// The level that runs: the last of `built` that a processor of level `processor` has or, if `asked` is neither null
/// nor empty, the one of that name. `built`: names, lowest first, at least one. Levels: 1 is x86-64, 2 to 4 are
/// x86-64-v2 to x86-64-v4. Throws InputError for a name that is not built, and for a processor that lacks the level
/// asked for, or all.
std::string chosen_level(const std::vector<std::string>& built, int processor, const char* asked);

}  // namespace rfbench::launcher
