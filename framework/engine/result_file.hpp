#pragma once
// The collected file of a plan, made from the cells in the store.
#include <cstddef>
#include <functional>
#include <vector>

#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/plan.hpp"
#include "rfbench/engine/recipe.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/cell_store.hpp"

namespace rfbench::engine {

class ResultFile {
public:
    /// All of these must outlive it. `keep_stale`: stale cells are collected too, and the file says so.
    ResultFile(const Plan&, const Layout&, const Recipes&, const store::CellStore&, Status&, bool keep_stale);

    /// Whether it is there, intact, listed, and made from the cells as the status has them.
    bool is_current() const;
    /// Collects the cells into a file of this folder, with the list of its cells beside it. Throws Error when a cell
    /// cannot be trusted or the file cannot be written. Returns where the file is.
    std::filesystem::path make(const std::filesystem::path& folder);
    /// Whether the file that was made has other bytes than the one in place.
    bool is_other() const;
    /// Tells the journal that the file that was made is in its place.
    void report();
    /// The cells that cannot be trusted; their status says why.
    std::vector<std::size_t> damaged();
    /// The same by the sums of their bytes alone, which takes less time.
    std::vector<std::size_t> changed();

private:
    bool collects(std::size_t cell) const;
    const store::Entry& entry(std::size_t cell) const;
    store::Dataset read(std::size_t cell) const;
    std::vector<std::size_t> failing(const std::function<void(std::size_t)>& look);
    store::Dataset collected() const;
    void mark_stale(store::Dataset&) const;
    std::string list() const;

    const Plan& plan_;
    const Layout& at_;
    const Recipes& recipes_;
    const store::CellStore& store_;
    Status& status_;
    bool keep_stale_;
    std::string made_;  ///< sha256 of the file that was made
};

}  // namespace rfbench::engine
