#include "rfbench/engine/run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>

#include "rfbench/engine/collect.hpp"
#include "rfbench/engine/interruption.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/ledger.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/engine/sums.hpp"
#include "rfbench/store/hdf5_file.hpp"

namespace rfbench::engine {
namespace {

using Compute = std::function<store::Dataset(const Cell&)>;

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

// A cell's file tells by itself what it is and where it comes from.
void describe(const Plan& plan, const Cell& cell, store::Dataset& data) {
    for (const auto& [name, value] : plan.attributes) data.attributes[name] = value;
    data.attributes["experiment"] = plan.experiment;
    data.attributes["name"] = plan.config;
    data.attributes["config"] = plan.resolved;
    data.attributes["data_hash"] = plan.data_hash;
    data.attributes["schema_version"] = std::to_string(plan.schema_version);
    data.attributes["cell"] = cell.key;
    data.attributes["identity"] = identity(plan, cell);
}

// Cells are computed side by side; the store is entered by one thread at a time, as HDF5 requires.
class Workshop {
public:
    Workshop(const Plan& plan, const Compute& compute, const Options& options, const Layout& at, Status& status,
             Progress& progress)
        : plan_(plan), compute_(compute), options_(options), at_(at), status_(status), progress_(progress) {}

    /// Returns the number of cells that were stored. Rethrows what the store threw.
    std::size_t work(const std::vector<std::size_t>& cells) {
        const int wanted = options_.threads > 0 ? options_.threads : omp_get_max_threads();
        const int threads = std::max(1, int(std::min(std::size_t(wanted), cells.size())));
        const int levels = omp_get_max_active_levels();
        omp_set_max_active_levels(1);
#pragma omp parallel num_threads(threads) proc_bind(spread)
        {
            omp_set_num_threads(1);
#pragma omp for schedule(dynamic, 1)
            for (std::size_t i = 0; i < cells.size(); ++i)
                if (!stopping()) one(cells[i]);
        }
        omp_set_max_active_levels(levels);
        if (broken_) std::rethrow_exception(broken_);
        return stored_;
    }

    bool stop_asked() const {
        return (options_.stop != nullptr && *options_.stop) || (options_.signals && Interruption::asked());
    }

private:
    bool stopping() const { return halted_ || stop_asked(); }

    // No exception leaves this function: it would end the process at the border of the parallel region.
    void one(std::size_t index) noexcept {
        try {
            const Cell& cell = plan_.cells[index];
            progress_.started(cell.key);
            const double begin = seconds_now();
            std::string reason;
            std::optional<store::Dataset> data = attempt(cell, reason);
            const double seconds = seconds_now() - begin;

            const std::lock_guard hold(store_);
            if (!halted_) keep(index, data, reason, seconds);
        } catch (...) {
            const std::lock_guard hold(store_);
            if (!halted_) broken_ = std::current_exception();
            halted_ = true;
        }
    }

    std::optional<store::Dataset> attempt(const Cell& cell, std::string& reason) const {
        try {
            store::Dataset data = compute_(cell);
            store::check(data);
            return data;
        } catch (const std::exception& error) {
            reason = error.what();
        } catch (...) {
            reason = "something that is not a std::exception was thrown";
        }
        if (reason.empty()) reason = "an exception without a message";
        return std::nullopt;
    }

    void keep(std::size_t index, std::optional<store::Dataset>& data, const std::string& reason, double seconds) {
        const Cell& cell = plan_.cells[index];
        CellStatus now{cell.key, data ? State::done : State::failed, reason, {}, seconds};
        if (data) {
            describe(plan_, cell, *data);
            now.sha256 = store::write(*data, at_.cell(cell));
        }
        append(at_.journal, {name(now.state), cell.key, identity(plan_, cell), now.sha256, reason, seconds});
        if (data) ++stored_;
        status_.cells[index] = now;
        progress_.finished(cell.key, !data);
    }

    const Plan& plan_;
    const Compute& compute_;
    const Options& options_;
    const Layout& at_;
    Status& status_;
    Progress& progress_;
    std::mutex store_;
    std::size_t stored_ = 0;
    std::exception_ptr broken_;
    std::atomic<bool> halted_{false};
};

// Says which cells cannot be trusted, and forgets all of them where a fresh start is wanted.
Status inventory(const Plan& plan, const Options& options, const Layout& at) {
    Status status = engine::status(plan, options.folder);
    if (options.fresh && std::filesystem::exists(at.journal)) {
        append(at.journal, {"fresh", {}, {}, {}, {}, 0});
        status = engine::status(plan, options.folder);
    }
    return status;
}

void note_damage(const Status& status, Progress& progress) {
    for (const auto& cell : status.cells)
        if (cell.state == State::damaged)
            progress.note(fmt::format("{} is computed again: {}", cell.key, cell.reason));
}

void write_collected(const Plan& plan, const Layout& at, Status& status) {
    std::vector<bool> failed;
    for (const auto& cell : status.cells) failed.push_back(cell.state != State::done);
    const auto whole = collect(plan, failed, [&](const Cell& cell) { return store::read(at.cell(cell)); });
    const std::string sha256 = store::write(whole, at.collected);
    append(at.journal, {"collected", {}, collection_identity(plan, status), sha256, {}, 0});
    status.collected = true;
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

}  // namespace

Summary run(const Plan& plan, const Compute& compute, const Options& options) {
    check(plan);
    const double begin = seconds_now();
    const Layout at(options.folder, plan);
    std::filesystem::create_directories(at.cells);
    const Lock lock(at.lock);
    std::optional<Interruption> signals;
    if (options.signals) signals.emplace();

    Status status = inventory(plan, options, at);
    Summary summary;
    summary.cells = plan.cells.size();
    summary.reused = status.count(State::done);
    Progress progress(options.out != nullptr ? *options.out : std::cerr, options.progress,
                      plan.experiment + "/" + plan.config, summary.cells, summary.reused);
    note_damage(status, progress);
    const auto cells = remaining(status, options);

    // While files are rewritten the list of sums names only those that stay.
    if (!cells.empty()) write_sums(plan, at, status);
    Workshop workshop(plan, compute, options, at, status, progress);
    try {
        summary.computed = workshop.work(cells);
    } catch (...) {
        list_what_can_be(plan, at, status);
        progress.end("stopped, results cannot be written");
        throw;
    }
    summary.interrupted = workshop.stop_asked();
    summary.failed = failures(status);

    status.collected = collected_is_current(plan, options.folder, status);
    write_sums(plan, at, status);
    if (!summary.interrupted && !status.collected) {
        write_collected(plan, at, status);
        write_sums(plan, at, status);
    }
    if (status.collected) summary.collected = at.collected;

    summary.seconds = seconds_now() - begin;
    progress.end(summary.interrupted ? "interrupted, run again to go on" : "done");
    return summary;
}

}  // namespace rfbench::engine
