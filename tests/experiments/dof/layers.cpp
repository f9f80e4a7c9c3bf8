// The study dof/layers: degrees of freedom of heads.

#include "catch.hpp"
#include "experiments/given_results.hpp"
#include "support/decompositions.hpp"
#include "written_out.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::written_out;
using rfbench::tests::contains;

namespace {

const Study& study() { return find("dof", "layers"); }

}  // namespace

TEST_CASE("heads whose spectrum falls faster, or whose scale is smaller, have fewer degrees of freedom",
          "[experiments]") {
    const Sweep sweep = prepared(study(), small_heads + "points: [96]\nlambdas: [0.1, 1]\n");
    CHECK(sweep.cells().size() == 4);
    const auto degrees = [&](const char* layer, const char* head) {
        return values(computed(sweep, {layer, head}), "degrees");
    };
    const auto flat = degrees("layer=1", "head=1"), steep = degrees("layer=1", "head=2"),
               small = degrees("layer=2", "head=1");
    for (std::size_t l = 0; l < 2; ++l) {
        CHECK(steep[l] < flat[l]);
        CHECK(small[l] < flat[l]);
    }
    CHECK(flat[1] < flat[0]);
    CHECK(computed(sweep, {"layer=1", "head=1"}).variable("degrees_undivided").values[0] > flat[0]);
    CHECK(flat == degrees("layer=1", "head=1"));
}

TEST_CASE("dof/layers: more points than there are queries and keys are refused with their place", "[experiments]") {
    CHECK(contains(refused(study(), small_heads + "points: [64, 500]\n"), "4 sequences have 192 queries and keys"));
}

TEST_CASE("dof/layers: degrees of freedom are traces of written-out Gram matrices", "[experiments]") {
    const std::string yaml = small_heads + "points: [40, 96]\nlambdas: [0.1, 1]\n";
    const Sweep sweep = prepared(study(), yaml);
    const Stream seed = Stream(1).child("dof/layers");
    const auto source = head_source(parsed(study(), yaml), seed);
    for (const Index count : {40, 96}) {
        const auto data = computed(sweep, {"layer=2", "head=1", "points=" + std::to_string(count)});
        const Points points = source->sample(1, 0, 4, count, seed.child("sample").child(1).child(std::uint64_t{0}));
        // Nothing is taken twice.
        for (Index i = 1; i < count; ++i)
            CHECK((points.topRows(i).rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff() > 0);
        const Eigen::MatrixXd gram = (points * points.transpose() / 2).array().exp();
        const auto degrees = [&](double ridge) {
            Eigen::MatrixXd regularised = gram;
            regularised.diagonal().array() += ridge;
            return (gram * tests::inverse(regularised)).trace();
        };
        const auto j = static_cast<double>(count);
        for (std::size_t l : {0, 1}) {
            const double lambda = l == 0 ? 0.1 : 1;
            CHECK(values(data, "degrees")[l] == Approx(degrees(j * lambda)).epsilon(1e-9));
            CHECK(values(data, "degrees_undivided")[l] == Approx(degrees(lambda)).epsilon(1e-9));
        }
        CHECK(value(data, "log_trace") == Approx(std::log(gram.trace() / j)).epsilon(1e-12));
        CHECK(value(data, "head_size") == 4);
    }
}

TEST_CASE("dof/layers: tables are of the largest sample", "[experiments]") {
    using namespace given_results;
    const std::vector<store::Axis> axes{numbers("layer", {1, 2}), numbers("head", {1, 2}), numbers("points", {8, 16}),
                                        numbers("lambda", {0.1})};
    const store::Dataset data{axes,
                              {variable("degrees", axes, {1, 2, 3, 4, 5, 6, 7, 8}),
                               variable("degrees_undivided", axes, {1}),
                               {"head_size", {}, {4}, "", ""}},
                              {}};
    const report::Table degrees = table(study().report(data), "layers-degrees");
    REQUIRE(degrees.rows.size() == 2);
    for (std::size_t layer : {0, 1})
        for (std::size_t head : {0, 1}) {
            const double of_sixteen = static_cast<double>(4 * layer + 2 * head + 2);
            CHECK(std::get<double>(degrees.rows[layer].entries[2 + head]) == of_sixteen);
        }
}
