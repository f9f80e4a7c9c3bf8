// rfbench collect and prune: the cells of all results.
#include <fmt/format.h>

#include <iostream>

#include "forecast.hpp"
#include "results_folder.hpp"
#include "rfbench/engine/merge_stores.hpp"
#include "rfbench/engine/prune.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/links.hpp"
#include "rfbench/text/counted.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
int collect(const std::filesystem::path& results, const std::vector<std::filesystem::path>& trees) {
    for (const auto& tree : trees)
        if (!std::filesystem::is_directory(tree / "cells"))
            throw InputError(fmt::format("{} is no folder of results: it has no folder 'cells'", tree.string()));
    require_writable(results / "cells");
    store::require_no_link(results, "cells");
    bool damaged = false;
    for (const auto& tree : trees) {
        store::CellStore ours(results / "cells");
        const engine::MergeSummary united = engine::merge_stores(store::CellStore(tree / "cells"), ours);
        fmt::print("{}: {} taken, {} were here\n", tree.string(), counted(united.taken, "cell"), united.there);
        for (const std::string& sentence : united.damaged) std::cerr << "  not taken: " << sentence << '\n';
        damaged = damaged || !united.damaged.empty();
    }
    fmt::print("'rfbench run' of the same configurations collects their results from them\n");
    return damaged ? verification_failed : success;
}

int prune(const std::filesystem::path& results, bool dry_run) {
    if (!std::filesystem::is_directory(results / "cells")) {
        std::cerr << "rfbench: there are no cells in " << results.string() << '\n';
        return nothing_selected;
    }
    store::require_no_link(results, "cells");
    const engine::Pruning what = engine::unneeded(results);
    fmt::print("{} that no collected result needs, {}; {} stay\n", counted(what.removed, "cell"),
               bytes_text(static_cast<double>(what.bytes)), what.kept);
    if (what.run_at_work)
        fmt::print("a run is at work here: every cell stays until it has ended\n");
    else if (what.packs_at_work > 0)
        fmt::print("of these, those in {} that another process is writing to stay whatever needs them\n",
                   counted(what.packs_at_work, "pack"));
    if (what.checkpoints > 0)
        fmt::print("{} of cells that were interrupted {}, since no run is at work\n",
                   what.checkpoints == 1 ? "a checkpoint" : fmt::format("{} checkpoints", what.checkpoints),
                   what.checkpoints == 1 ? "goes too" : "go too");
    if (!dry_run) engine::prune(results);
    return success;
}

}  // namespace rfbench::cli
