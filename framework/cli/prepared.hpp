#pragma once
// The configurations that a command selects, made plans.
#include <vector>

#include "configuration.hpp"
#include "forecast.hpp"
#include "rfbench/engine/plan.hpp"
#include "study.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

struct Prepared {
    experiments::Configuration configuration;
    experiments::Sweep sweep;
    engine::Plan plan;
};

/// Every selected configuration is read and checked, and its data found, before the first is run; what takes less comes
/// first. Throws InputError where a file or the selection is wrong, and DataError, which names what could be run
/// without, where data is not on this machine.
std::vector<Prepared> prepare(const RunOptions&);

/// What a configuration says of its own time is meant for all of it.
TimeForecast forecast(const RunOptions&, const Prepared&, int threads);

/// Says that no configuration is selected, and returns the exit code of that.
int nothing(const Selection&);

}  // namespace rfbench::cli
