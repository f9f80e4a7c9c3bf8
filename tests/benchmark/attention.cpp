// Attention in float with d = e = 64 and M = 256 positive features, on one thread and on two.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"

namespace {

using namespace rfbench;
using attention::Visible;

constexpr Index dimension = 64, features_count = 256;

Rows<float> tokens(Index length, std::uint64_t seed) {
    Projections columns(dimension, length);
    fill_normal(Stream(seed), columns);
    return columns.transpose().cast<float>();
}

void set_rate(benchmark::State& state, double flops) {
    state.counters["flop/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void exact(benchmark::State& state, Visible visible) {
    omp_set_num_threads(static_cast<int>(state.range(1)));
    const Index length = state.range(0);
    const Rows<float> q = tokens(length, 1), k = tokens(length, 2), v = tokens(length, 3);
    Rows<float> out;
    for (auto _ : state) {
        attention::exact<float>({q, k, v}, visible, out);
        benchmark::DoNotOptimize(out.data());
    }
    set_rate(state, (visible == Visible::all ? 4.0 : 2.0) * static_cast<double>(length * length * dimension));
}

void linear(benchmark::State& state, Visible visible) {
    omp_set_num_threads(static_cast<int>(state.range(1)));
    const Index length = state.range(0);
    const Rows<float> q = tokens(length, 1), k = tokens(length, 2), v = tokens(length, 3);
    const auto mechanism = features::find("positive").fit({}, {});
    const auto map = attention::softmax_map(*mechanism, dimension, features_count, sampling::find("orthogonal"), Stream(4));
    Rows<float> out;
    for (auto _ : state) {
        attention::linear<float>(map, {q, k, v}, visible, out);
        benchmark::DoNotOptimize(out.data());
    }
    set_rate(state, 8.0 * static_cast<double>(length * features_count * dimension));
}

#define RFBENCH_LENGTHS(...) ->ArgsProduct({{__VA_ARGS__}, {1, 2}})->UseRealTime()->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(exact, all, Visible::all) RFBENCH_LENGTHS(16384);
BENCHMARK_CAPTURE(exact, causal, Visible::causal) RFBENCH_LENGTHS(16384);
BENCHMARK_CAPTURE(linear, all, Visible::all) RFBENCH_LENGTHS(65536);
BENCHMARK_CAPTURE(linear, causal, Visible::causal) RFBENCH_LENGTHS(65536);

}  // namespace
