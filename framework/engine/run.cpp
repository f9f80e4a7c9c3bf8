#include "rfbench/engine/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

#include "rfbench/engine/cell_runner.hpp"
#include "rfbench/engine/interruption.hpp"
#include "rfbench/engine/journal_summary.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/mend_packs.hpp"
#include "rfbench/engine/result_file.hpp"
#include "rfbench/engine/seconds_now.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/journal.hpp"
#include "rfbench/store/links.hpp"
#include "rfbench/store/staged_result.hpp"
#include "rfbench/store/verify.hpp"

namespace rfbench::engine {
namespace {

// Cells of the shard if this run is one, else all cells.
std::vector<std::size_t> own_cells(const Status& status, const Options& options, const Layout& at) {
    std::vector<std::size_t> cells(status.cells.size());
    std::iota(cells.begin(), cells.end(), std::size_t{0});
    if (!options.shard) return cells;
    std::vector<Load> loads;
    for (const CellStatus& cell : status.cells) loads.push_back({cell.identity, cell.seconds});
    return cells_of(*options.shard, loads, at.folder);
}

// Cells among these that are to be computed, in the order in which they are begun.
std::vector<std::size_t> remaining(std::vector<std::size_t> cells, const Status& status, const Options& options) {
    std::erase_if(cells, [&](std::size_t i) {
        const State state = status.cells[i].state;
        return (state == State::done && !options.fresh) || (state == State::stale && options.keep_stale);
    });
    if (options.order == Order::reverse) std::reverse(cells.begin(), cells.end());
    if (options.order == Order::shuffled) {
        std::mt19937_64 bits(options.shuffle_seed);
        std::shuffle(cells.begin(), cells.end(), bits);
    }
    return cells;
}

// Keeps what is written below the results folder in it, whoever made that folder.
void require_no_links(const Plan& plan, const std::filesystem::path& results) {
    for (const auto& name : {std::filesystem::path(place(plan)) / "shards", checkpoints_of("")})
        store::require_no_link(results, name);
}

// Removes the temporaries of killed runs: below the folder of the result, in those that it is in, and in that of cells.
void clear_leftovers(const Layout& at, const Plan& plan) {
    store::remove_temporaries(at.folder);
    std::filesystem::path beside = at.folder;
    for ([[maybe_unused]] const auto& part : std::filesystem::path(place(plan))) {
        store::remove_temporaries_beside(beside);
        beside = beside.parent_path();
    }
    if (std::filesystem::exists(at.cells)) store::remove_temporaries(at.cells);
}

// Damaged lines are told once. A journal that another run or shard writes to stays as it is.
void mend_journals(const Layout& at) {
    for (const std::filesystem::path& journal : journals(at.folder)) {
        std::optional<Lock> other;
        try {
            if (journal != at.journal) other.emplace(lock_of(journal));
        } catch (const FileError&) {
            continue;
        }
        store::drop_damaged_lines(journal);
    }
}

// Failures among a run's own cells, which of a shard are a part.
std::vector<Failure> failures(const Plan& plan, const std::vector<std::size_t>& own, const Status& status) {
    std::vector<Failure> list;
    for (const std::size_t i : own)
        if (status.cells[i].state == State::failed) list.push_back({plan.cells[i].key, status.cells[i].reason});
    return list;
}

// For whoever asks before the run goes on.
void tell_of_interruption(const Plan& plan, const Layout& at, const Status& status) {
    store::Event event;
    event.event = "interrupted";
    event.reason = fmt::format("{} of {} cells", status.count(State::done), plan.cells.size());
    store::append(at.journal, event);
}

// Computes cells again whose stored bytes are damaged.
void compute_again(const Plan& plan, const std::vector<std::size_t>& cells, CellRunner& cell_runner,
                   const Status& status, Progress& progress, Summary& summary) {
    for (const std::size_t i : cells) progress.again(plan.cells[i].key, status.cells[i].reason);
    // The count of work() includes the cells of its earlier calls.
    if (!cells.empty()) summary.computed = cell_runner.work(cells);
}

// Names of files that `rfbench verify` finds damaged or missing, each told once: they are made again, or listed no
// more.
std::vector<std::string> mended_names(const Layout& at, Progress& progress) {
    std::vector<std::string> names;
    for (const store::Finding& finding : store::verify(at.folder)) {
        if (!finding.harmful()) continue;
        names.push_back(finding.file.lexically_relative(at.folder.lexically_normal()).generic_string());
        progress.note(fmt::format("{} is mended: {}", finding.file.string(), finding.detail));
    }
    return names;
}

// The file in the folder where it is made. What turns out to be damaged is computed again first.
std::filesystem::path made(const Plan& plan, ResultFile& file, const std::filesystem::path& folder,
                           CellRunner& cell_runner, const Status& status, Progress& progress, Summary& summary) {
    try {
        return file.make(folder);
    } catch (const store::Error&) {
        const std::vector<std::size_t> again = file.damaged();
        if (again.empty()) throw;
        compute_again(plan, again, cell_runner, status, progress, summary);
        return cell_runner.stop_asked() ? std::filesystem::path() : file.make(folder);
    }
}

// Collects, unless the file that is there is made from just these cells, and makes what is shown of it; then all of it
// takes its place. Figures and tables that are not made anew go where the file is another than before.
void conclude(const Plan& plan, const Layout& at, const Options& options, ResultFile& file, CellRunner& cell_runner,
              const Status& status, Progress& progress, Summary& summary) {
    store::StagedResult next(at.folder);
    for (const std::string& sentence : next.damaged()) progress.note(sentence);
    bool current = file.is_current();
    if (current) {
        const std::vector<std::size_t> again = file.changed();
        compute_again(plan, again, cell_runner, status, progress, summary);
        current = again.empty();
    }
    std::vector<std::string> parts = mended_names(at, progress);
    current = current && parts.empty();
    const std::filesystem::path collected =
        current ? at.collected : made(plan, file, next.folder(), cell_runner, status, progress, summary);
    if (!cell_runner.stop_asked() && options.show) options.show(collected, next.folder());
    summary.interrupted = cell_runner.stop_asked();
    if (summary.interrupted) return;
    const bool other = !current && file.is_other();
    if (!current) parts.insert(parts.end(), {"../", cell_list});
    if (other || options.show) parts.insert(parts.end(), {"figures/", "tables/"});
    next.replace(parts);
    // Reported only when the file is there whole.
    if (!current) file.report();
    summary.collected = at.collected;
}

std::unique_ptr<Progress> progress_of(const Plan& plan, const Options& options, std::size_t total, std::size_t there) {
    const std::string name = place(plan) + (options.shard ? " " + options.shard->name() : "");
    return std::make_unique<Progress>(options.out != nullptr ? *options.out : std::cerr, options.progress, name, total,
                                      there);
}

}  // namespace

Summary run(const Plan& plan, const Compute& compute, const Options& options) {
    check(plan);
    const double begin = seconds_now();
    const Layout at(options.folder, plan, options.shard);
    require_no_links(plan, options.folder);
    store::make_folders(at.folder);
    // One run at a time, or one of each shard: leftovers that are found here belong to no run that is still at work.
    const Lock lock(at.lock);
    std::optional<Interruption> signals;
    if (options.signals) signals.emplace(options.progress != ProgressMode::quiet);
    clear_leftovers(at, plan);

    const JournalSummary past = history(at.folder);
    const Recipes recipes(plan);
    std::optional<store::CellStore> opened(std::in_place, at.cells);
    const std::vector<std::string> damaged = opened->damaged();
    std::vector<std::string> mended;
    if (!opened->faulty().empty()) {
        mended = mend_packs(at.cells);
        opened.emplace(at.cells);
    }
    store::CellStore& cells = *opened;
    Status status = cell_statuses(plan, recipes, cells, past);
    const std::vector<std::size_t> own = own_cells(status, options, at), todo = remaining(own, status, options);

    Summary summary;
    summary.cells = own.size();
    summary.reused = own.size() - todo.size();
    const auto progress = progress_of(plan, options, summary.cells, summary.reused);
    progress->expect(options.cell_seconds);
    for (const std::string& sentence : past.damaged) progress->note(sentence);
    if (!past.damaged.empty()) mend_journals(at);
    for (const std::string& sentence : mended) progress->note(sentence);
    for (const std::string& sentence : damaged) progress->note(sentence + "; cells there are computed again");
    try {
        CellRunner cell_runner(plan, recipes, compute, options, at, cells, status, *progress);
        summary.computed = cell_runner.work(todo);
        summary.interrupted = cell_runner.stop_asked();
        if (!summary.interrupted && !options.shard) {
            ResultFile file(plan, at, recipes, cells, status, options.keep_stale);
            conclude(plan, at, options, file, cell_runner, status, *progress, summary);
        }
        summary.unequal = cell_runner.unequal();
    } catch (...) {
        progress->end("stopped by an error");
        throw;
    }
    if (summary.interrupted) tell_of_interruption(plan, at, status);
    summary.failed = failures(plan, own, status);
    summary.seconds = seconds_now() - begin;
    summary.stop_asked = options.signals && Interruption::asked();
    progress->end(summary.interrupted ? "interrupted, the same command goes on" : "done");
    return summary;
}

Summary run(const Plan& plan, const std::function<store::Dataset(const Cell&)>& compute, const Options& options) {
    return run(plan, Compute([&](const Cell& cell, Checkpoint&) { return compute(cell); }), options);
}

}  // namespace rfbench::engine
