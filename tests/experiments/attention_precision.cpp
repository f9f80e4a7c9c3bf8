// attention/precision: a cell's errors are those of the kernels, over the last half of the tokens.
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/rounded_linear.hpp"
#include "rfbench/report/slice.hpp"
#include "sources/heads.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

TEST_CASE("attention/precision: errors grow with fewer bits, and are those of the last half of the tokens") {
    const Study study = find("attention", "precision");
    const config::Value config = parsed(study,
                                        "methods: [linear-transformer]\nheads: {use: normal, dimension: 4, length: 64, "
                                        "scales: [1]}\ncolumns: 8\nformats: [float32, bfloat16, float16]\n"
                                        "positions: [16, 64]\nrepeats: 2\n");
    const Sweep sweep = study.prepare(config);
    const store::Dataset data = computed(sweep, sweep.cells().front());
    const auto error = [&](const char* format, const char* part, double position) {
        return report::slice(data, "rounding_error",
                             {{"format", format}, {"rounded", part}, {"scales", "row scales"}, {"position", position}})
            .values[0];
    };
    for (const double position : {16.0, 64.0}) {
        // Significands of 24, 11 and 8 bits.
        CHECK(error("float32", "all", position) < error("float16", "all", position) / 100);
        CHECK(error("float16", "all", position) < error("bfloat16", "all", position));
        CHECK(error("bfloat16", "features", position) < error("bfloat16", "all", position));
        CHECK(error("float32", "all", position) > 0);
    }
    // The same by hand: the Linear Transformer draws nothing.
    const HeadList list(config, head_streams(study_stream(config, "attention/precision")));
    const HeadSequence head = list.heads.values.front().sequence(0);
    const auto map = attention::GeneralizedMap(features::nonlinearity("elu+1"), 4);
    const attention::NumberFormat& format = attention::number_format("bfloat16");
    Points estimate, out;
    attention::causal_rounded(map, head.inputs(), {}, estimate);
    attention::causal_rounded(map, head.inputs(), {&format, &format, &format, true}, out);
    const double expected = (out - estimate).bottomRows(32).norm() / estimate.bottomRows(32).norm();
    CHECK(error("bfloat16", "all", 64) == Approx(expected).epsilon(1e-12));
}
