// Feature evaluation in float, N = 65536, d = 64, M = 256, on one thread and on two, and the share of the roofline.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "rfbench/features/catalogue.hpp"
#include "roofline.hpp"

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
    // The first call meets the output's pages, which the system hands out one by one: it is not timed.
    map->evaluate(features::Side::query, rows, out);
    for (auto _ : state) {
        map->evaluate(features::Side::query, rows, out);
        benchmark::DoNotOptimize(out.values.data());
    }
    using benchmark::Counter;
    const double entries = 65536.0 * static_cast<double>(out.values.cols());
    state.counters["features/s"] = Counter(entries, Counter::kIsIterationInvariantRate);
    // Each projection takes 64 multiply-adds, each feature an exponential, a sine or a cosine.
    const double roofline = roofline_seconds(2 * 64 * 65536.0 * static_cast<double>(count), entries);
    state.counters["roofline"] = Counter(roofline, Counter::kIsIterationInvariantRate);
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
