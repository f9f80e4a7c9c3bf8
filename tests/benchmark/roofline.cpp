#include "roofline.hpp"

#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>

namespace {

typedef float Vector __attribute__((vector_size(64)));

/// Eight chains of fused multiply-adds, as many as cover their latency. 2 x 16 x 8 flops a turn.
void multiply_add(long turns) {
    Vector chains[8], factor, summand;
    factor = Vector{} + 0.999999f;
    summand = Vector{} + 1e-6f;
    for (int c = 0; c < 8; ++c) chains[c] = Vector{} + static_cast<float>(c);
    benchmark::DoNotOptimize(factor);
    benchmark::DoNotOptimize(summand);
    for (long t = 0; t < turns; ++t)
        for (int c = 0; c < 8; ++c) chains[c] = chains[c] * factor + summand;
    for (int c = 0; c < 8; ++c) benchmark::DoNotOptimize(chains[c]);
}

}  // namespace

double multiply_add_rate() {
    constexpr long turns = 4'000'000;
    double best = 0;
    for (int repeat = 0; repeat < 15; ++repeat) {
        const double begin = omp_get_wtime();
#pragma omp parallel proc_bind(spread)
        multiply_add(turns);
        const double flops = 2.0 * 16 * 8 * turns * omp_get_max_threads();
        best = std::max(best, flops / (omp_get_wtime() - begin));
    }
    return best;
}

double roofline_seconds(double flops, double exponentials) { return (flops + 31 * exponentials) / multiply_add_rate(); }
