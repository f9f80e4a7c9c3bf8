#include "rfbench/dof/losses.hpp"

#include "catch.hpp"
#include "rfbench/dof/fitted_weights.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::dof;
using namespace rfbench::tests;
using attention::Visible;

TEST_CASE("losses and fits refuse sequences without tokens and points of another dimension") {
    const WeightedFeatures features{Projections(normal_points(3, 5, Stream(1))), Vector::Zero(5)};
    const auto map = features.map();
    const Points rows = normal_points(4, 3, Stream(2)), none(0, 3), wider = normal_points(4, 6, Stream(3));
    for (const auto& [sequence, counts] :
         {std::pair{Sequence{none, none}, "0 queries and 0 keys"}, {{rows, none}, "4 queries and 0 keys"}}) {
        const auto refused = [&, &one = sequence](auto call) { return refusal([&] { call(one); }); };
        for (const Loss which : {Loss::squared, Loss::softmax}) {
            CHECK(contains(refused([&](const Sequence& s) { evaluate(which, Visible::all, features, {&s}); }), counts));
            CHECK(contains(refused([&](const Sequence& s) { loss(which, Visible::all, *map, s); }), counts));
        }
        CHECK(contains(refused([&](const Sequence& s) { log_squared_loss(Visible::all, *map, s); }), counts));
        CHECK(contains(refused([&](const Sequence& s) { fit_weights(features.points, Visible::all, {s}); }), counts));
    }
    const Sequence other{wider, wider};
    const std::string said = "learned features: points have 3 coordinates and queries 6; both need as many";
    CHECK(refusal([&] { evaluate(Loss::squared, Visible::all, features, {&other}); }) == said);
    CHECK(refusal([&] { fit_weights(features.points, Visible::all, {other}); }) == said);
}
