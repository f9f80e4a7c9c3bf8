// The studies of learned features on small configurations.
#include <omp.h>

#include <cmath>

#include "catch.hpp"
#include "learned/methods.hpp"
#include "learned/studies.hpp"
#include "parsed.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::tests;

namespace {

const char* const match_yaml =
    "methods: [softmax, positive, optimal-positive, trigonometric, elu+1, {name: learned, output: elu+1, channels: 4, "
    "hidden: 6}, bank]\n"
    "length: 24\ndimension: 4\ncolumns: 16\nscales: [0.5, 2]\ntraining: 12\nheld_out: 6\nsteps: 80\nrate: "
    "0.02\nsamples: 2\n";

const char* const classify_yaml =
    "methods: [softmax, positive, {name: learned, channels: 4}, {name: learned, label: frozen, channels: 4, "
    "fixed_projections: true}]\n"
    "tasks: [recall]\nrecall: {pairs: 3, keys: 4, values: 2, examples: 60}\ndimension: 4\nembedding: 6\nvalues: "
    "5\ncolumns: 16\n"
    "equal: [features, parameters]\nsteps: 5\nsamples: 2\n";

double value(const store::Dataset& data, const char* name) { return data.variable(name).values.at(0); }

/// The stored channels are those of the stored parameters, and the density of what they are given has mass one.
void check_channels(const store::Dataset& data, const Method& method, Index dimension) {
    const auto& all = data.variable("head_parameters").values;
    const auto& inputs = data.variable("input").values;
    features::MapShape shape = method.shape;
    shape.dimension = dimension;
    const Vector parameters = Eigen::Map<const Vector>(all.data(), shape.parameters());
    REQUIRE(parameters.allFinite());
    Points values;
    shape.channels->evaluate(parameters.tail(shape.channels->parameters()),
                             Eigen::Map<const Vector>(inputs.data(), static_cast<Index>(inputs.size())), values);
    double mass = 0;
    for (std::size_t b = 0; b < inputs.size(); ++b) {
        mass += data.variable("input_density").values[b] * (inputs[1] - inputs[0]);
        for (Index l = 0; l < values.cols(); ++l)
            CHECK(data.variable("channel_value").values[static_cast<std::size_t>(l) * inputs.size() + b] ==
                  values(static_cast<Index>(b), l));
    }
    CHECK(mass == Approx(1).epsilon(1e-9));
}

}  // namespace

TEST_CASE("learned/match: softmax matches itself, training helps, and what was learned is in the result") {
    const Study study = match_study();
    const config::Value config = parsed(study, match_yaml);
    const Sweep sweep = study.prepare(config);
    const auto all = methods(config);
    CHECK(sweep.cells.size() == 2 * 7 * 2);
    for (const engine::Cell& cell : sweep.cells) {
        INFO(cell.key);
        const store::Dataset data = sweep.compute(cell);
        const Method& method = all[cell.coordinates[1]];
        if (method.name == "softmax") CHECK(value(data, "error") < 1e-14);
        if (method.name == "positive" || method.name == "elu+1") CHECK(value(data, "nonpositive") == 0);
        CHECK(std::isnan(data.variable("loss").values[0]) == !method.trained());
        if (!method.trained()) {
            CHECK(value(data, "error") == value(data, "before"));
            CHECK(value(data, "trained") == 0);
            continue;
        }
        CHECK(value(data, "columns") == 16);
        if (method.name == "learned") {
            CHECK(value(data, "error") < value(data, "before"));
            CHECK(value(data, "trained") == 4 * 4 + 4 + 4 * 19);
        }
        check_channels(data, method, 4);
    }
}

TEST_CASE("learned/classify: equal parameters are the fewest that are enough; cells have the same bits again") {
    const Study study = classify_study();
    const config::Value config = parsed(study, classify_yaml);
    const Sweep sweep = study.prepare(config);
    const auto all = methods(config);
    // Embedding and positions, queries and keys, then per value column 6 + 2, and the shift of two classes.
    const double layer = (7 + 4) * 6 + 6 * 8 + 5 * 8 + 2, network = 4 * 4 + 4 + 4 * 49;
    for (const engine::Cell& cell : sweep.cells) {
        INFO(cell.key);
        const store::Dataset data = sweep.compute(cell);
        const Method& method = all[cell.coordinates[2]];
        const double own = method.label == "learned" ? network : method.label == "frozen" ? network - 20 : 0;
        if (cell.coordinates[1] == 0) {
            CHECK(value(data, "trained") == layer + own);
            CHECK(value(data, "value_columns") == 5);
        } else {
            CHECK(value(data, "trained") >= layer + network);
            CHECK(value(data, "trained") < layer + network + 8);
        }
        CHECK(value(data, "accuracy") >= 0);
        CHECK(value(data, "accuracy") <= 1);
        if (method.trained()) check_channels(data, method, 4);
        if (cell.coordinates[1] + cell.coordinates[3] > 0) continue;
        omp_set_num_threads(2);
        const store::Dataset again = sweep.compute(cell);
        omp_set_num_threads(omp_get_num_procs());
        CHECK(again.variable("loss").values == data.variable("loss").values);
        CHECK(value(again, "accuracy") == value(data, "accuracy"));
    }
}

TEST_CASE("learned: methods that cannot be are refused where they stand") {
    const Study study = match_study();
    const auto refused = [&](const std::string& list) {
        try {
            study.prepare(parsed(study, "methods: " + list + "\nlength: 8\nsteps: 1\nsamples: 2\n"));
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(contains(refused("[learned, learned]"), "test.yaml:3"));
    CHECK(contains(refused("[learned, {name: learned, channels: 4}]"),
                   "the label 'learned' is taken by an earlier method"));
    CHECK(contains(refused("[{name: positive, channels: 4}]"), "'positive' is not trained and takes no channels"));
    CHECK(contains(refused("[{name: learned, channels: 7}]"), "columns, 64, are not a multiple of the channels, 7"));
    CHECK(contains(refused("[learnt]"), "learned"));
}
