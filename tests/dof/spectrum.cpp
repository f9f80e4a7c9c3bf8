#include "rfbench/dof/spectrum.hpp"

#include "catch.hpp"
#include "support/decompositions.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;

TEST_CASE("degrees of freedom are the trace of S (S + lambda)^-1") {
    const Points x = normal_points(30, 4, Stream(1));
    const Eigen::MatrixXd s = (x * x.transpose() / 2).array().exp() / 30.0;
    for (const double lambda : {1.0, 0.25, 0.01}) {
        const Eigen::MatrixXd ridged = s + lambda * Eigen::MatrixXd::Identity(30, 30);
        const double trace = (s * inverse(ridged)).trace();
        // Eigenvalues are off by an ulp of the largest for each row.
        const double tolerance = 30 * 30 * 2.3e-16 * s.norm() / lambda;
        CHECK(std::abs(dof::softmax_spectrum(x).degrees(lambda) - trace) < tolerance);
    }
    CHECK(std::abs(dof::softmax_spectrum(x).log_trace() - std::log(s.trace())) < 1e-13);
}

TEST_CASE("a sample said twice is the same law, which the undivided Gram matrix does not know (erratum 39)") {
    const Points once = normal_points(25, 3, Stream(2));
    Points twice(50, 3);
    twice << once, once;
    const auto of_once = dof::softmax_spectrum(once), of_twice = dof::softmax_spectrum(twice);
    CHECK(std::abs(of_once.degrees(0.1) - of_twice.degrees(0.1)) < 1e-10);
    CHECK(of_twice.degrees_undivided(0.1) > 1.05 * of_once.degrees_undivided(0.1));
    CHECK(of_once.degrees_undivided(0.1) == of_once.degrees(0.1 / 25));
}

TEST_CASE("points far out overflow nothing; what is not a sample is refused") {
    Points far = Points::Constant(2, 64, 50);
    far.row(1) *= -1;
    // exp(2500 * 8) on the diagonal: two points that know nothing of each other.
    CHECK(dof::softmax_spectrum(far).degrees(1e-3) == 2);
    CHECK(std::isfinite(dof::softmax_spectrum(far).log_trace()));
    // Both eigenvalues are half of tr S, which is beyond double.
    CHECK(std::abs(dof::softmax_spectrum(far).degrees_of_share(0.25) - 2 * 0.5 / 0.75) < 1e-15);
    CHECK(contains(refusal([&] { (void)dof::softmax_spectrum(far).degrees_of_share(0); }), "share"));
    CHECK(contains(refusal([&] { (void)dof::softmax_spectrum(Points(0, 3)); }), "no points"));
    far(0, 0) = NAN;
    CHECK(contains(refusal([&] { (void)dof::softmax_spectrum(far); }), "NaN"));
    CHECK(contains(refusal([&] { (void)dof::softmax_spectrum(Points::Ones(2, 2)).degrees(0); }), "lambda"));
}
