#include "rfbench/attention/softmax_map.hpp"

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

TEST_CASE("softmax features refuse a map of another dimension, or none, when they are made") {
    for (const char* name : {"positive", "trigonometric", "cosine-phase"}) {
        INFO(name);
        const auto mechanism = features::fit(features::find(name), {});
        const auto& scheme = sampling::find("iid");
        const std::shared_ptr<const features::FeatureMap> drawn =
            mechanism->map(features::draw(*mechanism, 3, 8, scheme, Stream(1)));
        CHECK(SoftmaxMap(drawn, 3).columns() == drawn->columns());
        CHECK(refusal([&] { SoftmaxMap(drawn, 4); }) ==
              "features: the rows have 4 coordinates, the mechanism was drawn for 3");
        CHECK(refusal([&] { SoftmaxMap(drawn, 0); }) == "softmax features: d = 0; it must be positive");
        CHECK(refusal([&] { SoftmaxMap(drawn, -2); }) == "softmax features: d = -2; it must be positive");
        CHECK(refusal([&] { softmax_map(*mechanism, 0, 8, scheme, Stream(1)); }) ==
              "softmax features: d = 0; it must be positive");
        CHECK(refusal([&] { softmax_map(*mechanism, -1, 8, scheme, Stream(1)); }) ==
              "softmax features: d = -1; it must be positive");
    }
    CHECK(refusal([] { SoftmaxMap(nullptr, 3); }) == "softmax features: no map of the Gaussian kernel was given");
}
