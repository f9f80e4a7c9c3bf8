#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rfbench/engine/checkpoint.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/options.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::engine {

/// Computes cells side by side, each with one OpenMP thread. One thread at a time enters the store.
class CellRunner {
public:
    /// All arguments must outlive the runner. It updates `status` after each cell.
    CellRunner(const Plan&, const Recipes&, const Compute&, const Options&, const Layout&, store::CellStore&,
               Status& status, Progress&);

    /// Computes and stores these cells of the plan; begins them in this order. Returns the number of cells that this
    /// runner has stored so far, those of earlier calls included. Ends early when a stop is asked for. Rethrows an
    /// exception of the store after all threads have ended their cells.
    std::size_t work(const std::vector<std::size_t>& cells);

    bool stop_asked() const;
    /// Cells whose values differ from those that were stored under the same identity before.
    const std::vector<std::string>& unequal() const { return unequal_; }

private:
    bool stopping() const { return halted_ || stop_asked(); }
    void one(std::size_t index) noexcept;
    Checkpoint checkpoint_of(std::size_t index) const;
    std::optional<store::Dataset> attempt(const Cell&, Checkpoint&, std::string& reason) const;
    std::string kept(std::size_t index, store::Dataset, double seconds, const Checkpoint&);
    bool differs(const store::Entry& before, const store::Dataset&) const;
    void keep(std::size_t index, store::Dataset, double seconds, const Checkpoint&);
    void give_up(std::size_t index, const std::string& reason, double seconds);
    void commit();

    const Plan& plan_;
    const Recipes& recipes_;
    const Compute& compute_;
    const Options& options_;
    const Layout& at_;
    store::CellStore& store_;
    Status& status_;
    Progress& progress_;
    std::mutex hold_;
    struct Kept {
        std::size_t index;
        CellStatus status;
        Checkpoint checkpoint;
    };
    std::vector<Kept> kept_;  ///< appended, and not yet on the disk
    double committed_at_ = 0;
    std::size_t stored_ = 0;
    std::vector<std::string> unequal_;
    std::exception_ptr broken_;
    std::atomic<bool> halted_{false};
};

}  // namespace rfbench::engine
