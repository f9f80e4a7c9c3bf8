// Names of papers that say a sampling, too.
#include "rfbench/features/established_names.hpp"

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using rfbench::tests::refusal;

TEST_CASE("names that say a sampling stand for mechanisms and samplings that there are", "[features]") {
    for (const features::EstablishedName& one : features::established_names()) {
        CAPTURE(one.name);
        CHECK(features::find(one.mechanism).name == one.mechanism);
        CHECK(sampling::find(one.sampling).name == one.sampling);
    }
    REQUIRE(features::established_name("favor++") != nullptr);
    CHECK(features::established_name("favor++")->name == "FAVOR++");
    CHECK(features::established_name("FAVOR+++") == nullptr);
    CHECK(refusal<InputError>([] { features::find("FAVOR++"); }) ==
          "'FAVOR++' of the papers is called 'optimal-positive' here, under the sampling 'orthogonal'.");
    CHECK(refusal<InputError>([] { features::find("FAVOR+++"); }) ==
          "there is no mechanism 'FAVOR+++'. 'rfbench list mechanisms' shows them all.");
}
