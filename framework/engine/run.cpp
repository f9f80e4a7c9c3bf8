#include "rfbench/engine/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <random>

#include "rfbench/engine/collect.hpp"
#include "rfbench/engine/interruption.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/ledger.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/engine/sums.hpp"
#include "rfbench/engine/workshop.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/journal.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::engine {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The cells still to be computed, in the order in which they are begun.
std::vector<std::size_t> remaining(const Status& status, const Options& options) {
    std::vector<std::size_t> cells;
    for (std::size_t i = 0; i < status.cells.size(); ++i)
        if (status.cells[i].state != State::done) cells.push_back(i);
    if (options.order == Order::reverse) std::reverse(cells.begin(), cells.end());
    if (options.order == Order::shuffled) {
        std::mt19937_64 bits(options.shuffle_seed);
        std::shuffle(cells.begin(), cells.end(), bits);
    }
    return cells;
}

// Says which cells cannot be trusted, and forgets all of them where a fresh start is wanted.
Status inventory(const Plan& plan, const Options& options, const Layout& at) {
    Status status = engine::status(plan, options.folder);
    if (options.fresh && std::filesystem::exists(at.journal)) {
        store::Event event;
        event.event = "fresh";
        store::append(at.journal, event);
        status = engine::status(plan, options.folder);
    }
    return status;
}

void note_damage(const Layout& at, const Status& status, Progress& progress) {
    for (const auto& sentence : history(at.journal).damaged) progress.note(sentence);
    for (const auto& cell : status.cells)
        if (cell.state == State::damaged) progress.note(fmt::format("{} is computed again: {}", cell.key, cell.reason));
}

// Only the folder of the plan is ours to clear, so the file is written there and moved out when it is whole.
void publish(const Layout& at, const store::Dataset& whole, std::string& sha256) {
    sha256 = store::write(at.draft, whole);
    if (store::system_calls().rename(at.draft.c_str(), at.collected.c_str()) != 0)
        store::throw_system_error(fmt::format("rename {} to", at.draft.string()), at.collected, errno);
    store::sync_folder(at.collected.parent_path());
}

void write_collected(const Plan& plan, const Layout& at, Status& status) {
    std::vector<bool> failed;
    std::map<std::string, std::string> sums;
    for (const auto& cell : status.cells) {
        failed.push_back(cell.state != State::done);
        sums[cell.key] = cell.sha256;
    }
    const auto read = [&](const Cell& cell) { return store::read(at.cell(cell), sums.at(cell.key)); };
    store::Event event;
    publish(at, collect(plan, failed, read), event.sha256);

    // Reported only when the file is there whole.
    event.event = "collected";
    event.file = at.collected.lexically_relative(at.folder).generic_string();
    event.identity = collection_identity(plan, status);
    store::append(at.journal, event);
    status.collected = true;
}

// What a killed run may have left.
void clear_leftovers(const Layout& at) {
    store::remove_temporaries(at.folder);
    std::filesystem::remove(at.draft);
}

// After the store has failed: what it says first is what the user must hear, so a second failure is not reported.
void list_what_can_be(const Plan& plan, const Layout& at, const Status& status) {
    try {
        write_sums(plan, at, status);
    } catch (const std::exception&) {
    }
}

std::vector<Failure> failures(const Status& status) {
    std::vector<Failure> list;
    for (const auto& cell : status.cells)
        if (cell.state == State::failed) list.push_back({cell.key, cell.reason});
    return list;
}

// Collects, unless the file that is there is made from just these cells.
void conclude(const Plan& plan, const Options& options, const Layout& at, Status& status, Summary& summary) {
    status.collected = collected_is_current(plan, options.folder, status);
    write_sums(plan, at, status);
    if (!summary.interrupted && !status.collected) {
        write_collected(plan, at, status);
        write_sums(plan, at, status);
    }
    if (status.collected) summary.collected = at.collected;
    summary.failed = failures(status);
}

}  // namespace

Summary run(const Plan& plan, const Compute& compute, const Options& options) {
    check(plan);
    const double begin = seconds_now();
    const Layout at(options.folder, plan);
    std::filesystem::create_directories(at.cells);
    // One run at a time in a folder: leftovers that are found here belong to no run that is still at work.
    const Lock lock(at.lock);
    std::optional<Interruption> signals;
    if (options.signals) signals.emplace(options.progress != ProgressMode::quiet);
    clear_leftovers(at);

    Status status = inventory(plan, options, at);
    Summary summary;
    summary.cells = plan.cells.size();
    summary.reused = status.count(State::done);
    Progress progress(options.out != nullptr ? *options.out : std::cerr, options.progress,
                      plan.experiment + "/" + plan.config, summary.cells, summary.reused);
    note_damage(at, status, progress);
    const auto cells = remaining(status, options);

    try {
        // While files are rewritten the list of sums names only those that stay.
        if (!cells.empty()) write_sums(plan, at, status);
        Workshop workshop(plan, compute, options, at, status, progress);
        summary.computed = workshop.work(cells);
        summary.interrupted = workshop.stop_asked();
        conclude(plan, options, at, status, summary);
    } catch (...) {
        list_what_can_be(plan, at, status);
        progress.end("stopped by an error");
        throw;
    }

    summary.seconds = seconds_now() - begin;
    progress.end(summary.interrupted ? "interrupted, the same command goes on" : "done");
    return summary;
}

}  // namespace rfbench::engine
