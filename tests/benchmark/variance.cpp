// Analytic log variances of every mechanism over 1024 x 1024 pairs in 64 dimensions.
#include <benchmark/benchmark.h>

#include "rfbench/features/catalogue.hpp"

namespace {

using namespace rfbench;

Points cloud(std::uint64_t seed) {
    Projections columns(64, 1024);
    fill_normal(Stream(seed), columns);
    return 0.5 * columns.transpose();
}

void log_variances(benchmark::State& state, const features::MechanismInfo* info) {
    const Points x = cloud(1), y = cloud(2);
    const auto mechanism = features::fit_with_moments(*info, features::statistics(x, y));
    Points out(64, 1024);
    for (auto _ : state)
        for (Index first = 0; first < 1024; first += 64) {
            mechanism->log_variances(x.middleRows(first, 64), y, out);
            benchmark::DoNotOptimize(out.data());
        }
    state.counters["pairs/s"] = benchmark::Counter(1024.0 * 1024.0, benchmark::Counter::kIsIterationInvariantRate);
}

const bool registered = [] {
    for (const features::MechanismInfo& info : features::catalogue()) {
        if (!info.has_moments()) continue;
        benchmark::RegisterBenchmark(("log_variances/" + info.name).c_str(), log_variances, &info)
            ->Unit(benchmark::kMillisecond);
    }
    return true;
}();

}  // namespace
