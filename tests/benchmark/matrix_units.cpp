// Features, attention and gradients by matrix units, d = e = 64, M = 256, on one thread, beside vector registers
// (parts: 0): rows that are there where the processor has such units, since an emulation has no times.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"

namespace {

using namespace rfbench;
using attention::Visible;
using products::Arithmetic;
using products::Units;

constexpr Index dimension = 64;

struct Head {
    Rows<float> queries, keys, values;
    std::shared_ptr<const features::FeatureMap> map;
    Arithmetic arithmetic;

    Head(Index length, Index parts) : queries(tokens(length, 1)), keys(tokens(length, 2)), values(tokens(length, 3)) {
        if (parts > 0) arithmetic = {Units::matrix, static_cast<int>(parts)};
        map = attention::softmax_map(*features::fit(features::find("positive"), {}), dimension, 256,
                                     sampling::find("orthogonal"), Stream(4))
                  .with_arithmetic(arithmetic);
    }
    attention::Inputs<float> inputs() const { return {queries, keys, values}; }

private:
    static Rows<float> tokens(Index length, std::uint64_t seed) {
        Projections columns(dimension, length);
        fill_normal(Stream(seed), columns);
        return columns.transpose().cast<float>();
    }
};

/// Arguments of a row: length, parts. `run` (head) is timed.
template <class Run>
void measure(benchmark::State& state, Run run) {
    omp_set_num_threads(1);
    const Head head(state.range(0), state.range(1));
    for (auto _ : state) {
        run(head);
        benchmark::ClobberMemory();
    }
}

void evaluate(benchmark::State& state) {
    features::FeatureBlock<float> out;
    measure(state, [&](const Head& head) { head.map->evaluate(features::Side::query, head.queries, out); });
}

void exact(benchmark::State& state, Visible visible) {
    Rows<float> out;
    measure(state, [&](const Head& head) { attention::exact(head.inputs(), visible, out, head.arithmetic); });
}

void linear(benchmark::State& state, Visible visible) {
    Rows<float> out;
    measure(state, [&](const Head& head) { attention::linear(*head.map, head.inputs(), visible, out); });
}

void exact_gradients(benchmark::State& state, Visible visible) {
    Rows<float> out;
    attention::Column<float> log_sums;
    attention::Gradients<float> to;
    measure(state, [&](const Head& head) {
        attention::exact(head.inputs(), visible, out, log_sums, head.arithmetic);
        attention::exact_backward<float>(head.inputs(), visible, out, log_sums, head.values, to, head.arithmetic);
    });
}

void gradients(benchmark::State& state, Visible visible) {
    attention::Gradients<float> to;
    measure(state,
            [&](const Head& head) { attention::backward<float>(*head.map, head.inputs(), visible, head.values, to); });
}

template <class... Arguments>
void add(const char* name, Index length, Arguments... arguments) {
    benchmark::RegisterBenchmark(name, arguments...)
        ->ArgsProduct({{length}, {0, 1, 2, 3}})
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}

/// Rows of this file; their number, for the initialization that adds them.
int add_rows() {
    if (!products::has_matrix_units()) return 0;
    add("matrix_units/features", 65536, evaluate);
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const std::string sees = visible == Visible::all ? "/all" : "/causal";
        add(("matrix_units/exact" + sees).c_str(), 16384, exact, visible);
        add(("matrix_units/linear" + sees).c_str(), 65536, linear, visible);
        add(("matrix_units/exact_gradients" + sees).c_str(), 8192, exact_gradients, visible);
        add(("matrix_units/gradients" + sees).c_str(), 16384, gradients, visible);
    }
    return 9;
}

[[maybe_unused]] const int rows = add_rows();

}  // namespace
