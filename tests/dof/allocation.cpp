#include "rfbench/dof/allocation.hpp"

#include "catch.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using dof::allocate;
using dof::Allocation;

TEST_CASE("dimensions are shared out by degrees of freedom, at equal cost") {
    Eigen::ArrayXXd degrees(3, 2);
    degrees << 1, 3, 10, 2, 1, 2;
    // Largest of each layer: 3, 10, 2, mean 5: at a cost of 10, twice as many.
    const Eigen::ArrayXXi layers = allocate(degrees, Allocation::layers, 10);
    CHECK((layers == (Eigen::ArrayXXi(3, 2) << 6, 6, 20, 20, 4, 4).finished()).all());
    const Eigen::ArrayXXi clipped = allocate(degrees, Allocation::clipped, 10, 8);
    CHECK((clipped == (Eigen::ArrayXXi(3, 2) << 6, 6, 8, 8, 4, 4).finished()).all());
    CHECK((allocate(degrees, Allocation::fixed, 10) == 10).all());
    const Eigen::ArrayXXi heads = allocate(degrees, Allocation::heads, 19);
    CHECK((heads == (Eigen::ArrayXXi(3, 2) << 6, 18, 60, 12, 6, 12).finished()).all());
    CHECK(heads.sum() == 19 * 6);
}

TEST_CASE("no head is left without a feature") {
    Eigen::ArrayXXd degrees(2, 1);
    degrees << 1000, 1;
    CHECK(allocate(degrees, Allocation::layers, 8)(1, 0) == 1);  // the paper's rounding gives 0
}

TEST_CASE("what cannot be shared out is refused") {
    const Eigen::ArrayXXd one = Eigen::ArrayXXd::Ones(1, 1);
    CHECK(contains(refusal([&] { (void)allocate(one, Allocation::layers, 0); }), "cost is 0"));
    CHECK(contains(refusal([&] { (void)allocate(one, Allocation::clipped, 4); }), "clip"));
    CHECK(contains(refusal([&] { (void)allocate(0 * one, Allocation::layers, 4); }), "positive"));
    CHECK(contains(refusal([&] { (void)allocate(NAN * one, Allocation::layers, 4); }), "finite"));
}
