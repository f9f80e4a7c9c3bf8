#include "rfbench/transforms/hadamard.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::transforms;

namespace {

/// Each of the log2 n steps and the scale round once, a sum of errors in the 2-norm, of u each (Higham 2002, 24.1).
template <class Scalar>
void check_against_sums(std::size_t n) {
    std::vector<RealLanes<Scalar>> x(n);
    Stream stream(n);
    for (auto& entry : x)
        for (Index lane = 0; lane < lanes<Scalar>; ++lane)
            entry.values[lane] = static_cast<Scalar>(stream.uniform() - 0.5);
    const auto before = x;
    hadamard(x);
    for (Index lane = 0; lane < lanes<Scalar>; ++lane) {
        long double error = 0, square = 0;
        for (std::size_t i = 0; i < n; ++i) {
            long double sum = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const long double entry = before[j].values[lane];
                sum += std::popcount(i & j) % 2 == 0 ? entry : -entry;
            }
            sum /= std::sqrt(static_cast<long double>(n));
            error += (x[i].values[lane] - sum) * (x[i].values[lane] - sum);
            square += sum * sum;
        }
        const auto u = static_cast<long double>(std::numeric_limits<Scalar>::epsilon()) / 2;
        CHECK(std::sqrt(error) <= (std::log2(static_cast<long double>(n)) + 3) * u * std::sqrt(square));
    }
}

}  // namespace

TEST_CASE("Hadamard transforms of all small orders are the sums, to rounding") {
    for (std::size_t n = 1; n <= 1024; n *= 2) {
        check_against_sums<float>(n);
        check_against_sums<double>(n);
    }
}

TEST_CASE("a Hadamard transform of an order that is no power of two is refused") {
    std::vector<RealLanes<float>> x(6);
    CHECK(tests::refusal([&] { hadamard(x); }) == "Hadamard transform: the order is 6, no power of two");
    x.clear();
    CHECK(tests::refusal([&] { hadamard(x); }) == "Hadamard transform: the order is 0, no power of two");
}

TEST_CASE("signed Hadamard transforms are products of the matrices, and keep lengths") {
    const Index d = 16, n = lanes<double> + 3;  // more rows than lanes
    Stream stream(7);
    Rows<double> x(n, d);
    for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < d; ++k) x(i, k) = stream.uniform() - 0.5;
    std::vector<std::vector<double>> signs(3, std::vector<double>(d));
    Rows<double> expected = x, matrix(d, d);
    for (Index i = 0; i < d; ++i)
        for (Index j = 0; j < d; ++j)
            matrix(i, j) = (std::popcount(static_cast<unsigned>(i & j)) % 2 == 0 ? 1 : -1) / 4.0;
    for (auto& diagonal : signs) {
        for (double& sign : diagonal) sign = stream.uniform() < 0.5 ? -1 : 1;
        expected = expected * matrix * Eigen::Map<const Vector>(diagonal.data(), d).asDiagonal();
    }
    Rows<double> out;
    signed_hadamard(x, signs, out);
    // Three times: four steps and a scale of u each, and sixteen products and two factors of the sums, whose matrix of
    // absolute values, all 1/4, has the norm 4.
    const double u = std::numeric_limits<double>::epsilon() / 2;
    CHECK((out - expected).norm() < 3 * (5 + 18 * 4) * u * x.norm());
    CHECK(out.rowwise().norm().isApprox(x.rowwise().norm(), 1e-14));
}
