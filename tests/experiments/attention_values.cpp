// attention/causal, depth, negative and cost in small cases: every variable from dense matrices, or from a method whose
// cost is known.
#include <atomic>
#include <chrono>
#include <thread>

#include "catch.hpp"
#include "cells.hpp"
#include "closed_forms.hpp"
#include "cost/attention_report.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/networks/random_layers.hpp"
#include "rfbench/report/slice.hpp"
#include "sources/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::closed_forms;

namespace {

struct Head {
    Points queries, keys, values;
};

Projections omegas(Index d, Index count, const char* sampling, const Stream& stream) {
    return features::draw(*features::fit(features::find("positive"), {}), d, count, sampling::find(sampling), stream)
        .omega;
}

Head drawn(Index length, Index d, double scale, const Stream& stream) {
    return {scale * normal_points(stream.child("queries"), length, d),
            scale * normal_points(stream.child("keys"), length, d), normal_points(stream.child("values"), length, d)};
}

Points scaled(const Points& rows) { return std::pow(static_cast<double>(rows.cols()), -0.25) * rows; }
double best_a_of(const Points& queries, const Points& keys) { return best_a(scaled(queries), scaled(keys)); }

Points lower(const Points& weights) { return weights.triangularView<Eigen::Lower>(); }

}  // namespace

TEST_CASE("attention/causal: every fit is the least of its own tokens, and outputs are of dense matrices",
          "[experiments]") {
    const Study& study = find("attention", "causal");
    const config::Value config =
        parsed(study,
               "methods: [positive, {use: optimal-positive, label: prefix}, "
               "{use: optimal-positive, label: previous, fit: previous}, "
               "{use: optimal-positive, label: whole, fit: whole}]\n"
               "heads: {use: normal, dimension: 3, length: 30, scales: 0.7}\ncolumns: [6, 10]\nfirst: 8\n"
               "repeats: 2\n");
    const auto data = computed_at(study.prepare(config), "repeat=1");
    const Stream seed = study_stream(config, "attention/causal").child(1).child(3);
    const Head head = drawn(30, 3, 0.7, seed.child("head")), previous = drawn(30, 3, 0.7, seed.child("previous"));
    const Points exact = weighted(lower(softmax_kernel(head.queries, head.keys)), head.values);
    for (std::size_t k : {0, 1}) {
        const Index columns = k == 0 ? 6 : 10;
        const Projections omega =
            omegas(3, columns, "orthogonal", seed.child("features").child(static_cast<std::uint64_t>(columns)));
        const auto through = [&](double a) {
            return lower(softmax_kernel(
                [&](const Vector& w, const Vector& x, const Vector& y) { return exponential(a, w, x, y); }, omega,
                head.queries, head.keys));
        };
        // The first 8 tokens' features are positive; 8 to 15 are fitted to 0 to 7, 16 to 29 to 0 to 15.
        Points prefix = through(0);
        for (const Index first : {8, 16})
            prefix.bottomRows(30 - first) =
                through(best_a_of(head.queries.topRows(first), head.keys.topRows(first))).bottomRows(30 - first);
        const Points weights[] = {through(0), prefix, through(best_a_of(previous.queries, previous.keys)),
                                  through(best_a_of(head.queries, head.keys))};
        for (std::size_t m = 0; m < 4; ++m) {
            INFO("method " << m << ", " << columns << " columns");
            CHECK(values(data, "relative_output_error")[2 * m + k] ==
                  Approx((weighted(weights[m], head.values) - exact).norm() / exact.norm()).epsilon(1e-6));
        }
    }
}

TEST_CASE("attention/negative: shares are those of rows of dense matrices whose sums are not positive",
          "[experiments]") {
    const Study& study = find("attention", "negative");
    const config::Value config =
        parsed(study,
               "methods: [trigonometric, positive]\nsamplings: [iid, orthogonal]\n"
               "heads: {use: normal, dimension: 3, length: 40, scales: 1.5}\ncolumns: [4, 12]\nrepeats: 2\n");
    const Sweep sweep = study.prepare(config);
    const Stream seed = study_stream(config, "attention/negative").child(1);
    const Head head = drawn(40, 3, 1.5, seed.child("head").child(3));
    for (const char* scheme : {"iid", "orthogonal"}) {
        const auto parts = [&](const char* method) {
            return std::vector<std::string>{method, std::string("sampling=") + scheme, "repeat=1"};
        };
        const auto data = computed(sweep, parts("method=trigonometric"));
        for (std::size_t k : {0, 1}) {
            const Index columns = k == 0 ? 4 : 12;
            const Projections omega = omegas(3, columns / 2, scheme,
                                             seed.child("features")
                                                 .child("trigonometric")
                                                 .child(scheme)
                                                 .child(static_cast<std::uint64_t>(columns))
                                                 .child(3));
            const Points weights = softmax_kernel(trigonometric, omega, head.queries, head.keys);
            double rows = 0;
            for (Index i = 0; i < 40; ++i) rows += weights.row(i).sum() <= 0;
            CHECK(rows > 0);
            CHECK(values(data, "nonpositive")[k] == Approx(rows / 40).epsilon(1e-12));
        }
        CHECK(values(computed(sweep, parts("method=positive")), "nonpositive") == std::vector<double>{0, 0});
    }
}

TEST_CASE("attention/negative: columns without a repeat, as of a sweep that is not finished, have no share",
          "[experiments]") {
    const double nan = std::nan("");
    const store::Dataset data{
        {{"head", std::vector<std::string>{"h"}, "", ""},
         {"method", std::vector<std::string>{"trigonometric"}, "", ""},
         {"sampling", std::vector<std::string>{"iid"}, "", ""},
         {"repeat", std::vector<double>{0, 1}, "", ""},
         {"columns", std::vector<double>{8, 16}, "", ""}},
        {{"nonpositive", {"head", "method", "sampling", "repeat", "columns"}, {0.25, nan, 0.75, nan}, "", ""}},
        {}};
    const Report report = find("attention", "negative").report(data);
    const report::Series& series = report.figures.at(0).panels.at(0).series.at(0);
    CHECK(series.y[0] == 0.5);
    CHECK(series.low[0] < 0.5);
    CHECK(std::isnan(series.y[1]));
    CHECK(std::isnan(series.low[1]));
}

TEST_CASE("attention/depth: every layer's error and denominators are those of two paths through dense matrices",
          "[experiments]") {
    const Study& study = find("attention", "depth");
    const config::Value config = parsed(study,
                                        "methods: [trigonometric]\nsamplings: [iid]\nlength: 10\nlayers: 3\nheads: 2\n"
                                        "hidden: 6\nfeed_forward: 5\ngain: 1.5\ncolumns: [6]\nrepeats: 2\n");
    const auto data = computed_at(study.prepare(config), "repeat=1");
    const Stream seed = study_stream(config, "attention/depth").child(1);
    const networks::RandomLayers layers({3, 2, 6, 5}, 1.5, seed.child("weights"));
    Points exact = normal_points(seed.child("tokens"), 10, 6), estimate = exact;
    double any = 0;
    for (Index layer = 0; layer < 3; ++layer) {
        double rows = 0;
        attention::Outcome ignored;
        exact = layers.layer(
            layer, exact,
            [](Index, Index, const attention::Inputs<double>& in, Points& out) {
                out = weighted(softmax_kernel(in.queries, in.keys), in.values);
                return attention::Outcome();
            },
            ignored);
        estimate = layers.layer(
            layer, estimate,
            [&](Index r, Index head, const attention::Inputs<double>& in, Points& out) {
                const Stream own = seed.child("features").child("trigonometric").child("iid");
                const Projections omega = omegas(
                    3, 3, "iid", own.child(static_cast<std::uint64_t>(r)).child(static_cast<std::uint64_t>(head)));
                const Points weights = softmax_kernel(trigonometric, omega, in.queries, in.keys);
                for (Index i = 0; i < 10; ++i) rows += weights.row(i).sum() <= 0;
                out = weighted(weights, in.values);
                return attention::Outcome();
            },
            ignored);
        const auto at = static_cast<std::size_t>(layer);
        CHECK(values(data, "relative_error")[at] == Approx((estimate - exact).norm() / exact.norm()).epsilon(1e-6));
        CHECK(values(data, "nonpositive")[at] == Approx(rows / 20).epsilon(1e-12));
        any += rows;
    }
    CHECK(any > 0);
}

namespace {

std::atomic<int> runs;

/// Takes 4 ms at least, holds a megabyte beside its output, and counts how often it runs.
class Sleeper final : public attention::Method {
public:
    bool can_be_causal() const override { return false; }
    bool can_cross() const override { return true; }
    attention::Outcome attend(const attention::Inputs<double>&, attention::Visible, Rows<double>&) const override {
        throw std::logic_error("times are of float");
    }
    attention::Outcome attend(const attention::Inputs<float>& in, attention::Visible, Rows<float>& out) const override {
        ++runs;
        const std::vector<char> held(1 << 20, 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
        out.setConstant(in.queries.rows(), in.values.cols(), static_cast<float>(held.back()));
        return {};
    }
};

class SleeperMethod final : public experiments::Method, public Outputs {
public:
    const Outputs* outputs() const override { return this; }
    bool attends_causally() const override { return false; }
    std::unique_ptr<attention::Method> attention(const AttentionSize&, const sampling::Scheme&,
                                                 const Stream&) const override {
        return std::make_unique<Sleeper>();
    }
};

}  // namespace

TEST_CASE("cost/attention: seconds and bytes are those of one run, as a method of known cost has them",
          "[experiments]") {
    static const bool added = [] {
        add_method({.name = "sleeper",
                    .summary = "sleeps",
                    .reference = "a test",
                    .keys = {},
                    .abilities = abilities_of(SleeperMethod()),
                    .drawn = false,
                    .budgeted = false,
                    .make = [](const config::Value&) -> std::shared_ptr<const experiments::Method> {
                        return std::make_shared<SleeperMethod>();
                    }});
        return true;
    }();
    REQUIRE(added);
    const Study& study = find("cost", "attention");
    const Sweep sweep = study.prepare(parsed(study,
                                             "methods: [sleeper]\nlengths: [2048]\ndimension: 8\nthreads: [1]\n"
                                             "repeats: 3\nmin_seconds: 0.02\nmax_seconds: 100\n"));
    runs = 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto data = computed(sweep, sweep.cells().front());
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto seconds = report::slice(data, "seconds", {{"visible", "all"}}).values;
    // One run that is new to everything, one more, and three samples of as many as 20 ms take.
    REQUIRE(runs >= 2 + 3);
    REQUIRE(runs <= 2 + 3 * 5);
    const double in_a_sample = (runs - 2) / 3.0;
    double sum = 0;
    for (const double one : seconds) {
        CHECK(one >= 0.004);
        sum += one;
    }
    CHECK(sum * in_a_sample < elapsed);
    // The state, and the output of 2048 x 8 floats; the allocator rounds each up.
    const double bytes = report::slice(data, "peak_bytes", {{"visible", "all"}}).values[0],
                 held = (1 << 20) + 2048 * 8 * 4;
    CHECK(bytes >= held);
    CHECK(bytes < held + 2 * (4096 + 64));
    CHECK(std::isnan(report::slice(data, "peak_bytes", {{"visible", "causal"}}).values[0]));
}

TEST_CASE("cost/attention: intervals of exponents, crossings and ratios are Student's over rounds", "[experiments]") {
    // exact takes 1e-9 L^(2 + g / 10) seconds in round g = -1, 0, 1, linear 1e-6 L.
    const std::vector<double> lengths{256, 512, 1024, 2048, 4096}, groups{-1, 0, 1};
    store::Dataset data{{{"threads", std::vector<double>{1}, "", ""},
                         {"length", lengths, "", ""},
                         {"method", std::vector<std::string>{"exact", "linear"}, "", ""},
                         {"visible", std::vector<std::string>{"all"}, "", ""},
                         {"repeat", std::vector<double>{0, 1, 2}, "", ""}},
                        {},
                        {}};
    store::Variable seconds{"seconds", {"threads", "length", "method", "visible", "repeat"}, {}, "s", ""};
    for (const double length : lengths)
        for (const bool exact : {true, false})
            for (const double group : groups)
                seconds.values.push_back(exact ? 1e-9 * std::pow(length, 2 + group / 10) : 1e-6 * length);
    data.variables = {
        seconds,
        {"peak_bytes", {"threads", "length", "method", "visible"}, std::vector<double>(10, 1024), "B", ""},
        {"pass", {"threads", "length", "method"}, std::vector<double>(10, 0), "", ""},
        {"exact", {"threads", "length", "method"}, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0}, "", ""}};
    const auto interval = [&](auto value) {
        const double low = value(-0.1), middle = value(0), high = value(0.1), mean = (low + middle + high) / 3;
        const double squares = std::pow(low - mean, 2) + std::pow(middle - mean, 2) + std::pow(high - mean, 2);
        // 4.302653 is Student's quantile of 0.975 with two degrees of freedom.
        return report::Estimate{mean, 4.302653 * std::sqrt(squares / 2 / 3)};
    };
    const auto check = [](const report::Entry& entry, const report::Estimate& expected) {
        CHECK(std::get<report::Estimate>(entry).value == Approx(expected.value).epsilon(1e-6));
        CHECK(std::get<report::Estimate>(entry).error == Approx(expected.error).epsilon(1e-6));
    };
    const Report report = cost_report(data);
    check(report.tables[0].rows[0].entries[6], interval([](double g) { return 2 + g; }));
    const auto& row = report.tables[1].rows[0].entries;
    check(row[4], interval([](double g) { return std::pow(1000, 1 / (1 + g)); }));
    check(row[6], interval([](double g) { return 1e-3 * std::pow(4096, 1 + g); }));
}
