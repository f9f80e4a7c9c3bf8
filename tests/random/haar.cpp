#include "rfbench/random/haar.hpp"

#include <limits>

#include "catch.hpp"
#include "support/decompositions.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

using Matrix = Eigen::MatrixXd;
constexpr double pi = 3.141592653589793;

Matrix haar(const Stream& stream, Index d, Index columns) {
    Matrix q(d, columns);
    fill_haar(stream, q);
    return q;
}

// The way of public implementations: the Q of a Gaussian matrix's QR decomposition, without or with sign(diag R).
Matrix by_qr(const Stream& stream, Index d, bool with_signs) {
    Matrix gaussian(d, d);
    fill_normal(stream, gaussian);
    auto [q, diagonal] = householder_qr(gaussian);
    for (Index j = 0; with_signs && j < d; ++j)
        if (diagonal[j] < 0) q.col(j) *= -1;
    return q;
}

// Smallest p-value of z-tests that each column has mean zero along e1 and (1, ..., 1)/sqrt d, times their number.
template <class Draw>
double sign_test(Index d, const Draw& draw) {
    std::vector<Mean> along_axis(static_cast<std::size_t>(d)), along_diagonal(static_cast<std::size_t>(d));
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const Matrix q = draw(Stream(41).child(static_cast<std::uint64_t>(d)).child(i), d);
        for (Index j = 0; j < d; ++j) {
            along_axis[static_cast<std::size_t>(j)].add(q(0, j));
            along_diagonal[static_cast<std::size_t>(j)].add(q.col(j).sum());
        }
    }
    double smallest = 1;
    for (std::size_t j = 0; j < along_axis.size(); ++j)
        smallest = std::min({smallest, two_sided(along_axis[j].z(0)), two_sided(along_diagonal[j].z(0))});
    return smallest * 2 * static_cast<double>(d);
}

}  // namespace

TEST_CASE("Haar columns are orthonormal to a few ulp") {
    // Each of the d reflections that a column meets adds a rounding error of a few ulp, at random: 4 sqrt d ulp.
    for (const Index d : {1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 100, 257}) {
        const Matrix q = haar(Stream(42).child(static_cast<std::uint64_t>(d)), d, d);
        const double error = (q.transpose() * q - Matrix::Identity(d, d)).cwiseAbs().maxCoeff();
        INFO("d = " << d << ", error " << error);
        CHECK(error <= 4 * std::sqrt(static_cast<double>(d)) * std::numeric_limits<double>::epsilon());
    }
}

TEST_CASE("the first columns do not depend on how many are drawn") {
    for (const Index d : {1, 2, 7, 16, 40}) {
        const Stream stream = Stream(43).child(static_cast<std::uint64_t>(d));
        const Matrix whole = haar(stream, d, d);
        for (Index columns = 1; columns <= d; ++columns) CHECK(haar(stream, d, columns) == whole.leftCols(columns));

        HaarSampler sampler(d);
        Matrix again(d, d);
        sampler(stream.child("other"), again);
        sampler(stream, again);
        CHECK(again == whole);
    }
    Matrix wide(3, 4);
    CHECK_THROWS_AS(fill_haar(Stream(1), wide), std::invalid_argument);
}

TEST_CASE("Haar columns have no preferred sign, which QR without its signs has") {
    for (const Index d : {1, 2, 3, 4, 8, 16}) {
        INFO("d = " << d);
        CHECK(sign_test(d, [](const Stream& s, Index n) { return haar(s, n, n); }) > level);
        CHECK(sign_test(d, [](const Stream& s, Index n) { return by_qr(s, n, true); }) > level);
        if (d > 1) CHECK(sign_test(d, [](const Stream& s, Index n) { return by_qr(s, n, false); }) < level);
    }
}

TEST_CASE("entries of a Haar matrix follow their law") {
    // In three dimensions every coordinate of a uniform direction is uniform on (-1, 1) (Archimedes); in two it is a
    // cosine of a uniform angle.
    std::vector<double> entry[9], cosine[4];
    Mean determinants;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Matrix q = haar(Stream(44).child(i), 3, 3), r = haar(Stream(45).child(i), 2, 2);
        for (Index k = 0; k < 9; ++k) entry[k].push_back(q(k % 3, k / 3));
        for (Index k = 0; k < 4; ++k) cosine[k].push_back(r(k % 2, k / 2));
        determinants.add(determinant(q));
    }
    for (const auto& values : entry) CHECK(kolmogorov_smirnov(values, [](double x) { return (1 + x) / 2; }) > level);
    for (const auto& values : cosine)
        CHECK(kolmogorov_smirnov(values, [](double x) { return 0.5 + std::asin(std::clamp(x, -1.0, 1.0)) / pi; }) >
              level);

    // Both orientations are equally likely.
    CHECK(two_sided(determinants.z(0)) > level);
}

TEST_CASE("the joint law is Haar: moments of the trace and of products of entries") {
    // Diaconis and Shahshahani 1994: E tr Q = 0, E (tr Q)^2 = 1, E tr Q^2 = 1, E (tr Q)^4 = 3 on O(d), d >= 4.
    // Weingarten: E q11^2 q22^2 = (d + 1)/(d (d - 1)(d + 2)), E q11 q22 q12 q21 = -1/(d (d - 1)(d + 2)).
    for (const Index d : {4, 6}) {
        Mean trace, square, fourth, squared, separate, crossed;
        for (std::uint64_t i = 0; i < 40000; ++i) {
            const Matrix q = haar(Stream(46).child(static_cast<std::uint64_t>(d)).child(i), d, d);
            const double t = q.trace();
            trace.add(t);
            square.add(t * t);
            fourth.add(t * t * t * t);
            squared.add((q * q).trace());
            separate.add(q(0, 0) * q(0, 0) * q(1, 1) * q(1, 1));
            crossed.add(q(0, 0) * q(1, 1) * q(0, 1) * q(1, 0));
        }
        const double n = static_cast<double>(d), common = n * (n - 1) * (n + 2);
        CHECK(two_sided(trace.z(0)) > level);
        CHECK(two_sided(square.z(1)) > level);
        CHECK(two_sided(fourth.z(3)) > level);
        CHECK(two_sided(squared.z(1)) > level);
        CHECK(two_sided(separate.z((n + 1) / common)) > level);
        CHECK(two_sided(crossed.z(-1 / common)) > level);
    }
}
