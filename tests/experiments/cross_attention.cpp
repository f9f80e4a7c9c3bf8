// Keys and values of other tokens than queries, in every study on heads and every source that can have them.
#include <fmt/format.h>

#include <cmath>

#include "attention/heads.hpp"
#include "catch.hpp"
#include "cells.hpp"
#include "datasets/scene.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "sources/heads.hpp"
#include "sources/point_sets.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using rfbench::tests::contains;

namespace {

/// 5 queries and 7 keys of two heads.
const std::string drawn = "{use: normal, dimension: 3, length: 5, key_length: 7, scales: [0.5, 1], sequences: 4}";

std::string counted_from(std::size_t count, double first) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(first + 0.125 * static_cast<double>(i));
    return scene::bytes_of(values);
}

/// [head, sequence, token, d] = 2 x 2 x 2 x 1 queries, 2 x 2 x 3 x 1 keys and 2 x 2 x 3 x 2 values.
std::vector<std::pair<std::string, std::string>> crossing() {
    return {{"queries.npy", scene::npy("<f8", "2, 2, 2, 1", counted_from(8, 0))},
            {"keys.npy", scene::npy("<f8", "2, 2, 3, 1", counted_from(12, 10))},
            {"values.npy", scene::npy("<f8", "2, 2, 3, 2", counted_from(24, 20))}};
}

std::shared_ptr<const HeadSource> source_of(const std::string& entry) {
    return head_source(parsed(find("dof", "layers"), "heads: " + entry + "\npoints: 4\nlambdas: 1\n"), Stream(1));
}

}  // namespace

TEST_CASE("a file may have other numbers of keys than of queries, each with its own padding", "[experiments]") {
    const tests::TemporaryFolder folder;
    auto members = crossing();
    const std::string file = folder.write("h.npz", scene::zipped(members));
    const auto plain = source_of("{use: file, file: " + file + "}");
    CHECK((plain->crosses() && plain->length() == 2 && plain->key_length() == 3 && plain->points() == 10));
    CHECK(plain->notes() ==
          std::vector<std::string>{file + ": 1 layer of 2 heads, 2 sequences of 2 queries and 3 keys, d = 1"});
    const HeadSequence one = plain->sequence(0, 1, 0);
    CHECK(one.tokens.queries == (Points(2, 1) << 0.5, 0.625).finished());
    CHECK(one.tokens.keys == (Points(3, 1) << 10.75, 10.875, 11).finished());
    CHECK(one.values.rows() == 3);

    const std::vector<std::int64_t> of_keys{1, 1, 0, 0, 1, 1}, of_queries{1, 1, 0, 1};
    members.emplace_back("attention_mask.npy", scene::npy("<i8", "2, 3", scene::bytes_of(of_keys)));
    const auto keys_alone =
        source_of("{use: file, file: " + folder.write("k.npz", scene::zipped(members)) + "}")->sequence(0, 1, 0);
    CHECK((keys_alone.tokens.queries.rows() == 2 && keys_alone.tokens.keys.rows() == 2));
    members.emplace_back("query_mask.npy", scene::npy("<i8", "2, 2", scene::bytes_of(of_queries)));
    const auto both = source_of("{use: file, file: " + folder.write("b.npz", scene::zipped(members)) + "}");
    CHECK((both->tokens(1) == 1 && both->key_tokens(1) == 2 && both->points() == 2 + 2 + 1 + 2));
    CHECK(both->sequence(0, 0, 1).tokens.queries(0, 0) == 0.375);
    CHECK(both->sequence(0, 0, 1).tokens.keys(0, 0) == 10.5);
    CHECK(both->sequence(0, 0, 1).values.row(0) == (Points(1, 2) << 21, 21.125).finished());

    // Values belong to keys; all else than tokens is alike.
    members = crossing();
    members[2].second = scene::npy("<f8", "2, 2, 2, 1", counted_from(8, 0));
    const std::string wrong = folder.write("w.npz", scene::zipped(members));
    CHECK_THROWS_WITH(source_of("{use: file, file: " + wrong + "}"),
                      Catch::Contains(":values: is 1 x 2 x 2 x 2 x 1 [layer, head, sequence, token, d]; keys are "
                                      "1 x 2 x 2 x 3 x 1"));
}

TEST_CASE("drawn heads may have other numbers of keys; queries are those of heads without", "[experiments]") {
    for (const std::string kind : {"normal", "decaying"}) {
        const std::string front = "{use: " + kind + ", dimension: 3, length: 5, sequences: 2, scales: 0.5";
        const HeadSequence cross = source_of(front + ", key_length: 7}")->sequence(0, 0, 1);
        const HeadSequence own = source_of(front + "}")->sequence(0, 0, 1);
        CHECK((cross.tokens.keys.rows() == 7 && cross.values.rows() == 7));
        CHECK(cross.tokens.queries == own.tokens.queries);
        CHECK(cross.tokens.keys.topRows(5) == own.tokens.keys);
    }
    const Study& regimes = find("variance", "regimes");
    CHECK_NOTHROW(prepared(
        regimes, "methods: [positive]\nrows: 16\nrepeats: 2\ngammas: 1\npoints: {use: heads, heads: " + drawn + "}\n"));
}

TEST_CASE("attention/error and negative: errors over all queries and all keys", "[experiments]") {
    const std::string yaml =
        "methods: [positive, trigonometric]\nsamplings: iid\ncolumns: 8\nrepeats: 2\nheads: " + drawn + "\n";
    const Study &error = find("attention", "error"), &negative = find("attention", "negative");
    const config::Value config = parsed(error, yaml);
    const Sweep sweep = error.prepare(config), shares = prepared(negative, yaml);
    const HeadSweep heads(config, "attention/error", error.methods);
    for (const engine::Cell& cell : sweep.cells()) {
        INFO(cell.key);
        const HeadCell own(heads, sweep.point(cell.coordinates));
        const HeadSequence& head = own.head();
        const double root = std::sqrt(3.0);
        const Points kernel = (head.tokens.queries * head.tokens.keys.transpose() / root).array().exp();
        REQUIRE((kernel.rows() == 5 && kernel.cols() == 7));
        const Points exact = (kernel.array().colwise() / kernel.rowwise().sum().array()).matrix() * head.values;
        Points out;
        const auto outcome = attention::linear<double>(*own.map(), head.inputs(), attention::Visible::all, out);
        const store::Dataset data = computed(sweep, cell);
        // One of five queries is a fifth of them, whatever the number of keys.
        CHECK(value(data, "nonpositive") == static_cast<double>(outcome.nonpositive) / 5);
        CHECK(value(data, "output_mse") == Approx((out - exact).squaredNorm() / 15).epsilon(1e-9));
        CHECK(value(data, "relative_output_error") == Approx((out - exact).norm() / exact.norm()).epsilon(1e-9));
        const double size = (kernel.array().colwise() / kernel.rowwise().sum().array()).matrix().norm();
        const double whole = value(data, "relative_matrix_error") * size;
        CHECK(value(data, "matrix_mse") == Approx(whole * whole / 35).epsilon(1e-9));
    }
    for (const engine::Cell& cell : shares.cells()) {
        const double fifths = 5 * value(computed(shares, cell), "nonpositive");
        CHECK(fifths == std::round(fifths));
    }
}

TEST_CASE("every method attends to keys of other tokens, or is refused at its place", "[experiments]") {
    const Study& study = find("quasi", "attention");
    std::vector<std::string> refused_ones;
    std::size_t attended = 0;
    for (const MethodInfo& info : method_catalogue()) {
        // "sleeper" is a method of another test, whose outputs are none.
        if (!info.abilities.contains(Ability::attention) || info.name == "sleeper") continue;
        INFO(info.name);
        const auto yaml = [&](const std::string& heads) {
            const std::string entry = info.drawn ? "{use: " + info.name + ", sampling: iid}" : info.name;
            return "methods:\n- " + entry + "\ncolumns: 4\nrepeats: 2\nheads: " + heads + "\n";
        };
        // Those that need keys of their own, or d of another kind, are not asked.
        if (refused(study, yaml("{use: normal, dimension: 4, length: 6}")) != "accepted") continue;
        const std::string heads = "{use: normal, dimension: 4, length: 6, key_length: 9}";
        const std::string answer = refused(study, yaml(heads));
        if (answer != "accepted") {
            CHECK(contains(answer,
                           "test.yaml:4:3: methods.0: '" + info.name + "' takes queries and keys of the same tokens"));
            refused_ones.push_back(info.name);
            continue;
        }
        ++attended;
        const Sweep sweep = prepared(study, yaml(heads));
        const store::Dataset data = computed(sweep, sweep.cells().front());
        CHECK(std::isfinite(value(data, "relative_output_error")));
        CHECK(value(data, "relative_uniform_error") > 0);
    }
    CHECK(attended > 20);
    CHECK(refused_ones == std::vector<std::string>{"copy", "cosformer", "window"});
    const auto shared = "methods:\n- {use: lsh, shared: true}\ncolumns: 4\nrepeats: 2\nheads: " + drawn + "\n";
    CHECK(contains(refused(study, shared), "'lsh' takes queries and keys of the same tokens"));
}

TEST_CASE("other studies on heads take such heads, and causal ones refuse them at their place", "[experiments]") {
    const Study& match = find("learned", "match");
    const Sweep trained = prepared(match,
                                   "methods: [luna, positive, linformer, nystrom]\ndimension: 3\ncolumns: 8\nsteps: 2\n"
                                   "batch: 1\ntraining: 2\nheld_out: 1\nrepeats: 2\nheads: " +
                                       drawn + "\n");
    for (const engine::Cell& cell : trained.cells()) {
        INFO(cell.key);
        CHECK(std::isfinite(value(computed(trained, cell), "error")));
    }
    const Sweep degrees = prepared(find("dof", "layers"), "points: 48\nlambdas: 1\nheads: " + drawn + "\n");
    CHECK(value(computed(degrees, degrees.cells().front()), "degrees") > 0);
    // Four sequences have 4 (5 + 7) points.
    CHECK(contains(refused(find("dof", "layers"), "points: 49\nlambdas: 1\nheads: " + drawn + "\n"), "48"));

    const std::tuple<const char*, const char*, std::string> causal[] = {
        {"attention", "causal", "methods: [positive]\ncolumns: 8\nrepeats: 2\n"},
        {"attention", "precision", "methods: [positive]\ncolumns: 8\nrepeats: 2\nformats: bfloat16\npositions: 4\n"},
        {"dof", "error", "points: 8\n"},
        {"dof", "learned", "columns: 8\n"}};
    for (const auto& [experiment, study, yaml] : causal) {
        INFO(study);
        const std::string answer = refused(find(experiment, study), "heads: " + drawn + "\n" + yaml);
        CHECK(contains(answer, "test.yaml:3:8: heads"));
        CHECK(contains(answer, "(up to 5 queries, 7 keys), and this study is causal"));
    }
}
