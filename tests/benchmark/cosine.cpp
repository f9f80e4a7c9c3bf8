// Positive features along cosine directions, M = d, 4096 rows in float on one thread: the fast transform and the dense
// product.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "rfbench/features/maps/cosine_map.hpp"
#include "rfbench/sampling/scheme.hpp"

namespace {

using namespace rfbench;

void evaluate(benchmark::State& state, bool fast) {
    omp_set_num_threads(1);
    const Index d = state.range(0);
    Projections omega(d, d), columns(d, 4096);
    sampling::find("dct").normals(Stream(1), omega);
    fill_normal(Stream(2), columns);
    const Rows<float> rows = (0.1 * columns.transpose()).cast<float>();
    const features::ExponentialSide side{omega, Vector::Zero(d), {.isotropic = -1}};
    const auto map = fast ? features::cosine_map(side) : features::exponential_map(side, side);
    features::FeatureBlock<float> out;
    for (auto _ : state) {
        map->evaluate(features::Side::query, rows, out);
        benchmark::DoNotOptimize(out.values.data());
    }
}

BENCHMARK_CAPTURE(evaluate, cosine_fast, true)->RangeMultiplier(2)->Range(32, 2048)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, cosine_dense, false)->RangeMultiplier(2)->Range(32, 2048)->Unit(benchmark::kMillisecond);

}  // namespace
