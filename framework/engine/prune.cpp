#include "rfbench/engine/prune.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/needed_cells.hpp"
#include "rfbench/store/cell_store.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/entries_below.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/links.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::engine {
namespace {

namespace fs = std::filesystem;

using Held = std::map<fs::path, std::unique_ptr<store::Descriptor>>;

// Locks all packs that nobody writes to. They are held before they are read, until they are removed: none gets a cell
// meanwhile that nobody has seen.
Held hold_packs(const fs::path& cells) {
    Held held;
    for (const auto& file : store::entries_in(cells))
        if (file.path().extension() == store::pack_extension)
            if (auto pack = store::hold_pack(file.path())) held[file.path()] = std::move(pack);
    return held;
}

std::unordered_set<std::string> needed(const fs::path& results) {
    std::unordered_set<std::string> all;
    for (const fs::path& folder : collected_folders(results)) {
        const auto cells = needed_cells(folder);
        all.insert(cells.begin(), cells.end());
    }
    return all;
}

// Runs hold a lock from before they open the store, a pack only from when they store their first cell.
bool is_run_at_work(const fs::path& results) {
    const auto files = store::entries_below(results, results / "cells");
    return std::any_of(files.begin(), files.end(), [](const auto& file) {
        const std::string name = file.path().filename();
        return (name == "lock" || name.starts_with("lock-")) && is_held(file.path());
    });
}

bool contains(const std::vector<fs::path>& all, const fs::path& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

struct Division {
    std::vector<store::Entry> needed;
    std::vector<fs::path> removable;  ///< packs that nobody writes to
    Pruning result;
};

std::size_t checkpoints(const fs::path& folder) {
    std::error_code none;
    std::size_t count = 0;
    for (fs::directory_iterator file(folder, none), end; file != end; ++file) ++count;
    return count;
}

Division divide(const fs::path& results, const Held& held, const store::CellStore& store) {
    Division division;
    const auto wanted = needed(results);
    std::vector<bool> at_work;
    for (const fs::path& pack : store.packs()) {
        at_work.push_back(!held.contains(pack));
        if (at_work.back())
            ++division.result.packs_at_work;
        else if (!contains(store.foreign(), pack))
            division.removable.push_back(pack);
    }
    division.result.run_at_work = is_run_at_work(results);
    if (division.result.packs_at_work == 0 && !division.result.run_at_work)
        division.result.checkpoints = checkpoints(checkpoints_of(results));
    for (const auto& [identity, entry] : store.cells()) {
        // Such a pack is left alone, so its cells stay, needed or not.
        if (at_work[entry.pack]) {
            ++division.result.kept;
        } else if (division.result.run_at_work || wanted.contains(store::hex(identity))) {
            ++division.result.kept;
            division.needed.push_back(entry);
        } else {
            ++division.result.removed;
            division.result.bytes += entry.record.size;
        }
    }
    // In the order of identities, so that the pack does not depend on that of a hash table.
    std::sort(division.needed.begin(), division.needed.end(),
              [](const auto& a, const auto& b) { return a.record.identity < b.record.identity; });
    return division;
}

}  // namespace

Pruning unneeded(const fs::path& results) {
    const Held held = hold_packs(results / "cells");
    return divide(results, held, store::CellStore(results / "cells")).result;
}

Pruning prune(const fs::path& results) {
    store::require_no_link(results, checkpoints_of(""));
    const Held held = hold_packs(results / "cells");
    store::CellStore store(results / "cells");
    Division division = divide(results, held, store);
    if (division.result.checkpoints > 0) fs::remove_all(checkpoints_of(results));
    // A run at work may be about to read its cells where they are.
    if (division.result.run_at_work) return division.result;
    // No cell goes, there are no packs to make one of, and none is to be mended.
    const bool faulty = std::any_of(store.faulty().begin(), store.faulty().end(),
                                    [&](const fs::path& pack) { return contains(division.removable, pack); });
    if (division.result.removed == 0 && division.removable.size() < 2 && !faulty) return division.result;
    for (const store::Entry& entry : division.needed) {
        store.copy(store, entry);
        if (store.waiting() > store::CellStore::max_waiting) store.commit();
    }
    store.commit();
    // All that is needed is now on the disk a second time: the old packs can go.
    for (const fs::path& pack : division.removable)
        if (store::system_calls().unlink(pack.c_str()) != 0 && errno != ENOENT)
            store::throw_system_error("remove", pack, errno);
    store::sync_folder(store.folder());
    return division.result;
}

}  // namespace rfbench::engine
