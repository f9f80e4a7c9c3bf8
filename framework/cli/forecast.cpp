#include "forecast.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "rfbench/engine/journal_summary.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/progress.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::cli {
namespace {

/// Mean seconds of the cells of this very configuration that are there; 0 where none is. What is stale may have been
/// computed with other settings, and says nothing about these.
double seconds_of_a_cell(const engine::Status& status) {
    const std::size_t done = status.count(engine::State::done);
    return done == 0 ? 0 : status.seconds() / static_cast<double>(done);
}

/// Mean seconds of the cells that the smoke profile collected: these are smaller than those of the plan.
double seconds_of_a_smoke_cell(engine::Plan plan, const std::filesystem::path& results) {
    plan.profile = "smoke";
    return engine::history(engine::Layout(results, plan).folder).collected.seconds;
}

}  // namespace

std::string TimeForecast::text() const {
    if (missing.empty()) return "nothing to compute";
    switch (source) {
        case Source::journal:
            return fmt::format("about {}, as cells of this configuration took before", engine::duration(seconds));
        case Source::configuration:
            return fmt::format("about {} on two cores, as the configuration says", engine::duration(seconds));
        case Source::smoke:
            return fmt::format("more than {} (cells took that long in the smoke profile, where they are smaller)",
                               engine::duration(seconds));
        case Source::as_written:
            return fmt::format("unknown with these values; those in the file take about {} on two cores",
                               engine::duration(seconds));
        case Source::none: break;
    }
    return "unknown until a first run, or that of a smoke profile, has timed a cell";
}

TimeForecast forecast_time(const engine::Plan& plan, const std::filesystem::path& results, int threads,
                           std::optional<double> minutes, bool minutes_hold) {
    TimeForecast result;
    const engine::Status status = engine::status(plan, results);
    for (std::size_t i = 0; i < status.cells.size(); ++i)
        if (status.cells[i].state != engine::State::done) result.missing.push_back(i);
    // The last round of cells takes as long as any.
    const double rounds = std::ceil(static_cast<double>(result.missing.size()) / threads);
    if (const double each = seconds_of_a_cell(status); each > 0) {
        result.source = TimeForecast::Source::journal;
        result.seconds = each * rounds;
    } else if (minutes && minutes_hold) {
        const double share = static_cast<double>(result.missing.size()) / static_cast<double>(plan.cells.size());
        result.source = TimeForecast::Source::configuration;
        result.seconds = 60 * *minutes * share;
    } else if (const double smoke = seconds_of_a_smoke_cell(plan, results); smoke > 0) {
        result.source = TimeForecast::Source::smoke;
        result.seconds = smoke * rounds;
    } else if (minutes) {
        result.source = TimeForecast::Source::as_written;
        result.seconds = 60 * *minutes;
    }
    return result;
}

int cells_at_a_time(const experiments::Sweep& sweep, const engine::Plan& plan, int threads) {
    if (sweep.alone) return 1;
    // As many as a run takes (engine::Options::threads).
    const int wanted = threads > 0 ? threads : omp_get_max_threads();
    return std::max(1, std::min(wanted, static_cast<int>(plan.cells.size())));
}

std::string bytes_text(double bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    // From here on four digits would be shown.
    while (bytes >= 999.5 && unit + 1 < std::size(units)) {
        bytes /= 1024;
        ++unit;
    }
    if (unit == 0 || bytes >= 9.95) return fmt::format("{:.0f} {}", bytes, units[unit]);
    return fmt::format("{:.1f} {}", bytes, units[unit]);
}

double machine_memory() {
    const double physical = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    double limit = 0;
    // A group without a limit says "max", which is no number and leaves the machine's own memory.
    std::ifstream group("/sys/fs/cgroup/memory.max");
    return group >> limit && limit > 0 ? std::min(limit, physical) : physical;
}

void require_memory(const experiments::Sweep& sweep, const engine::Plan& plan, int threads) {
    const int at_a_time = cells_at_a_time(sweep, plan, threads);
    const double needed = sweep.bytes * at_a_time, there = machine_memory();
    if (needed <= there) return;
    const std::string advice = sweep.bytes <= there && at_a_time > 1
                                   ? fmt::format("Fewer --threads, {} at most, or a smaller configuration would fit.",
                                                 static_cast<int>(there / sweep.bytes))
                                   : std::string("A smaller configuration is needed: --set changes one value.");
    throw InputError(fmt::format(
        "{}/{} does not fit into memory: a cell takes about {}, {} at a time {}, and this machine has {}. {}",
        plan.experiment, plan.config, bytes_text(sweep.bytes), at_a_time, bytes_text(needed), bytes_text(there),
        advice));
}

}  // namespace rfbench::cli
