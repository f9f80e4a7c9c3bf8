// rfbench run, plan and status: from configurations to cells.
#include "rfbench/engine/run.hpp"

#include <fmt/format.h>

#include <iostream>

#include "configuration.hpp"
#include "drawing.hpp"
#include "provenance.hpp"
#include "results_folder.hpp"
#include "rfbench/engine/status.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

struct Prepared {
    experiments::Configuration configuration;
    experiments::Sweep sweep;
    engine::Plan plan;
};

/// Every selected configuration is read and checked before the first is run.
std::vector<Prepared> prepare(const Selection& selection) {
    std::vector<Prepared> result;
    for (const auto& file : experiments::configuration_files(selection.configs, selection.names)) {
        auto configuration = experiments::load_configuration(file, {selection.profile, selection.overrides});
        experiments::Sweep sweep = configuration.study->prepare(configuration.value);
        engine::Plan plan = experiments::plan(configuration, sweep, provenance());
        result.push_back({std::move(configuration), std::move(sweep), std::move(plan)});
    }
    return result;
}

int nothing(const Selection& selection) {
    std::cerr << "rfbench: no configuration in " << selection.configs.string() << " is selected\n";
    return nothing_selected;
}

}  // namespace

int run(const RunOptions& options) {
    const std::vector<Prepared> all = prepare(options.selection);
    if (all.empty()) return nothing(options.selection);
    for (const Prepared& one : all) require_writable(options.results / one.plan.experiment / one.plan.config);
    bool failed = false;
    for (const Prepared& one : all) {
        for (const std::string& note : one.sweep.notes) std::cerr << "note: " << note << '\n';
        engine::Options engine_options;
        engine_options.folder = options.results;
        engine_options.threads = one.sweep.alone ? 1 : options.threads;
        engine_options.fresh = options.fresh;
        engine_options.progress = options.quiet ? engine::ProgressMode::quiet : engine::ProgressMode::automatic;
        const engine::Summary summary = engine::run(one.plan, one.sweep.compute, engine_options);
        for (const engine::Failure& failure : summary.failed)
            std::cerr << "  failed: " << failure.key << ": " << failure.reason << '\n';
        if (summary.interrupted) return interrupted;
        failed = failed || !summary.failed.empty();
        if (options.draw && !summary.collected.empty() && summary.failed.size() < summary.cells) {
            draw_figures(summary.collected);
            draw_tables(summary.collected, false);
        }
    }
    return failed ? cells_failed : success;
}

int show_plan(const Selection& selection, bool all_cells) {
    const std::vector<Prepared> all = prepare(selection);
    if (all.empty()) return nothing(selection);
    for (const Prepared& one : all) {
        fmt::print("{}/{} ({}): {} cells", one.plan.experiment, one.plan.config,
                   one.configuration.study->experiment + "/" + one.configuration.study->name, one.plan.cells.size());
        for (const store::Axis& axis : one.plan.axes) fmt::print(", {} {}", axis.size(), axis.name);
        fmt::print("\n");
        for (const std::string& note : one.sweep.notes) fmt::print("  note: {}\n", note);
        const std::size_t shown = all_cells ? one.plan.cells.size() : std::min<std::size_t>(5, one.plan.cells.size());
        for (std::size_t i = 0; i < shown; ++i) fmt::print("  {}\n", one.plan.cells[i].key);
        if (shown < one.plan.cells.size())
            fmt::print("  ... {} more (--cells shows all)\n", one.plan.cells.size() - shown);
    }
    return success;
}

int status(const RunOptions& options, bool json) {
    const std::vector<Prepared> all = prepare(options.selection);
    if (all.empty()) return nothing(options.selection);
    for (const Prepared& one : all) {
        const engine::Status status = engine::status(one.plan, options.results);
        std::cout << (json ? engine::counts(status) + "\n" : engine::table(status));
    }
    return success;
}

}  // namespace rfbench::cli
