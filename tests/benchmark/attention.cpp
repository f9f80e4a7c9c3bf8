// Attention in float with d = e = 64, on one thread and on two. Each row shows the share of the roofline that it
// reaches: the least time for its multiplications and exponentials over its own.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <cmath>

#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/mask_product.hpp"
#include "rfbench/attention/masked.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "roofline.hpp"

namespace {

using namespace rfbench;
using attention::MaskPath;
using attention::Visible;

constexpr Index dimension = 64;
constexpr double d = dimension;

Rows<float> tokens(Index length, std::uint64_t seed) {
    Projections columns(dimension, length);
    fill_normal(Stream(seed), columns);
    return columns.transpose().cast<float>();
}

attention::SoftmaxMap positive_map(Index count) {
    return attention::softmax_map(*features::fit(features::find("positive"), {}), dimension, count,
                                  sampling::find("orthogonal"), Stream(4));
}

/// Arguments of a row: length, threads. `attend` (inputs, out) is run on inputs and an output that are kept.
template <class Out, class Attend>
void measure(benchmark::State& state, double flops, double exponentials, Attend attend) {
    omp_set_num_threads(static_cast<int>(state.range(1)));
    const Index length = state.range(0);
    const Rows<float> q = tokens(length, 1), k = tokens(length, 2), v = tokens(length, 3);
    Out out;
    // The first call meets the output's pages, which the system hands out one by one: it is not timed.
    attend(attention::Inputs<float>{q, k, v}, out);
    for (auto _ : state) {
        attend(attention::Inputs<float>{q, k, v}, out);
        benchmark::ClobberMemory();
    }
    using benchmark::Counter;
    state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
    state.counters["roofline"] = Counter(roofline_seconds(flops, exponentials), Counter::kIsIterationInvariantRate);
}

void exact(benchmark::State& state, Visible visible) {
    const double length = static_cast<double>(state.range(0)), share = visible == Visible::all ? 1 : 0.5;
    measure<Rows<float>>(state, share * 4 * length * length * d, share * length * length,
                         [&](const auto& in, auto& out) { attention::exact<float>(in, visible, out); });
}

// Scores and their gradients, and what goes back to queries, keys and values: 10 L^2 d, and 4 before in exact().
void exact_gradients(benchmark::State& state, Visible visible) {
    const double length = static_cast<double>(state.range(0)), share = visible == Visible::all ? 1 : 0.5;
    Rows<float> output;
    attention::Column<float> log_sums;
    measure<attention::Gradients<float>>(
        state, share * 14 * length * length * d, share * 2 * length * length, [&](const auto& in, auto& out) {
            attention::exact<float>(in, visible, output, log_sums);
            attention::exact_backward<float>(in, visible, output, log_sums, in.values, out);
        });
}

// Features take 4 L M d, and sums and products with them as much again.
void linear(benchmark::State& state, Visible visible) {
    const double length = static_cast<double>(state.range(0)), count = 256;
    const auto map = positive_map(256);
    measure<Rows<float>>(state, 8 * length * count * d, 2 * length * count,
                         [&](const auto& in, auto& out) { attention::linear<float>(map, in, visible, out); });
}

// Features, 10 L M d for their gradients and those of the values, and 4 L M d from features to queries and keys.
void gradients(benchmark::State& state, Visible visible) {
    const double length = static_cast<double>(state.range(0)), count = 256;
    const auto map = positive_map(256);
    measure<attention::Gradients<float>>(
        state, 18 * length * count * d, 2 * length * count,
        [&](const auto& in, auto& out) { attention::backward<float>(map, in, visible, in.values, out); });
}

// M = 64. Tiles: 2 L^2 (M + d). Blocks of N points: two transforms, 5 N log2 N each, a product with each spectrum of
// its row of blocks, 8 N, and with the features of keys and queries, 6 N; for each pair of columns, feature and part.
void masked(benchmark::State& state, MaskPath path) {
    const double length = static_cast<double>(state.range(0)), count = 64;
    const auto map = positive_map(64);
    const auto mask = attention::decaying_mask({state.range(0)}, 8 / length);
    const auto blocks = attention::mask_blocks(mask);
    const double points = static_cast<double>(blocks.points()), row = static_cast<double>(blocks.count);
    const double product = static_cast<double>(blocks.parts()) * row * points * (10 * std::log2(points) + 8 * row + 6);
    const double dense = 2 * length * length * (count + d), fft = count * (d + 2) / 2 * product;
    measure<Rows<float>>(state, path == MaskPath::dense ? dense : fft, 2 * length * count,
                         [&](const auto& in, auto& out) { attention::masked<float>(map, mask, in, out, path); });
}

#define RFBENCH_LENGTHS(...) ->ArgsProduct({{__VA_ARGS__}, {1, 2}})->UseRealTime()->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(exact, all, Visible::all) RFBENCH_LENGTHS(16384);
BENCHMARK_CAPTURE(exact, causal, Visible::causal) RFBENCH_LENGTHS(16384);
BENCHMARK_CAPTURE(exact_gradients, all, Visible::all) RFBENCH_LENGTHS(8192);
BENCHMARK_CAPTURE(exact_gradients, causal, Visible::causal) RFBENCH_LENGTHS(8192);
BENCHMARK_CAPTURE(linear, all, Visible::all) RFBENCH_LENGTHS(65536);
BENCHMARK_CAPTURE(linear, causal, Visible::causal) RFBENCH_LENGTHS(65536);
BENCHMARK_CAPTURE(gradients, all, Visible::all) RFBENCH_LENGTHS(16384);
BENCHMARK_CAPTURE(gradients, causal, Visible::causal) RFBENCH_LENGTHS(16384);
BENCHMARK_CAPTURE(masked, dense, MaskPath::dense) RFBENCH_LENGTHS(4096, 8192, 16384, 32768);
BENCHMARK_CAPTURE(masked, fft, MaskPath::fft) RFBENCH_LENGTHS(4096, 8192, 16384, 32768);

}  // namespace
