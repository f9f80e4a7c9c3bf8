#include "rfbench/engine/workshop.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "rfbench/engine/interruption.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/journal.hpp"

namespace rfbench::engine {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

}  // namespace

Workshop::Workshop(const Plan& plan, const Compute& compute, const Options& options, const Layout& at, Status& status,
                   Progress& progress)
    : plan_(plan), compute_(compute), options_(options), at_(at), status_(status), progress_(progress) {}

std::size_t Workshop::work(const std::vector<std::size_t>& cells) {
    const int wanted = options_.threads > 0 ? options_.threads : omp_get_max_threads();
    const int threads = std::max(1, int(std::min(std::size_t(wanted), cells.size())));
    // A cell sees one thread, whether it asks OpenMP for their number or opens a region of its own: so its bits are the
    // same however many cells are at work.
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

bool Workshop::stop_asked() const {
    return (options_.stop != nullptr && *options_.stop) || (options_.signals && Interruption::asked());
}

// No exception leaves this function: it would end the process at the border of the parallel region.
void Workshop::one(std::size_t index) noexcept {
    try {
        const Cell& cell = plan_.cells[index];
        progress_.started(cell.key);
        const double begin = seconds_now();
        std::string reason;
        std::optional<store::Dataset> data = attempt(cell, reason);
        const double seconds = seconds_now() - begin;

        // One thread at a time stores, and none once the store has failed.
        const std::lock_guard hold(store_);
        if (!halted_) keep(index, data, reason, seconds);
    } catch (...) {
        const std::lock_guard hold(store_);
        if (!halted_) broken_ = std::current_exception();
        halted_ = true;
    }
}

std::optional<store::Dataset> Workshop::attempt(const Cell& cell, std::string& reason) const {
    try {
        store::Dataset data = compute_(cell);
        store::check(data);
        return data;
    } catch (const std::bad_alloc&) {
        reason = "there was not enough memory for this cell; fewer --threads or a smaller configuration may fit";
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
        reason = "something that is not a std::exception was thrown";
    }
    if (reason.empty()) reason = "an exception without a message";
    return std::nullopt;
}

void Workshop::keep(std::size_t index, std::optional<store::Dataset>& data, const std::string& reason, double seconds) {
    const Cell& cell = plan_.cells[index];
    CellStatus now{cell.key, data ? State::done : State::failed, reason, {}, seconds};
    if (data) {
        describe(plan_, cell, *data);
        now.sha256 = store::write(at_.cell(cell), *data);
    }
    // The line comes after the file: whatever stops the process between, the journal reports nothing that is not there.
    store::Event event;
    event.event = name(now.state);
    event.key = cell.key;
    event.file = data ? at_.cell(cell).lexically_relative(at_.folder).generic_string() : "";
    event.sha256 = now.sha256;
    event.identity = identity(plan_, cell);
    event.reason = reason;
    event.seconds = seconds;
    store::append(at_.journal, event);
    if (data) ++stored_;
    status_.cells[index] = now;
    progress_.finished(cell.key, !data);
}

}  // namespace rfbench::engine
