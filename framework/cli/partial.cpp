// rfbench table --partial: tables of a sweep that is not finished, from the cells that are done.
#include "partial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "rfbench/engine/collect.hpp"
#include "rfbench/engine/journal_summary.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/recipe.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/cell_store.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

std::string name_of(const Prepared& one) { return one.plan.experiment + "/" + one.plan.config; }

}  // namespace

std::optional<store::Dataset> collected_so_far(const Prepared& one, const std::filesystem::path& results) {
    const engine::Layout at(results, one.plan);
    const engine::Recipes recipes(one.plan);
    const store::CellStore cells(at.cells);
    const engine::Status status = engine::cell_statuses(one.plan, recipes, cells, engine::history(at.folder));
    const std::size_t done = status.count(engine::State::done), all = status.cells.size();
    if (done == 0) return {};
    std::vector<bool> absent;
    for (const engine::CellStatus& cell : status.cells) absent.push_back(cell.state != engine::State::done);
    store::Dataset data = engine::collect(one.plan, absent, [&](std::size_t i) {
        store::StoredCell stored = cells.read(*cells.find(status.cells[i].identity));
        stored.data.attributes.insert(stored.provenance.begin(), stored.provenance.end());
        return std::move(stored.data);
    });
    if (done < all) data.attributes["partial"] = fmt::format("{} of {} cells", done, all);
    return data;
}

int partial_tables(const RunOptions& options) {
    Chain chain(options);
    if (chain.empty()) return report_nothing_selected(options.selection);
    std::string without;
    bool any = false;
    for (const Prepared& one : prepare(chain)) {
        if (!one.selected) continue;
        const auto collected = collected_so_far(one, options.results);
        if (!collected) {
            without += (without.empty() ? "" : ", ") + name_of(one);
            continue;
        }
        any = true;
        const store::Dataset& data = *collected;
        const auto partial = data.attributes.find("partial");
        const bool whole = partial == data.attributes.end();
        for (report::Table table : experiments::report_of(data).tables) {
            if (!whole) table.caption = fmt::format("PARTIAL, {}: {}", partial->second, table.caption);
            fmt::print("{}\n", report::terminal(table));
        }
        if (whole)
            fmt::print("{}: all cells are done; 'rfbench run' collects them, 'rfbench table' writes tables\n",
                       name_of(one));
        else
            fmt::print("{}: tables of {} are shown, not written; 'rfbench run' goes on\n", name_of(one),
                       partial->second);
    }
    if (!without.empty()) {
        const std::string said =
            fmt::format("no cell of {}{}{} is done in {}; 'rfbench run' computes them", without,
                        options.selection.profile.empty() ? "" : " in the profile " + options.selection.profile,
                        options.selection.overrides.empty() ? "" : " with these values", options.results.string());
        if (!any) throw InputError(said);
        std::cerr << "note: " << said << '\n';
    }
    for (const Waiting& one : chain.waiting()) {
        const std::string said = fmt::format("{} stands on {}, which is not collected yet; 'rfbench run' does it",
                                             one.name, fmt::join(one.stands_on, ", "));
        if (!any) throw InputError(said);
        std::cerr << "note: " << said << '\n';
    }
    return success;
}

}  // namespace rfbench::cli
