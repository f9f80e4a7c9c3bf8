// The study dof/bound: how many features a theorem asks for, and what so many give.

#include "catch.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "support/decompositions.hpp"
#include "written_out.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::written_out;

namespace {

const Study& study() { return find("dof", "bound"); }

}  // namespace

TEST_CASE("the number of features that Theorem 3 asks for is run, or said to be too many", "[experiments]") {
    const Sweep sweep = prepared(study(), "errors: [0.03, 1]\nmost: 10000\nrepeats: 1\n");
    CHECK(computed(sweep, {"t=1", "form=printed"}).variable("features").values ==
          computed(sweep, {"t=1", "form=corrected"}).variable("features").values);
    CHECK(value(computed(sweep, {"t=0.03", "form=corrected"}), "features") > 100000);
    CHECK(std::isnan(value(computed(sweep, {"t=0.03", "form=corrected"}), "error")));
    CHECK(value(computed(sweep, {"t=1", "form=corrected"}), "error") < 1);
}

TEST_CASE("dof/bound: counts are the formulas', errors those of written-out operators", "[experiments]") {
    const Sweep sweep = prepared(study(), "errors: [0.5, 1]\nmost: 20000\nrepeats: 2\npoints: 10\nscale: 0.4\n");
    const Stream seed = Stream(1).child("dof/bound");
    Eigen::MatrixXd entries(2, 10);
    fill_normal(seed.child("points"), entries);
    const Points points = 0.4 * entries.transpose();
    const Eigen::MatrixXd gram = (points * points.transpose() / std::sqrt(2.0)).array().exp();
    const tests::Eigenpairs of_gram = tests::symmetric_eigenpairs(gram / 10);
    const Eigen::ArrayXd mu = of_gram.values;
    const double n = (mu / (mu + 0.05)).sum();
    for (const bool printed : {true, false}) {
        const double t = 0.5, divisor = printed ? t : t * t;
        const auto data = computed(sweep, {"t=0.5", printed ? "form=printed" : "form=corrected", "repeat=1"});
        const double count = std::ceil(4 * n / divisor * std::log(64 * n / (0.1 * divisor)));
        CHECK(value(data, "degrees") == Approx(n).epsilon(1e-9));
        CHECK(value(data, "features") == count);
        // The operators on functions of the ten points, each of weight 1/10.
        const Stream stream = seed.child("features").child("0.5").child(printed ? "printed" : "corrected").child(1);
        const auto features = dof::OptimalDensity(points, 0.05).draw(static_cast<Index>(count), stream);
        const Points phi = features_at(points, features);
        const Eigen::MatrixXd root = of_gram.with((mu + 0.05).rsqrt());
        const Eigen::MatrixXd apart = root * (gram - phi * phi.transpose()) / 10 * root;
        CHECK(value(data, "error") ==
              Approx(tests::symmetric_eigenpairs(apart).values.cwiseAbs().maxCoeff()).epsilon(1e-9));
    }
}
