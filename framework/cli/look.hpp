#pragma once
// Looks of names in figures: framework/drawing/looks.json.
#include <set>
#include <string>

namespace rfbench::cli {

/// Mechanisms that have no look in the table. Figures give them one that follows from their name. Throws FileError
/// where the table cannot be read.
std::set<std::string> mechanisms_without_look();

/// A sentence on such a mechanism, with the command that proposes a look.
std::string without_look(const std::string& mechanism);

}  // namespace rfbench::cli
