#pragma once
// Damaged packs, written anew without their damage.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::engine {

/// Copies the sound cells of faulty packs (store::CellStore::faulty) into one pack, and removes the faulty ones; those
/// that a process is writing to stay. Returns a sentence for each that is removed. Throws Error if a file cannot be
/// written or removed; no sound cell is lost then.
std::vector<std::string> mend_packs(const std::filesystem::path& cells);

}  // namespace rfbench::engine
