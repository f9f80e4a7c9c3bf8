// Drawing projections, d = 64, M = 4096, on one thread.
#include <benchmark/benchmark.h>

#include "rfbench/sampling/scheme.hpp"

namespace {

using namespace rfbench;

void draw(benchmark::State& state, const sampling::Scheme* scheme) {
    Projections omega(64, 4096);
    std::uint64_t seed = 0;
    for (auto _ : state) {
        scheme->normals(Stream(++seed), omega);
        benchmark::DoNotOptimize(omega.data());
    }
}

const bool registered = [] {
    for (const sampling::Scheme& scheme : sampling::catalogue())
        benchmark::RegisterBenchmark(("draw/" + scheme.name).c_str(), draw, &scheme)->Unit(benchmark::kMillisecond);
    return true;
}();

}  // namespace
