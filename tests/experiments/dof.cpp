// The studies on degrees of freedom, on small configurations: what must hold of their results, and what is refused.
#include <cmath>

#include "catch.hpp"
#include "dof_studies.hpp"
#include "rfbench/config/error.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::dof_studies;

TEST_CASE("heads whose spectrum falls faster, or whose scale is smaller, have fewer degrees of freedom",
          "[experiments]") {
    const Sweep sweep = prepared(layers_study(), small_heads + "points: [96]\nlambdas: [0.1, 1]\n");
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

TEST_CASE("allocations cost the same, and learned features have smaller errors than drawn ones", "[experiments]") {
    const Sweep sweep =
        prepared(error_study(), small_heads + "columns: 12\npoints: 64\ntests: 1\nsteps: 60\nrepeats: 2\n");
    double fixed = 0, heads = 0;
    for (const engine::Cell& cell : sweep.cells()) {
        if (cell.key.find("method=iid,repeat=0") == std::string::npos) continue;
        const double features = value(computed(sweep, cell), "features");
        if (cell.key.find("allocation=Fix") != std::string::npos) fixed += features;
        if (cell.key.find("allocation=DoF of each head") != std::string::npos) heads += features;
    }
    CHECK(fixed == 48);
    CHECK(std::abs(heads - fixed) <= 2);  // rounding, a half for each of four heads
    const auto of = [&](const char* method, const char* variable) {
        return value(computed(sweep, {"layer=1", "head=1", "allocation=Fix", std::string("method=") + method}),
                     variable);
    };
    CHECK(of("learned-softmax", "divergence") < of("iid", "divergence"));
    // Same bits again, training included.
    CHECK(of("learned-squared", "divergence") == of("learned-squared", "divergence"));
}

TEST_CASE("learned features are in the result, with the losses on the way to them", "[experiments]") {
    const Sweep sweep = prepared(learned_study(), small_heads + "columns: 6\nsteps: 30\nmethods: [learned-points]\n");
    const store::Dataset data = computed(sweep, sweep.cells().front());
    check(data);
    CHECK(data.variable("points").values.size() == 24);
    CHECK(data.variable("log_weights").values.size() == 6);
    CHECK(data.variable("loss").values.size() == 30);
    CHECK(value(data, "after") < value(data, "before"));
}

TEST_CASE("the number of features that Theorem 3 asks for is run, or said to be too many", "[experiments]") {
    const Sweep sweep = prepared(bound_study(), "errors: [0.03, 1]\nmost: 10000\nrepeats: 1\n");
    CHECK(computed(sweep, {"t=1", "form=printed"}).variable("features").values ==
          computed(sweep, {"t=1", "form=corrected"}).variable("features").values);
    CHECK(value(computed(sweep, {"t=0.03", "form=corrected"}), "features") > 100000);
    CHECK(std::isnan(value(computed(sweep, {"t=0.03", "form=corrected"}), "error")));
    CHECK(value(computed(sweep, {"t=1", "form=corrected"}), "error") < 1);
}

TEST_CASE("more points than there are queries and keys are refused with their place", "[experiments]") {
    const auto refused = [](const Study& study, const std::string& yaml) {
        try {
            prepared(study, yaml);
        } catch (const config::Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refused(layers_study(), small_heads + "points: [64, 500]\n").find("4 sequences have 192 queries and keys") !=
          std::string::npos);
    CHECK(refused(error_study(), small_heads + "tests: 4\n").find("leave none to fit to") != std::string::npos);
}
