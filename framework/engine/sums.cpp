#include "rfbench/engine/sums.hpp"

#include <set>

#include "rfbench/engine/ledger.hpp"
#include "rfbench/store/checksums.hpp"

namespace rfbench::engine {

void write_sums(const Plan& plan, const Layout& at, const Status& status) {
    const History past = history(at.journal);
    const auto relative = [&](const std::filesystem::path& file) {
        return file.lexically_relative(at.folder).generic_string();
    };
    store::Checksums sums;
    std::set<std::string> keys;
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        keys.insert(plan.cells[i].key);
        if (status.cells[i].state == State::done) sums[relative(at.cell(plan.cells[i]))] = status.cells[i].sha256;
    }
    // Files of cells that an earlier plan had are still there, and still listed.
    for (const auto& [key, event] : past.done) {
        const auto file = at.cell({key, {}});
        if (keys.count(key) == 0 && std::filesystem::exists(file)) sums[relative(file)] = event.sha256;
    }
    if (status.collected) sums[relative(at.collected)] = past.collected.sha256;
    store::write_checksums(at.folder, sums);
}

}  // namespace rfbench::engine
