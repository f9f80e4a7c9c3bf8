// attention/error, negative and causal on small configurations, against the kernels that users call and dense matrices.
#include <cmath>

#include "attention/heads.hpp"
#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/memory/high_water_mark.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

// Two tiles of tokens, the second a short one.
const char* const heads_yaml =
    "methods: [trigonometric, positive, optimal-positive, geometric, gelu, relu]\n"
    "samplings: [iid, orthogonal]\n"
    "heads: [{use: normal, dimension: 3, length: 530, scales: [0.3, 1.5]}, "
    "{use: normal, dimension: 8, length: 530, scales: [0.3, 1.5]}]\n"
    "columns: [16, 128]\n"
    "repeats: 2\n";

/// exp(q.k / sqrt d), entry by entry.
Points kernel(const HeadSequence& head) {
    const double root = std::sqrt(static_cast<double>(head.tokens.queries.cols()));
    return (head.tokens.queries * head.tokens.keys.transpose() / root).array().exp();
}

/// Estimate of the head's matrix by a map.
Points estimated(const features::FeatureMap& map, const HeadSequence& head) {
    features::FeatureBlock<double> queries, keys;
    map.evaluate(features::Side::query, head.tokens.queries, queries);
    map.evaluate(features::Side::key, head.tokens.keys, keys);
    Points all = queries.values * keys.values.transpose();
    all.array().colwise() *= queries.log_scale.array().exp();
    all.array().rowwise() *= keys.log_scale.array().exp().transpose();
    return all;
}

Points normalised(const Points& weights) { return weights.array().colwise() / weights.rowwise().sum().array(); }

}  // namespace

TEST_CASE("attention/error: errors are those of dense matrices and of the attention kernels") {
    const Study study = find("attention", "error");
    const config::Value config = parsed(study, heads_yaml);
    const Sweep sweep = study.prepare(config);
    const HeadSweep heads(config, "attention/error", study.methods);
    // Discrete features are drawn independently only.
    CHECK(sweep.cells().size() == 2 * 2 * 2 * 2 * (5 * 2 + 1));
    for (const engine::Cell& cell : sweep.cells()) {
        INFO(cell.key);
        const store::Dataset data = computed(sweep, cell);
        const HeadCell own(heads, sweep.point(cell.coordinates));
        const HeadSequence& head = own.head();
        const Points matrix = kernel(head), weights = normalised(matrix);
        Points exact, out;
        attention::exact<double>(head.inputs(), attention::Visible::all, exact);
        const auto map = own.map();
        const auto outcome = attention::linear<double>(*map, head.inputs(), attention::Visible::all, out);
        const auto of = [&](const char* name) { return data.variable(name).values[0]; };
        CHECK(of("relative_output_error") == Approx((out - exact).norm() / exact.norm()).epsilon(1e-6));
        CHECK(of("output_mse") == Approx((out - exact).squaredNorm() / static_cast<double>(out.size())).epsilon(1e-6));
        CHECK(of("nonpositive") == Approx(static_cast<double>(outcome.nonpositive) / 530).margin(1e-12));

        const Points estimates = estimated(*map, head);
        if (own.method()->estimates_kernel())
            CHECK(of("relative_kernel_error") == Approx((estimates - matrix).norm() / matrix.norm()).epsilon(1e-9));
        else
            CHECK(std::isnan(of("relative_kernel_error")));
        if (!(estimates.rowwise().sum().cwiseAbs().minCoeff() > 0)) continue;
        const Points difference = normalised(estimates) - weights;
        CHECK(of("relative_matrix_error") == Approx(difference.norm() / weights.norm()).epsilon(1e-6));
        CHECK(of("matrix_mse") == Approx(difference.squaredNorm() / (530.0 * 530.0)).epsilon(1e-6));
    }
}

TEST_CASE("attention/error: with many features all errors are small") {
    const Study study = find("attention", "error");
    const Sweep sweep = study.prepare(
        parsed(study,
               "methods: [positive, trigonometric]\n"
               "heads: {use: normal, dimension: 2, length: 60, scales: 0.3}\ncolumns: 65536\nrepeats: 2\n"));
    for (const engine::Cell& cell : sweep.cells()) {
        const store::Dataset data = computed(sweep, cell);
        // The relative standard deviation of one feature is below 1 here, so 1 / sqrt(32768) = 0.0055; five of them.
        for (const char* name : {"relative_kernel_error", "relative_matrix_error", "relative_output_error"})
            CHECK(data.variable(name).values[0] < 5 * 0.0055);
    }
}

TEST_CASE("attention/error: memory does not grow with the matrix or its features") {
    const Study study = find("attention", "error");
    const auto bytes = [&](const char* length) {
        const Sweep sweep =
            study.prepare(parsed(study,
                                 "methods: [positive]\nsamplings: iid\n"
                                 "columns: [16, 128]\nrepeats: 2\nheads: {use: normal, dimension: 2, length: " +
                                     std::string(length) + "}\n"));
        const memory::HighWaterMark mark;
        computed(sweep, sweep.cells()[0]);
        return static_cast<double>(mark.bytes());
    };
    // 2048 rows more are 0.1 MiB of queries, keys and values, and would be 4.5 MiB of features.
    CHECK(bytes("4096") < bytes("2048") + 0.5 * (1 << 20));
}

TEST_CASE("attention/error: of methods without features the output is compared, at about the cost of the columns") {
    const Study study = find("attention", "error");
    const config::Value config =
        parsed(study,
               "methods: [positive, relu, exact, linear-transformer, linformer, lsh, nystrom, "
               "{use: positive, sampling: sobol}]\n"
               "heads: {use: normal, dimension: 4, length: 40}\ncolumns: [8, 40]\nrepeats: 2\n");
    const Sweep sweep = study.prepare(config);
    // A method that is not drawn, or in a way of its own, is measured once.
    CHECK(sweep.cells().size() == 2 * 2 * (2 * 2 + 6));
    const HeadSweep heads(config, "attention/error", study.methods);
    for (const engine::Cell& cell : sweep.cells()) {
        const HeadCell own(heads, sweep.point(cell.coordinates));
        const std::string& name = own.method().label;
        INFO(cell.key);
        CHECK((cell.key.find("sampling=own") != std::string::npos) == (name != "positive" && name != "relu"));
        const store::Dataset data = computed(sweep, cell);
        const HeadSequence& head = own.head();
        Points exact, out;
        attention::exact<double>(head.inputs(), attention::Visible::all, exact);
        const auto of = [&](const char* variable) { return data.variable(variable).values[0]; };
        const bool mapped = own.method()->head_features();
        for (const char* variable : {"matrix_mse", "relative_matrix_error"}) CHECK(std::isnan(of(variable)) == !mapped);
        own.attention()->attend(head.inputs(), attention::Visible::all, out);
        CHECK(of("relative_output_error") == Approx((out - exact).norm() / exact.norm()).epsilon(1e-12));
        CHECK(of("output_mse") == Approx((out - exact).squaredNorm() / 160).epsilon(1e-12));
        if (name == "exact") CHECK(of("relative_output_error") == 0);
        // All tokens are landmarks: exact attention, but for the inverse.
        if (name == "nystrom" && has(cell, "columns=40")) CHECK(of("relative_output_error") < 1e-2);
    }
}

TEST_CASE("attention/error: a method that names its sampling is drawn by it") {
    const Study study = find("attention", "error");
    const std::string sizes = "heads: {use: normal, dimension: 4, length: 20}\ncolumns: 8\nrepeats: 2\n";
    const auto error = [&](const std::string& lists) {
        const Sweep sweep = study.prepare(parsed(study, lists + sizes));
        return computed(sweep, sweep.cells().front()).variable("relative_output_error").values[0];
    };
    // Streams are keyed by the label and the sampling: the same label and sampling are the same draw.
    const std::string own = "methods: [{use: positive, sampling: sobol, label: one}]\nsamplings: iid\n";
    CHECK(error(own) == error("methods: [{use: positive, label: one}]\nsamplings: sobol\n"));
    CHECK(error(own) != error("methods: [{use: positive, label: one}]\nsamplings: iid\n"));
}

TEST_CASE("attention/error: labels are taken once") {
    const Study study = find("attention", "error");
    CHECK_THROWS_WITH(
        study.prepare(parsed(study,
                             "methods: [{use: positive, label: gelu}, gelu]\n"
                             "heads: {use: normal, dimension: 2, length: 8}\ncolumns: 8\nrepeats: 2\n")),
        "test.yaml:3:41: methods.1: the label 'gelu' is taken by an earlier method; give this one another");
}

TEST_CASE("attention/negative: shares are those of the rows that linear attention counts") {
    const Study study = find("attention", "negative");
    const config::Value config = parsed(study, heads_yaml);
    const Sweep sweep = study.prepare(config);
    const HeadSweep heads(config, "attention/negative", study.methods);
    double largest = 0;
    for (const engine::Cell& cell : sweep.cells()) {
        INFO(cell.key);
        const double share = value(computed(sweep, cell), "nonpositive");
        const HeadCell own(heads, sweep.point(cell.coordinates));
        const HeadSequence& head = own.head();
        Points out;
        const auto outcome = attention::linear<double>(*own.map(), head.inputs(), attention::Visible::all, out);
        CHECK(share == Approx(static_cast<double>(outcome.nonpositive) / 530).margin(1e-12));
        largest = std::max(largest, share);
    }
    CHECK(largest > 0.1);
}

TEST_CASE("attention/causal: fits are to nothing, to the previous sequence and to the whole") {
    const Study study = find("attention", "causal");
    const config::Value config = parsed(study,
                                        "methods: [positive, {use: optimal-positive, label: prefix}, "
                                        "{use: optimal-positive, label: previous, fit: previous}, "
                                        "{use: optimal-positive, label: whole, fit: whole}]\n"
                                        "heads: {use: normal, dimension: 4, length: 100}\n"
                                        "columns: [32]\nfirst: 16\nrepeats: 2\n");
    const Sweep sweep = study.prepare(config);
    for (const std::uint64_t repeat : {0, 1}) {
        const auto errors = values(computed_at(sweep, "repeat=" + std::to_string(repeat)), "relative_output_error");
        REQUIRE(errors.size() == 4);
        CHECK(errors[1] > 0);

        const Stream seed = study_stream(config, "attention/causal").child(repeat).child(4);
        const HeadSequence head = draw_head(100, 4, 1, seed.child("head"));
        const HeadSequence previous = draw_head(100, 4, 1, seed.child("previous"));
        const auto in = head.inputs();
        Points exact, out;
        attention::exact<double>(in, attention::Visible::causal, exact);
        const auto error = [&](const char* name, const features::Statistics& statistics) {
            const auto mechanism = features::fit(features::find(name), statistics);
            attention::linear<double>(attention::softmax_map(*mechanism, 4, 32, sampling::find("orthogonal"),
                                                             seed.child("features").child(32)),
                                      in, attention::Visible::causal, out);
            return (out - exact).norm() / exact.norm();
        };
        const auto of = [](const HeadSequence& one) {
            return attention::softmax_statistics(one.tokens.queries, one.tokens.keys);
        };
        CHECK(errors[0] == Approx(error("positive", {})).epsilon(1e-9));
        CHECK(errors[2] == Approx(error("optimal-positive", of(previous))).epsilon(1e-9));
        CHECK(errors[3] == Approx(error("optimal-positive", of(head))).epsilon(1e-9));
        for (const std::size_t fit : {0, 1, 2}) CHECK(errors[fit] != errors[fit + 1]);
    }
}
