// conversion/allocation on networks of a few hundred parameters.
#include <cmath>
#include <set>
#include <vector>

#include "catch.hpp"
#include "conversion/converted.hpp"
#include "conversions.hpp"
#include "rfbench/dof/allocation.hpp"

using namespace rfbench;
using namespace rfbench::conversions;

namespace {

const Study& allocation() { return find("conversion", "allocation"); }

constexpr const char* methods_of_all_losses =
    "exact, uniform, {use: positive, label: drawn}, {use: learned-points, loss: squared, label: squared}, "
    "{use: learned-points, label: softmax}, {use: learned-points, distil: direct, label: direct}, "
    "{use: learned-points, distil: direct, points_held: true, sampling: sphere-points, label: DiJiang}";

std::string all_losses(int steps) { return yaml(source(recall, steps), methods_of_all_losses) + "lambda: 0.01\n"; }

// Places on the axis of stages.
enum : std::size_t { at_swapped = 0, at_distilled = 2, at_tuned = 3 };

}  // namespace

TEST_CASE("conversion/allocation: each head has the features that its degrees of freedom are due", "[experiments]") {
    const Trained trained(source(recall, 20));
    const Sweep sweep = prepared(allocation(), all_losses(0));
    const auto at = [&](const char* strategy, const char* method) {
        return computed(sweep, {std::string("strategy=") + strategy, std::string("method=") + method, "seed=1"});
    };
    const auto fixed = at("Fix", "drawn");
    Eigen::ArrayXXd degrees(2, 2);
    for (Index i = 0; i < 4; ++i) degrees(i / 2, i % 2) = values(fixed, "degrees")[static_cast<std::size_t>(i)];
    REQUIRE(degrees(0, 0) != degrees(0, 1));
    const auto expect = [&](const char* strategy, const Eigen::ArrayXXi& dimensions) {
        INFO(strategy);
        // Heads that are fitted once, and those that are trained as they were swapped in.
        for (const char* method : {"drawn", "direct"}) {
            const auto data = at(strategy, method);
            for (Index i = 0; i < 4; ++i)
                CHECK(values(data, "columns")[static_cast<std::size_t>(i)] == dimensions(i / 2, i % 2));
            // Counted in the heads of the network itself.
            CHECK(value(data, "features") == dimensions.cast<double>().mean());
        }
    };
    expect("Fix", dof::allocate(degrees, dof::Allocation::fixed, 8));
    expect("DoF", dof::allocate(degrees, dof::Allocation::layers, 8));
    expect("DoF of each head", dof::allocate(degrees, dof::Allocation::heads, 8));
    const Eigen::ArrayXXi clipped = dof::allocate(degrees, dof::Allocation::clipped, 8, 8);
    expect("DoF + Clip", clipped);
    expect("Fix at clipped cost",
           Eigen::ArrayXXi::Constant(2, 2, static_cast<int>(std::lround(clipped.cast<double>().mean()))));
}

TEST_CASE("conversion/allocation: a sample of a head has every token alike, and each row once", "[experiments]") {
    constexpr Index sequences = 16, tokens = 32;
    std::vector<training::HeadSequence> head;
    for (Index s = 0; s < sequences; ++s) {
        // Coordinates say which row it is: the token, the sequence, and whether it is a key.
        Points queries(tokens, 3);
        for (Index t = 0; t < tokens; ++t) queries.row(t) << static_cast<double>(t), static_cast<double>(s), 0;
        Points keys = queries;
        keys.col(2).setOnes();
        head.push_back({queries, keys, queries});
    }
    constexpr Index count = 256;
    const Points sample = sample_of(head, count);
    REQUIRE(sample.rows() == count);
    std::set<std::vector<double>> rows;
    std::vector<Index> of_token(tokens, 0), of_sequence(sequences, 0);
    for (Index i = 0; i < count; ++i) {
        rows.insert({sample(i, 0), sample(i, 1), sample(i, 2)});
        ++of_token[static_cast<std::size_t>(sample(i, 0))];
        ++of_sequence[static_cast<std::size_t>(sample(i, 1))];
    }
    CHECK(rows.size() == count);
    CHECK(of_token == std::vector<Index>(tokens, count / tokens));
    // Sequences have 16 rows each in the mean, and none is left out.
    for (const Index own : of_sequence) CHECK(own >= count / sequences / 2);
    CHECK(std::abs(sample.col(2).mean() - 0.5) < 0.05);
    // All rows are taken where there are not more.
    CHECK(sample_of(head, 5000).rows() == 2 * sequences * tokens);
}

TEST_CASE("conversion/allocation: all losses begin at the same features", "[experiments]") {
    const Trained trained(source(recall, 20));
    const Sweep sweep = prepared(allocation(), all_losses(2));
    const auto at = [&](const char* method) {
        return computed(sweep, {"strategy=Fix", std::string("method=") + method, "seed=0"});
    };
    const auto squared = at("squared"), softmax = at("softmax"), direct = at("direct"), weights = at("DiJiang");
    CHECK(values(squared, "loss")[at_swapped] == values(direct, "loss")[at_swapped]);
    CHECK(values(softmax, "loss")[at_swapped] == values(direct, "loss")[at_swapped]);
    // Points and weights are trained in each way, to other ends.
    CHECK(values(squared, "loss")[at_distilled] != values(softmax, "loss")[at_distilled]);
    CHECK(values(direct, "loss")[at_distilled] != values(softmax, "loss")[at_distilled]);
    CHECK(values(direct, "acts") == std::vector<double>{1, 0, 1, 1});
    CHECK(values(softmax, "acts") == std::vector<double>{1, 1, 0, 1});
    for (const auto* one : {&direct, &weights}) CHECK(values(*one, "moved")[at_distilled] > 0);
}

TEST_CASE("conversion/allocation: the network's loss trains features, and no projection", "[experiments]") {
    const Trained trained(source(recall, 20));
    const Sweep sweep = prepared(
        allocation(), yaml(source(recall, 2), "exact, uniform, {use: learned-points, distil: direct, kept: 1}"));
    const auto data = computed(sweep, {"strategy=Fix", "method=learned-points", "seed=0"});
    // Heads by stage, layer and head: the second layer stays softmax, and its projections the teacher's until tuned.
    const auto& errors = values(data, "output_error");
    CHECK(errors[4 * at_distilled] != errors[4 * at_swapped]);
    CHECK(errors[4 * at_distilled + 2] == 0);
    CHECK(errors[4 * at_distilled + 3] == 0);
    CHECK(errors[4 * at_tuned + 2] > 0);
}

TEST_CASE("conversion/allocation: controls are measured once, and recover all and nothing", "[experiments]") {
    const Trained trained(source(recall, 30));
    const std::string text = yaml(source(recall, 2), "exact, uniform, positive");
    for (const engine::Cell& cell : prepared(allocation(), text).cells())
        CHECK((has(cell, "method=positive") || has(cell, "strategy=Fix")));
    const report::Table table = allocation().report(collected(allocation(), text)).tables.at(0);
    CHECK(table.rows.size() == 2 + 5);
    for (std::size_t i = 0; i < 2; ++i) {
        const report::Row& row = table.rows.at(i);
        CHECK(report::entry_text(row.entries.at(1), {}) == "–");
        for (const std::size_t column : {6, 7})
            CHECK(std::get<report::Estimate>(row.entries.at(column)).value == (i == 0 ? 1 : 0));
    }
}

TEST_CASE("conversion/allocation: what it cannot convert is refused at its place", "[experiments]") {
    const Trained trained(source(recall, 2));
    CHECK(refused(allocation(), yaml(source(recall, 1), "exact, positive")).find("there is no 'uniform'") !=
          std::string::npos);
    CHECK(refused(allocation(), yaml(source(recall, 1), "exact, uniform")).find("no features to allot") !=
          std::string::npos);
    CHECK(refused(allocation(), yaml(source(recall, 1)) + "strategies: [DoF, Clip]\n").find("DoF + Clip") !=
          std::string::npos);
}
