#include "rfbench/engine/mend_packs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "rfbench/store/cell_store.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::engine {

namespace fs = std::filesystem;

std::vector<std::string> mend_packs(const fs::path& cells) {
    // Packs are locked before they are read again, so that no cell comes meanwhile.
    std::map<fs::path, std::unique_ptr<store::Descriptor>> held;
    const std::vector<fs::path> faulty = store::CellStore(cells).faulty();
    for (const fs::path& pack : faulty)
        if (auto lock = store::hold_pack(pack)) held[pack] = std::move(lock);
    if (held.empty()) return {};
    store::CellStore store(cells);
    std::vector<store::Entry> entries;
    for (const auto& [identity, entry] : store.cells())
        if (held.contains(store.packs().at(entry.pack))) entries.push_back(entry);
    // The order of identities makes the pack independent of that of a hash table.
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.record.identity < b.record.identity; });
    std::map<fs::path, std::size_t> kept;
    for (const store::Entry& entry : entries) {
        const fs::path pack = store.packs().at(entry.pack);
        try {
            store.copy(store, entry);
            ++kept[pack];
        } catch (const store::Error&) {
            // A damaged cell is computed again by the run that needs it.
        }
        if (store.waiting() > store::CellStore::max_waiting) store.commit();
    }
    store.commit();
    std::vector<std::string> told;
    for (const auto& [pack, lock] : held) {
        if (store::system_calls().unlink(pack.c_str()) != 0 && errno != ENOENT)
            store::throw_system_error("remove", pack, errno);
        told.push_back(fmt::format("{} was damaged or cut short, and is mended: {} sound cells of it are in a new pack",
                                   pack.string(), kept[pack]));
    }
    store::sync_folder(cells);
    return told;
}

}  // namespace rfbench::engine
