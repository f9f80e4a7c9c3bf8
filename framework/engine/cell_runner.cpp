#include "rfbench/engine/cell_runner.hpp"

#include <omp.h>

#include <algorithm>
#include <new>

#include "rfbench/engine/interruption.hpp"
#include "rfbench/engine/seconds_now.hpp"
#include "rfbench/parallel/loop.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/journal.hpp"

namespace rfbench::engine {
namespace {

constexpr const char* no_memory =
    "there was not enough memory for this cell; fewer --threads or a smaller configuration may fit";

}  // namespace

CellRunner::CellRunner(const Plan& plan, const Recipes& recipes, const Compute& compute, const Options& options,
                       const Layout& at, store::CellStore& store, Status& status, Progress& progress)
    : plan_(plan),
      recipes_(recipes),
      compute_(compute),
      options_(options),
      at_(at),
      store_(store),
      status_(status),
      progress_(progress) {}

std::size_t CellRunner::work(const std::vector<std::size_t>& cells) {
    const int wanted = options_.threads > 0 ? options_.threads : omp_get_max_threads();
    const int threads = std::max(1, int(std::min(std::size_t(wanted), cells.size())));
    // A cell sees one thread, whether it asks OpenMP for their number or opens a region of its own: so its bits are the
    // same however many cells are at work.
    const int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(1);
    // Cells take very different times: a thread that is free takes the next.
    parallel::Loop loop(static_cast<Index>(cells.size()), parallel::Share::in_order, threads);
    const auto alone = [] { return parallel::OpenMpThreads(1); };
    loop.run(alone, [&](const parallel::OpenMpThreads&, Index i) {
        if (!stopping()) one(cells[static_cast<std::size_t>(i)]);
    });
    omp_set_max_active_levels(levels);
    if (broken_) std::rethrow_exception(broken_);
    commit();
    return stored_;
}

bool CellRunner::stop_asked() const {
    return (options_.stop != nullptr && *options_.stop) || (options_.signals && Interruption::asked());
}

// No exception leaves this function: what breaks the store is thrown when all threads have ended their cells.
void CellRunner::one(std::size_t index) noexcept {
    try {
        const Cell& cell = plan_.cells[index];
        progress_.started(cell.key);
        const double begin = seconds_now();
        std::string reason;
        Checkpoint checkpoint = checkpoint_of(index);
        std::optional<store::Dataset> data = attempt(cell, checkpoint, reason);
        const double seconds = seconds_now() - begin;

        // One thread at a time stores, and none once the store has failed.
        const std::lock_guard hold(hold_);
        if (halted_) return;
        if (!checkpoint.trouble().empty())
            progress_.note(cell.key + " would begin again after an interruption: " + checkpoint.trouble());
        if (data) reason = kept(index, std::move(*data), seconds, checkpoint);
        if (!reason.empty()) give_up(index, reason, seconds);
    } catch (const StopRequested&) {
        // Its checkpoint is on the disk.
        progress_.abandoned(plan_.cells[index].key);
    } catch (...) {
        const std::lock_guard hold(hold_);
        if (!halted_) broken_ = std::current_exception();
        halted_ = true;
    }
}

Checkpoint CellRunner::checkpoint_of(std::size_t index) const {
    Checkpoint checkpoint(
        at_.checkpoints / store::hex(status_.cells[index].identity), options_.checkpoint_interval,
        [this] { return stopping(); },
        [this, index](double share, const std::string& words) {
            progress_.within(plan_.cells[index].key, share, words);
        });
    if (options_.fresh) checkpoint.remove();
    return checkpoint;
}

std::optional<store::Dataset> CellRunner::attempt(const Cell& cell, Checkpoint& checkpoint, std::string& reason) const {
    try {
        const parallel::PartsListener listener([&](double share) { checkpoint.tell(share, ""); });
        store::Dataset data = compute_(cell, checkpoint);
        store::check(data);
        return data;
    } catch (const StopRequested&) {
        // A stop is no failure of the cell.
        throw;
    } catch (const std::bad_alloc&) {
        reason = no_memory;
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
        reason = "something that is not a std::exception was thrown";
    }
    if (reason.empty()) reason = "an exception without a message";
    return std::nullopt;
}

// The reason why it is not; what ran out of memory is a failure of this cell, and disturbs no other.
std::string CellRunner::kept(std::size_t index, store::Dataset data, double seconds, const Checkpoint& checkpoint) {
    try {
        keep(index, std::move(data), seconds, checkpoint);
        return {};
    } catch (const std::bad_alloc&) {
        return no_memory;
    }
}

// A damaged cell is computed again, and compared with nothing.
bool CellRunner::differs(const store::Entry& before, const store::Dataset& data) const {
    try {
        return !store_.has_values(before, data);
    } catch (const store::Error&) {
        return false;
    }
}

void CellRunner::keep(std::size_t index, store::Dataset data, double seconds, const Checkpoint& checkpoint) {
    const Cell& cell = plan_.cells[index];
    CellStatus now = status_.cells[index];
    // Looked up before the cell is added, which takes the place of the one before.
    const store::Entry* before = store_.find(now.identity);
    if (before != nullptr && !plan_.measured && differs(*before, data)) unequal_.push_back(cell.key);
    now.content = store_.add(now.identity, recipes_.place(cell), seconds,
                             {{recipes_.common(), recipes_.own(cell)}, plan_.provenance, std::move(data)});
    now.state = State::done;
    now.reason.clear();
    now.seconds = seconds;
    kept_.push_back({index, now, checkpoint});
    // A commit waits for the disk: short cells share one. A long cell does not wait for the next, which may be long
    // too.
    const bool is_long = seconds >= 10 * options_.commit_interval;
    if (is_long || seconds_now() - committed_at_ >= options_.commit_interval) commit();
}

// Nothing is reported done before it is on the disk.
void CellRunner::commit() {
    store_.commit();
    for (const Kept& one : kept_) {
        status_.cells[one.index] = one.status;
        one.checkpoint.remove();
        progress_.finished(plan_.cells[one.index].key, false);
    }
    stored_ += kept_.size();
    kept_.clear();
    committed_at_ = seconds_now();
}

void CellRunner::give_up(std::size_t index, const std::string& reason, double seconds) {
    CellStatus& now = status_.cells[index];
    store::Event event;
    event.event = name(State::failed);
    event.key = plan_.cells[index].key;
    event.identity = store::hex(now.identity);
    event.reason = reason;
    event.seconds = seconds;
    store::append(at_.journal, event);
    now.state = State::failed;
    now.reason = reason;
    now.seconds = seconds;
    progress_.finished(plan_.cells[index].key, true);
}

}  // namespace rfbench::engine
