// The study dof/learned: features that are trained on the sequences of a head.
#include "catch.hpp"
#include "written_out.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::written_out;

namespace {

const Study& study() { return find("dof", "learned"); }

}  // namespace

TEST_CASE("learned features are in the result, with the losses on the way to them", "[experiments]") {
    const Sweep sweep = prepared(study(), small_heads + "columns: 6\nsteps: 30\nmethods: [learned-points]\n");
    const store::Dataset data = computed(sweep, sweep.cells().front());
    check(data);
    CHECK(data.variable("points").values.size() == 24);
    CHECK(data.variable("log_weights").values.size() == 6);
    CHECK(data.variable("loss").values.size() == 30);
    CHECK(value(data, "after") < value(data, "before"));
}

TEST_CASE("dof/learned: the losses are those of the features that are kept, and of those it began with",
          "[experiments]") {
    const std::string yaml = small_heads + "columns: 6\nsteps: 20\n";
    const Sweep sweep = prepared(study(), yaml);
    const auto source = head_source(parsed(study(), yaml), Stream(1).child("dof/learned"));
    const dof::WeightedFeatures start{normal(4, 6, "orthogonal", own_stream("dof/learned", 1, 0)), Vector::Zero(6)};
    for (const bool squared : {true, false}) {
        const auto data =
            computed(sweep, {"layer=2", "head=1", squared ? "method=learned-squared" : "method=learned-softmax"});
        dof::WeightedFeatures kept{Projections(4, 6), Vector(6)};
        for (Index l = 0; l < 4; ++l)
            for (Index m = 0; m < 6; ++m)
                kept.points(l, m) = data.variable("points").values[static_cast<std::size_t>(6 * l + m)];
        for (Index m = 0; m < 6; ++m) kept.log_weights[m] = values(data, "log_weights")[static_cast<std::size_t>(m)];
        const auto mean = [&](const dof::WeightedFeatures& features) {
            double sum = 0;
            for (Index i = 0; i < 4; ++i) {
                const HeadSequence one = source->sequence(1, 0, i);
                const Points exact = causal_kernel(one.tokens.queries, one.tokens.keys);
                const Points estimate = causal_estimate(one, features);
                sum += (squared ? kernel_loss(exact, estimate) : divergence(exact, estimate)) / 4;
            }
            return sum;
        };
        CHECK(value(data, "before") == Approx(mean(start)).epsilon(1e-9));
        CHECK(value(data, "after") == Approx(mean(kept)).epsilon(1e-9));
        CHECK(value(data, "after") < value(data, "before"));
        CHECK(values(data, "loss").size() == 20);
    }
    CHECK_THROWS_WITH(prepared(study(), small_heads + "methods: [fitted-weights]\n"),
                      Catch::Contains("'fitted-weights' is not trained on the sequences of a head"));
}

TEST_CASE("dof: points of a head are found, not held", "[experiments]") {
    const std::string held = "methods: [{use: learned-points, points_held: true}]\n";
    const std::string refusal = "layers of a network may hold points";
    CHECK(tests::contains(refused(study(), small_heads + held), refusal));
    CHECK(tests::contains(refused(find("dof", "error"), small_heads + "points: 64\n" + held), refusal));
    CHECK_NOTHROW(prepared(study(), small_heads + "methods: [{use: learned-points, points_held: false}]\n"));
}

TEST_CASE("dof: features are not trained on heads that are drawn without end", "[experiments]") {
    const std::string endless = "heads: {use: normal, dimension: 4, length: 256", more = "}\nmethods: ";
    for (const Study* trained : {&study(), &find("dof", "error")}) {
        CHECK_THROWS_WITH(
            prepared(*trained, endless + more + "[learned-points]\n"),
            Catch::Contains("heads: features are trained on all sequences, and of this source there is no "
                            "end; say how many there are by 'sequences'"));
        CHECK(prepared(*trained, endless + ", sequences: 4" + more + "[learned-points]\n").cells().size() > 0);
    }
    // Drawn features need only some points of them.
    CHECK(prepared(find("dof", "error"), endless + more + "[positive]\n").cells().size() > 0);
}
