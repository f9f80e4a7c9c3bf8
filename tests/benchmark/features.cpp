// Feature evaluation in float, N = 65536, d = 64, M = 256, on one thread and on two.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "rfbench/features/catalogue.hpp"

namespace {

using namespace rfbench;

void evaluate(benchmark::State& state, const char* name) {
    omp_set_num_threads(static_cast<int>(state.range(0)));
    Projections columns(64, 65536);
    fill_normal(Stream(1), columns);
    const Rows<float> rows = (0.2 * columns.transpose()).cast<float>();
    const Points sample = rows.topRows(512).cast<double>();
    const auto mechanism = features::fit(features::find(name), features::statistics(sample, sample));
    const Index count = 256 / mechanism->columns(1);
    const auto map = mechanism->map(features::draw(*mechanism, 64, count, sampling::find("iid"), Stream(2)));
    features::FeatureBlock<float> out;
    for (auto _ : state) {
        map->evaluate(features::Side::query, rows, out);
        benchmark::DoNotOptimize(out.values.data());
    }
    state.counters["features/s"] = benchmark::Counter(65536.0 * static_cast<double>(out.values.cols()),
                                                      benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(evaluate, positive, "positive")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, trigonometric, "trigonometric")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, optimal_positive, "optimal-positive")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
