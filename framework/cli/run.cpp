// rfbench run, plan and status: from configurations to cells.
#include "rfbench/engine/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "drawing.hpp"
#include "forecast.hpp"
#include "prepared.hpp"
#include "results_folder.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/report/page.hpp"
#include "rfbench/text/counted.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

/// A text of several lines, those after the first so many columns to the right.
std::string indented(const std::string& text, std::size_t columns) {
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') result.append(columns, ' ');
    }
    return result;
}

/// Each note once, however many configurations have it.
class Notes {
public:
    void print(const experiments::Sweep& sweep) {
        for (const std::string& note : sweep.notes)
            if (said_.insert(note).second) std::cerr << "note: " << indented(note, 2) << '\n';
    }

private:
    std::set<std::string> said_;
};

/// "dof/layers: stands on training/teachers, which is not collected yet; its cells are known then; about 12 s on two
/// cores".
std::string waits(const Waiting& one) {
    std::string time;
    if (one.minutes)
        time = fmt::format("; {}about {} on two cores", one.minutes_hold ? "" : "by the values in its file ",
                           engine::duration(60 * *one.minutes));
    std::string text = fmt::format("{}: stands on {}, which {} not collected yet; its cells are known then{}", one.name,
                                   fmt::join(one.stands_on, ", "), one.stands_on.size() == 1 ? "is" : "are", time);
    for (const std::string& fault : one.faults) text += "\n  " + fault;
    return text;
}

/// Without names nothing is run: what all would be, and how to ask for it.
int offer_all(const RunOptions& options, Chain& chain) {
    const std::vector<Prepared> all = prepare(chain);
    double seconds = 0;
    std::size_t unknown = 0;
    for (const Prepared& one : all) {
        const int threads = cells_at_a_time(one.sweep, one.plan, options.threads);
        const TimeForecast time = forecast(options, one, threads);
        fmt::print("{}/{}: {} of {} cells to compute, {}\n", one.plan.experiment, one.plan.config, time.missing.size(),
                   one.plan.cells.size(), time.text());
        seconds += time.seconds;
        unknown += !time.missing.empty() && !time.known();
    }
    const std::vector<Waiting> later = chain.waiting();
    for (const Waiting& one : later) {
        fmt::print("{}\n", waits(one));
        seconds += 60 * one.minutes.value_or(0);
        unknown += !one.minutes;
    }
    const std::string known = seconds > 0 ? ", about " + engine::duration(seconds) : "";
    const std::string more = unknown > 0 ? fmt::format(", {} of them for a time that is not known yet", unknown) : "";
    fmt::print(
        "{}{}{}; nothing was run. 'rfbench run all' runs them all, 'rfbench run NAME' those of an "
        "experiment or one.\n",
        counted(all.size() + later.size(), "configuration"), unknown > 0 ? "" : known, more);
    return nothing_selected;
}

/// Figures and tables of each result. What cannot be drawn stops no computation and no table.
struct Showing {
    std::string nothing_to_draw_with;  ///< a sentence, to be said once
    bool failed = false;
    std::vector<std::string> made, left_out;  ///< said once all is in place
    std::string trouble;

    void show(const std::filesystem::path& collected, const std::filesystem::path& result,
              const std::filesystem::path& folder) {
        const experiments::Report report = report_of(collected);
        left_out = report.notes;
        const Drawn drawn = draw_figures({{report.figures, result, folder}});
        for (const auto& picture : drawn.pictures) made.push_back("figure " + picture.string());
        for (const auto& table : write_tables(report.tables, folder, result))
            made.push_back("table " + (result / table).string());
        // A missing drawing program is no failure: data and tables are there.
        (drawn.nothing_to_draw_with ? nothing_to_draw_with : trouble) = drawn.failure;
        failed = failed || !trouble.empty();
    }

    void say() {
        for (const std::string& one : made) fmt::print("{}\n", one);
        for (const std::string& one : left_out) std::cerr << "note: " << one << '\n';
        if (!trouble.empty()) std::cerr << "rfbench: " << trouble << '\n';
        made.clear();
        left_out.clear();
        trouble.clear();
    }
};

engine::Options engine_options(const RunOptions& options, const Prepared& one) {
    engine::Options result;
    result.folder = options.results;
    // A study that measures time computes no cell beside another.
    result.threads = one.sweep.alone ? 1 : options.threads;
    // Networks of other configurations are trained again only where these are named.
    result.fresh = options.fresh && one.selected;
    result.keep_stale = options.keep_stale;
    // Minutes are those of the whole configuration as it stands.
    const auto minutes = experiments::expected_minutes(one.configuration);
    if (minutes && options.selection.profile.empty() && options.selection.overrides.empty())
        result.cell_seconds = 60 * *minutes * cells_at_a_time(one.sweep, one.plan, options.threads) /
                              static_cast<double>(one.plan.cells.size());
    result.progress = options.quiet ? engine::ProgressMode::quiet : engine::ProgressMode::automatic;
    if (!options.shard.empty()) result.shard = engine::parse_shard(options.shard);
    return result;
}

void report_cells(const engine::Plan& plan, const engine::Summary& summary) {
    for (const engine::Failure& failure : summary.failed)
        std::cerr << "  failed: " << failure.key << ": " << failure.reason << '\n';
    for (const std::string& key : summary.unequal)
        std::cerr << "  not the same: " << key << " of " << place(plan)
                  << " has other values than before, though nothing it is known to depend on has changed\n";
}

}  // namespace

namespace {

/// Computes, collects and shows one; returns the exit code of what was wrong with it. `stop` is set where a stop was
/// asked for, though that one was whole before it could act.
int run_one(const RunOptions& options, const Prepared& one, Showing& showing, bool& stop) {
    engine::Options how = engine_options(options, one);
    if (options.draw)
        how.show = [&](const auto& collected, const auto& folder) {
            showing.show(collected, options.results / place(one.plan), folder);
        };
    const engine::Summary summary = engine::run(
        one.plan,
        [&](const engine::Cell& cell, engine::Checkpoint& checkpoint) {
            return one.sweep.measure(one.sweep.point(cell.coordinates, &checkpoint));
        },
        how);
    report_cells(one.plan, summary);
    stop = summary.stop_asked;
    if (summary.interrupted) return interrupted;
    showing.say();
    return summary.failed.empty() && summary.unequal.empty() ? success : cells_failed;
}

/// Shards run side by side, where times would be wrong.
bool left_to_one_process(const RunOptions& options, const Prepared& one) {
    if (options.shard.empty() || !one.sweep.alone) return false;
    std::cerr << fmt::format("note: {} measures times and is left out: 'rfbench run' without --shard computes it\n",
                             place(one.plan));
    return true;
}

/// All configurations of a stage are looked at before the first is computed: a mistake in the last would show hours
/// later.
void require_room(const RunOptions& options, const std::vector<Prepared>& stage) {
    for (const Prepared& one : stage) {
        require_memory(one.sweep, one.plan, options.threads);
        require_writable(options.results / place(one.plan));
        if (!options.replace) require_own_place(options.results, one.plan);
    }
}

/// Throws InputError for configurations whose foundations could not be collected. A shard collects nothing: it leaves
/// them to those that come later.
void require_all(const RunOptions& options, const Chain& chain) {
    for (const Waiting& one : chain.waiting()) {
        if (options.shard.empty())
            throw InputError(fmt::format("{} stands on {}, which could not be collected: see above", one.name,
                                         fmt::join(one.stands_on, ", ")));
        std::cerr << fmt::format(
            "note: {} is left out: it stands on {}, and a shard collects nothing; 'rfbench run "
            "{}' does\n",
            one.name, fmt::join(one.stands_on, ", "), fmt::join(one.stands_on, " "));
    }
}

}  // namespace

int run(const RunOptions& options) {
    Chain chain(options);
    if (chain.empty()) return report_nothing_selected(options.selection);
    if (options.selection.names.empty()) return offer_all(options, chain);
    int worst = success;
    Showing showing;
    Notes notes;
    const auto end = [&] {
        const std::filesystem::path results = tree(options);
        // A page that is damaged is made again, whether figures are drawn or not.
        const bool page = options.draw || !report::page_damage(results / results_page).empty();
        if (page && options.shard.empty()) write_results_page(results);
        if (!showing.nothing_to_draw_with.empty()) std::cerr << "note: " << showing.nothing_to_draw_with << '\n';
    };
    bool computed = false, stop = false;
    const auto end_early = [&] {
        if (computed) end();
        return interrupted;
    };
    try {
        for (std::vector<Prepared> stage = chain.next(); !stage.empty(); stage = chain.next()) {
            require_room(options, stage);
            for (const Prepared& one : stage) {
                if (stop) return end_early();
                if (left_to_one_process(options, one)) continue;
                if (!options.quiet) notes.print(one.sweep);
                const int code = run_one(options, one, showing, stop);
                if (code == interrupted) return end_early();
                worst = std::max(worst, code);
                computed = true;
            }
            if (stop && !chain.waiting().empty()) return end_early();
        }
        if (stop && options.another) return end_early();
        require_all(options, chain);
    } catch (...) {
        // Results that were computed before are shown all the same.
        if (computed) end();
        throw;
    }
    end();
    return worst != success ? worst : showing.failed ? failure : success;
}

namespace {

/// "variance/mine (study variance/regimes): 20 cells at 4 values of regime, 5 of repeat": of its study where that has
/// another name.
std::string overview(const Prepared& one) {
    const engine::Plan& plan = one.plan;
    const std::string name = plan.experiment + "/" + plan.config, study = plan.attributes.at("study");
    std::string text = fmt::format("{}{}: {}", name, study == name ? "" : " (study " + study + ")",
                                   counted(plan.cells.size(), "cell"));
    for (std::size_t a = 0; a < plan.axes.size(); ++a) {
        const std::size_t size = plan.axes[a].size();
        text += fmt::format("{} {} of {}", a == 0 ? " at" : ",", a == 0 ? counted(size, "value") : std::to_string(size),
                            plan.axes[a].name);
    }
    return text;
}

/// All cells, or the first few of those that are to be computed.
void print_cells(const engine::Plan& plan, const std::vector<std::size_t>& missing, bool all) {
    if (all) {
        for (const engine::Cell& cell : plan.cells) fmt::print("  {}\n", cell.key);
        return;
    }
    const std::size_t shown = std::min<std::size_t>(5, missing.size());
    for (std::size_t i = 0; i < shown; ++i) fmt::print("  {}\n", plan.cells[missing[i]].key);
    if (shown < missing.size()) fmt::print("  ... {} more (--cells shows all cells)\n", missing.size() - shown);
}

/// A line for each of several configurations; what is to be noted of them comes at the end, each note once.
int show_plans(const RunOptions& options, const std::vector<Prepared>& all, const Chain& chain) {
    for (const Prepared& one : all) {
        const TimeForecast time = forecast(options, one, cells_at_a_time(one.sweep, one.plan, options.threads));
        std::string text = fmt::format("{}/{}: {}, {}", one.plan.experiment, one.plan.config,
                                       counted(one.plan.cells.size(), "cell"), time.text());
        if (!time.missing.empty() && time.missing.size() < one.plan.cells.size())
            text += fmt::format(" ({} to compute)", time.missing.size());
        if (!one.stands_on.empty()) text += fmt::format("; stands on {}", fmt::join(one.stands_on, ", "));
        fmt::print("{}\n", text);
    }
    for (const Waiting& one : chain.waiting()) fmt::print("{}\n", waits(one));
    Notes notes;
    for (const Prepared& one : all) notes.print(one.sweep);
    for (const Prepared& one : all) require_memory(one.sweep, one.plan, options.threads);
    return success;
}

}  // namespace

int show_plan(const RunOptions& options, bool all_cells) {
    Chain chain(options);
    if (chain.empty()) return report_nothing_selected(options.selection);
    const std::vector<Prepared> all = prepare(chain);
    if (all.size() + chain.waiting().size() > 1 && !all_cells) return show_plans(options, all, chain);
    for (const Prepared& one : all) {
        fmt::print("{}\n", overview(one));
        if (!one.stands_on.empty()) fmt::print("  stands on {}\n", fmt::join(one.stands_on, ", "));
        const int threads = cells_at_a_time(one.sweep, one.plan, options.threads);
        const TimeForecast time = forecast(options, one, threads);
        if (time.missing.empty())
            fmt::print("  {}\n", time.text());
        else
            fmt::print("  {} to compute, {} at a time: {}\n", time.missing.size(), threads, time.text());
        if (one.sweep.bytes > 0) fmt::print("  memory: about {}\n", bytes_text(threads * one.sweep.bytes));
        for (const std::string& note : one.sweep.notes) fmt::print("  note: {}\n", indented(note, 4));
        print_cells(one.plan, time.missing, all_cells);
        require_memory(one.sweep, one.plan, options.threads);
    }
    for (const Waiting& one : chain.waiting()) fmt::print("{}\n", waits(one));
    return success;
}

int status(const RunOptions& options, bool json) {
    Chain chain(options);
    if (chain.empty()) return report_nothing_selected(options.selection);
    for (const Prepared& one : prepare(chain)) {
        const engine::Status status = engine::status(one.plan, options.results);
        std::cout << (json ? engine::counts(one.plan, status) + "\n" : engine::table(one.plan, status));
        if (json || status.result_file.empty()) continue;
        const bool taken = !taken_by_another(options.results, one.plan).empty();
        fmt::print("  'rfbench run' {}\n", taken ? "leaves it as it is unless --replace is given; --as NAME keeps both"
                                                 : "computes what is not done and makes the result file anew");
    }
    for (const Waiting& one : chain.waiting())
        std::cout << (json ? nlohmann::json{{"configuration", one.name}, {"waits_for", one.stands_on}}.dump()
                           : waits(one))
                  << '\n';
    return success;
}

}  // namespace rfbench::cli
