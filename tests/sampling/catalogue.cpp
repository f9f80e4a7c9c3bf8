#include <set>

#include "catch.hpp"
#include "sampling/draws.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using sampling::Coupling;

TEST_CASE("the catalogue lists every scheme once, completely") {
    const std::vector<std::string> names{"iid",      "orthogonal",    "simplex", "antithetic",  "sobol",      "halton",
                                         "hadamard", "sphere-points", "dct",     "dct-columns", "dct-rotated"};
    const std::set<std::string> biased{"hadamard", "sphere-points", "dct", "dct-columns"};
    const std::set<std::string> of_uniforms{"iid", "antithetic", "sobol", "halton"};
    REQUIRE(sampling::catalogue().size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const sampling::Scheme& scheme = sampling::catalogue()[i];
        CHECK(scheme.name == names[i]);
        CHECK(&sampling::find(names[i]) == &scheme);
        CHECK(!scheme.summary.empty());
        CHECK(!scheme.reference.empty());
        CHECK(scheme.normals != nullptr);
        CHECK(scheme.exact_marginals != biased.contains(scheme.name));
        CHECK((scheme.uniforms != nullptr) == of_uniforms.contains(scheme.name));
    }
    CHECK(sampling::find("iid").coupling == Coupling::independent);
    CHECK(sampling::find("orthogonal").coupling == Coupling::orthogonal);
    CHECK(sampling::find("simplex").coupling == Coupling::simplex);
    CHECK(sampling::find("antithetic").coupling == Coupling::antithetic);
    for (const char* name : {"sobol", "halton", "hadamard", "sphere-points", "dct", "dct-columns", "dct-rotated"})
        CHECK(sampling::find(name).coupling == Coupling::unknown);
}

TEST_CASE("an unknown scheme is refused with the nearest name") {
    const auto message = [](const char* name) {
        return tests::refusal<std::invalid_argument>([&] { sampling::find(name); });
    };
    const std::string known =
        " There are iid, orthogonal, simplex, antithetic, sobol, halton, hadamard, "
        "sphere-points, dct, dct-columns, dct-rotated.";
    CHECK(message("orthognal") == "there is no sampling 'orthognal'. Did you mean 'orthogonal'?" + known);
    CHECK(message("Sobol") == "there is no sampling 'Sobol'. Did you mean 'sobol'?" + known);
    CHECK(message("") == "there is no sampling ''." + known);
}

TEST_CASE("every scheme fills any shape with finite numbers, the same for the same stream, anywhere in memory") {
    for (const sampling::Scheme& scheme : sampling::catalogue())
        for (const Index d : {1, 2, 3, 5, 8, 13, 64})
            for (const Index count : {0, 1, 2, 3, 5, 8, 20, 65, 130}) {
                INFO(scheme.name << ", d = " << d << ", M = " << count);
                const Stream stream = Stream(51).child(static_cast<std::uint64_t>(d));
                const Projections omega = tests::normals(scheme, stream, d, count);
                CHECK(omega.allFinite());
                for (Index m = 0; m < count; ++m) CHECK(omega.col(m).squaredNorm() > 0);

                Projections frame = Projections::Zero(d + 3, count + 2);
                scheme.normals(stream, frame.block(2, 1, d, count));
                CHECK(frame.block(2, 1, d, count) == omega);
                frame.block(2, 1, d, count).setZero();
                CHECK(frame.isZero(0));
                if (count > 1) CHECK(tests::normals(scheme, stream.child(1), d, count) != omega);
            }
}
