// The attention studies on small configurations, against the kernels that users call.
#include <cmath>

#include "attention/heads.hpp"
#include "attention/studies.hpp"
#include "catch.hpp"
#include "configuration.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

config::Value parsed(const Study& study, const std::string& yaml) {
    return config::parse("experiment: attention\nstudy: " + study.name + "\n" + yaml, "test.yaml", schema_of(study));
}

const char* const heads_yaml =
    "mechanisms: [trigonometric, positive, optimal-positive, geometric]\n"
    "samplings: [iid, orthogonal]\n"
    "length: 150\n"
    "dimensions: [3, 8]\n"
    "scales: [0.3, 1.5]\n"
    "real_columns: [16, 128]\n"
    "samples: 2\n";

}  // namespace

TEST_CASE("attention/error: errors of the output are those of the attention kernels") {
    const Study study = attention_error_study();
    const config::Value config = parsed(study, heads_yaml);
    const Sweep sweep = study.prepare(config);
    const HeadSweep heads(config, "error");
    // Discrete features are drawn independently only.
    CHECK(sweep.cells.size() == 2 * 2 * 2 * (3 * 2 + 1));
    for (const engine::Cell& cell : sweep.cells) {
        INFO(cell.key);
        const store::Dataset data = sweep.compute(cell);
        const HeadCell own(heads, cell);
        const Head& head = own.head();
        Points exact, out;
        attention::exact<double>({head.queries, head.keys, head.values}, attention::Visible::all, exact);
        for (std::size_t m = 0; m < heads.columns.size(); ++m) {
            const auto outcome =
                attention::linear<double>(own.map(static_cast<Index>(heads.columns[m])),
                                          {head.queries, head.keys, head.values}, attention::Visible::all, out);
            const auto at = [&](const char* name) { return data.variable(name).values[m]; };
            CHECK(at("relative_output_error") == Approx((out - exact).norm() / exact.norm()).epsilon(1e-6));
            CHECK(at("output_mse") == Approx((out - exact).squaredNorm() / static_cast<double>(out.size())).epsilon(1e-6));
            CHECK(at("nonpositive") == Approx(static_cast<double>(outcome.nonpositive) / 150).margin(1e-12));
            CHECK(std::isfinite(at("relative_kernel_error")));
        }
    }
}

TEST_CASE("attention/error: with many features all errors are small") {
    const Study study = attention_error_study();
    const Sweep sweep = study.prepare(parsed(study,
                                             "mechanisms: [positive, trigonometric]\nlength: 60\ndimensions: 2\n"
                                             "scales: 0.3\nreal_columns: 65536\nsamples: 2\n"));
    for (const engine::Cell& cell : sweep.cells) {
        const store::Dataset data = sweep.compute(cell);
        // Of one feature the relative standard deviation is below 1 here, so 1 / sqrt(32768) = 0.0055; five of them.
        for (const char* name : {"relative_kernel_error", "relative_matrix_error", "relative_output_error"})
            CHECK(data.variable(name).values[0] < 5 * 0.0055);
    }
}

TEST_CASE("attention/depth: errors are there from the first layer; sizes that do not fit are refused") {
    const Study study = depth_study();
    const Sweep sweep = study.prepare(parsed(study,
                                             "mechanisms: [positive]\nsamplings: [iid]\nlength: 20\nlayers: 2\nheads: 2\n"
                                             "hidden: 8\nfeed_forward: 16\nreal_columns: [8, 4096]\nsamples: 2\n"));
    for (const engine::Cell& cell : sweep.cells) {
        const auto errors = sweep.compute(cell).variable("relative_error").values;
        CHECK(errors.size() == 2);
        CHECK(errors[0] > 0);
        CHECK(errors[0] < 1);
    }
    CHECK_THROWS_WITH(study.prepare(parsed(study, "mechanisms: [positive]\nlength: 20\nheads: 3\nhidden: 8\n"
                                                  "real_columns: 8\nsamples: 2\n")),
                      "hidden: 8 is not a multiple of heads, 3");
}

TEST_CASE("attention/causal: the reference that sees the whole is not the prefix fit") {
    const Study study = causal_study();
    const Sweep sweep = study.prepare(parsed(study,
                                             "mechanism: optimal-positive\nlength: 100\ndimensions: 4\nscales: 1\n"
                                             "real_columns: [32]\nfirst: 16\nsamples: 2\n"));
    const auto errors = sweep.compute(sweep.cells[0]).variable("relative_output_error").values;
    CHECK(errors.size() == 4);
    CHECK(errors[1] != errors[3]);
    for (const double error : errors) CHECK(error > 0);
}
