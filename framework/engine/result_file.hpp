#pragma once
// The collected file of a plan, made from the cells in the store.
#include <cstddef>
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

    /// Whether it is there, intact, and made from the cells as the status has them; and its list of sums with it.
    bool is_current() const;
    /// Collects the cells, and replaces the file by what they make: whole or not at all, with the list of its cells and
    /// its sum. Throws Error when a cell cannot be trusted or the file cannot be written.
    void write();
    /// The cells that cannot be trusted; their status says why.
    std::vector<std::size_t> damaged();

private:
    bool collects(std::size_t cell) const;
    const store::Entry& entry(std::size_t cell) const;
    store::Dataset read(std::size_t cell) const;
    store::Dataset collected() const;
    void mark_stale(store::Dataset&) const;
    void write_list() const;

    const Plan& plan_;
    const Layout& at_;
    const Recipes& recipes_;
    const store::CellStore& store_;
    Status& status_;
    bool keep_stale_;
};

}  // namespace rfbench::engine
