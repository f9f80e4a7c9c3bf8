#include "rfbench/engine/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "rfbench/engine/collect.hpp"
#include "rfbench/engine/interruption.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/ledger.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/engine/sums.hpp"
#include "rfbench/engine/workshop.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/journal.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::engine {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of a shard's plan the cells that are its own; of others all.
std::vector<std::size_t> own_cells(const Status& status, const Options& options, const Layout& at) {
    std::vector<std::size_t> cells(status.cells.size());
    std::iota(cells.begin(), cells.end(), std::size_t{0});
    if (!options.shard) return cells;
    std::vector<Load> loads;
    for (const CellStatus& cell : status.cells) loads.push_back({cell.identity, cell.seconds});
    return cells_of(*options.shard, loads, at.folder);
}

// What of these is to be computed, in the order in which it is begun.
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

// Only the folder of the plan is ours to clear, so the file is written there and moved out when it is whole.
void publish(const Layout& at, const store::Dataset& whole, std::string& sha256) {
    sha256 = store::write(at.draft, whole);
    if (store::system_calls().rename(at.draft.c_str(), at.collected.c_str()) != 0)
        store::throw_system_error(fmt::format("rename {} to", at.draft.string()), at.collected, errno);
    store::sync_folder(at.collected.parent_path());
}

// A run that is at work: what it reads and writes.
struct Job {
    const Plan& plan;
    const Options& options;
    const Layout& at;
    const Recipes& recipes;
    const store::CellStore& store;
    Status& status;
    Progress& progress;

    bool collects(std::size_t i) const {
        const State state = status.cells[i].state;
        return state == State::done || (state == State::stale && options.keep_stale);
    }
    const store::Entry& entry(std::size_t i) const {
        return *(status.cells[i].state == State::stale ? store.newest_at(recipes.place(plan.cells[i]))
                                                       : store.find(status.cells[i].identity));
    }
    store::Dataset read(std::size_t i) const {
        store::StoredCell cell = store.read(entry(i));
        cell.data.attributes.insert(cell.provenance.begin(), cell.provenance.end());
        return std::move(cell.data);
    }
};

// Cells whose stored bytes cannot be trusted: they are to be computed again.
std::vector<std::size_t> damaged(Job& job) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < job.plan.cells.size(); ++i) {
        if (!job.collects(i)) continue;
        try {
            job.read(i);
        } catch (const store::Error& error) {
            job.status.cells[i].state = State::damaged;
            job.status.cells[i].reason = error.what();
            job.progress.note(fmt::format("{} is computed again: {}", job.plan.cells[i].key, error.what()));
            found.push_back(i);
        }
    }
    return found;
}

std::string lines(const std::set<std::string>& texts) { return fmt::format("{}", fmt::join(texts, "\n")); }

// What is kept though it is stale is named, and why it is.
void mark_stale(const Job& job, store::Dataset& whole) {
    std::set<std::string> reasons;
    std::size_t count = 0;
    for (const CellStatus& cell : job.status.cells)
        if (cell.state == State::stale) ++count, reasons.insert(cell.reason);
    if (count == 0) return;
    whole.attributes["stale_cells"] = std::to_string(count);
    whole.attributes["stale_since"] = lines(reasons);
}

// From which cells it was collected, for whoever wants to know which are needed.
void write_list(const Job& job) {
    std::string text;
    for (std::size_t i = 0; i < job.plan.cells.size(); ++i)
        if (job.collects(i)) text += store::hex(job.entry(i).record.identity) + "\n";
    store::write_file(job.at.list, text);
}

void list_files(const Job& job) {
    write_list(job);
    write_sums(job.at.folder, {job.at.collected, job.at.list});
}

void write_collected(Job& job) {
    std::vector<bool> absent;
    for (std::size_t i = 0; i < job.plan.cells.size(); ++i) absent.push_back(!job.collects(i));
    store::Dataset whole = collect(job.plan, absent, [&](std::size_t i) { return job.read(i); });
    if (job.options.keep_stale) mark_stale(job, whole);
    store::Event event;
    // Between the rename and the new list no list may say what the file was before.
    store::write_checksums(job.at.folder, {});
    publish(job.at, whole, event.sha256);

    // Reported only when the file is there whole.
    event.event = "collected";
    event.file = job.at.collected.lexically_relative(job.at.folder).generic_string();
    event.identity = collection_identity(job.plan, job.status, job.options.keep_stale);
    event.seconds = job.status.seconds() / double(std::max<std::size_t>(1, job.status.count(State::done)));
    store::append(job.at.journal, event);
    job.status.collected = true;
    list_files(job);
}

// What a killed run may have left.
void clear_leftovers(const Layout& at) {
    store::remove_temporaries(at.folder);
    std::filesystem::remove(at.draft);
}

std::vector<Failure> failures(const Job& job) {
    std::vector<Failure> list;
    for (std::size_t i = 0; i < job.plan.cells.size(); ++i)
        if (job.status.cells[i].state == State::failed)
            list.push_back({job.plan.cells[i].key, job.status.cells[i].reason});
    return list;
}

// Collects, unless the file that is there is made from just these cells. What turns out to be damaged is computed again
// first.
void conclude(Job& job, Workshop& workshop, Summary& summary) {
    const History past = history(job.at.folder);
    job.status.collected = collected_is_current(job.plan, job.at, past, job.status, job.options.keep_stale);
    if (job.status.collected) {
        if (store::read_checksums(job.at.folder).empty()) list_files(job);  // a kill came between
    } else {
        try {
            write_collected(job);
        } catch (const store::Error&) {
            const std::vector<std::size_t> again = damaged(job);
            if (again.empty()) throw;
            summary.computed = workshop.work(again);
            summary.interrupted = workshop.stop_asked();
            if (!summary.interrupted) write_collected(job);
        }
    }
    if (job.status.collected) summary.collected = job.at.collected;
}

// For whoever asks before the run goes on.
void tell_of_interruption(const Job& job) {
    store::Event event;
    event.event = "interrupted";
    event.reason = fmt::format("{} of {} cells", job.status.count(State::done), job.plan.cells.size());
    store::append(job.at.journal, event);
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
    store::make_folders(at.folder);
    // One run at a time, or one of each shard: leftovers that are found here belong to no run that is still at work.
    const Lock lock(at.lock);
    std::optional<Interruption> signals;
    if (options.signals) signals.emplace(options.progress != ProgressMode::quiet);
    if (!options.shard) clear_leftovers(at);

    const History past = history(at.folder);
    const Recipes recipes(plan);
    store::CellStore cells(at.cells);
    Status status = take_stock(plan, recipes, cells, past);
    const std::vector<std::size_t> own = own_cells(status, options, at), todo = remaining(own, status, options);

    Summary summary;
    summary.cells = own.size();
    summary.reused = own.size() - todo.size();
    const auto progress = progress_of(plan, options, summary.cells, summary.reused);
    for (const std::string& sentence : past.damaged) progress->note(sentence);
    for (const std::string& sentence : cells.damaged()) progress->note(sentence + "; cells there are computed again");
    Job job{plan, options, at, recipes, cells, status, *progress};
    try {
        Workshop workshop(plan, recipes, compute, options, at, cells, status, *progress);
        summary.computed = workshop.work(todo);
        summary.interrupted = workshop.stop_asked();
        if (!summary.interrupted && !options.shard) conclude(job, workshop, summary);
        summary.unequal = workshop.unequal();
    } catch (...) {
        progress->end("stopped by an error");
        throw;
    }
    if (summary.interrupted) tell_of_interruption(job);
    summary.failed = failures(job);
    summary.seconds = seconds_now() - begin;
    progress->end(summary.interrupted ? "interrupted, the same command goes on" : "done");
    return summary;
}

}  // namespace rfbench::engine
