#pragma once
// Forecast of a run: time from what earlier runs took, memory from what its study says.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rfbench/engine/plan.hpp"
#include "study/study.hpp"

namespace rfbench::cli {

/// Forecast of the time of all missing cells. Its source is the first of these that exists: the times of this
/// configuration's stored cells, the configuration's estimate for two cores, or the times of the smoke profile, which
/// give a lower bound. Where values of the configuration were changed, by --set or by a profile without an estimate of
/// its own, the estimate is only told.
struct TimeForecast {
    enum class Source { none, journal, configuration, smoke, as_written } source = Source::none;
    std::vector<std::size_t> missing;  ///< cells, by their number in the plan
    double seconds = 0;  ///< with so many cells at a time as there are threads; a lower bound from `smoke`, of other
                         ///< values from `as_written`

    /// "about 3 min 07 s, as cells of this configuration took before", "about 3 min 07 s on two cores, as the
    /// configuration says", "more than 4.0 s (...)", "unknown until ...".
    std::string text() const;
    /// Whether `seconds` is about right.
    bool known() const { return source == Source::journal || source == Source::configuration; }
};
/// `minutes`: the configuration's estimate of all its cells; `minutes_hold`: it is one of these values.
TimeForecast forecast_time(const engine::Plan&, const std::filesystem::path& results, int threads,
                           std::optional<double> minutes, bool minutes_hold);

/// Cells computed at a time: as asked for, or one for each thread of OpenMP (a processor, or OMP_NUM_THREADS).
int cells_at_a_time(const experiments::Sweep&, const engine::Plan&, int threads);

/// "1.5 GiB", "96 MiB": one digit after the point below ten of a unit.
std::string bytes_text(double bytes);

/// Bytes of this machine's memory, or the limit of its control group where that is lower.
double machine_memory();

/// Throws InputError where so many cells at a time do not fit into the machine's memory.
void require_memory(const experiments::Sweep&, const engine::Plan&, int threads);

}  // namespace rfbench::cli
