#include <numeric>

#include "catch.hpp"
#include "rfbench/random/quantiles.hpp"
#include "sampling/draws.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

const sampling::Scheme& halton() { return sampling::find("halton"); }

// Digit permutations of one coordinate, all from one stream: the first M points of the Halton sequence in this base.
Vector permuted_digits(Stream stream, std::uint64_t base, Index count) {
    Vector u = Vector::Zero(count);
    double weight = 1;
    for (double range = 1; range < 0x1p52; range *= static_cast<double>(base)) {
        std::vector<std::uint64_t> permuted(base);
        std::iota(permuted.begin(), permuted.end(), 0u);
        for (std::uint64_t i = base; i > 1; --i) {
            // By inversion, so that equal generators give similar numbers below different bounds.
            const auto j = static_cast<std::uint64_t>(stream.uniform() * static_cast<double>(i));
            std::swap(permuted[i - 1], permuted[j]);
        }
        weight /= static_cast<double>(base);
        for (Index m = 0; m < count; ++m) {
            const auto digit = static_cast<std::uint64_t>(static_cast<double>(m) / range) % base;
            u[m] += weight * static_cast<double>(permuted[digit]);
        }
    }
    return u.array() + 0x1p-53;
}

// Erratum 50: as SciPy 1.10 does it, every base begins with a copy of the same generator.
Projections one_seed(const Stream& stream, Index d, Index count) {
    const std::uint64_t bases[] = {2, 3, 5, 7};
    Projections u(d, count);
    for (Index i = 0; i < d; ++i) u.row(i) = permuted_digits(stream, bases[i], count).transpose();
    return u;
}

// z-score of the mean, over draws, of the product of two coordinates of the last point about 1/2.
template <class Draw>
double correlation_z(Index first, Index second, const Draw& draw) {
    Mean mean;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const Projections u = draw(i);
        mean.add((u(first, u.cols() - 1) - 0.5) * (u(second, u.cols() - 1) - 0.5));
    }
    return mean.z(0);
}

// z-score of the mean of exp(w.z - |z|^2/2), 1 for exact marginals, z = (1, ..., 1)/sqrt d.
template <class Draw>
double exponential_z(Index d, const Draw& draw) {
    Mean mean;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Projections omega = draw(i).unaryExpr([](double x) { return normal_quantile(x); });
        mean.add((omega.colwise().sum().array() / std::sqrt(static_cast<double>(d)) - 0.5).exp().mean());
    }
    return mean.z(1);
}

}  // namespace

TEST_CASE("Halton: coordinate i of the first b^k points visits each of b^k slices once, b the i-th prime") {
    const std::uint64_t bases[] = {2, 3, 5, 7, 11};
    for (Index i = 0; i < 5; ++i)
        for (Index count = 1; count <= 1500; count *= static_cast<Index>(bases[i])) {
            const Projections u = uniforms(halton(), Stream(111), 5, count);
            std::vector<int> visits(static_cast<std::size_t>(count), 0);
            for (Index m = 0; m < count; ++m)
                visits[static_cast<std::size_t>(std::floor(u(i, m) * static_cast<double>(count)))] += 1;
            INFO("base " << bases[i] << ", " << count << " points");
            CHECK(*std::max_element(visits.begin(), visits.end()) == 1);
        }
}

TEST_CASE("Halton: every point is uniform in every coordinate, also in bases far above the number of points") {
    std::vector<double> first, last;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const Projections u = uniforms(halton(), Stream(112).child(i), 100, 7);
        first.push_back(u(0, static_cast<Index>(i) % 7));
        last.push_back(u(99, static_cast<Index>(i) % 7));
    }
    CHECK(kolmogorov_smirnov(first, [](double x) { return x; }) > level);
    CHECK(kolmogorov_smirnov(last, [](double x) { return x; }) > level);
}

TEST_CASE("Halton: permutations of different bases are independent; one seed for all leaves coordinates correlated",
          "[errata]") {
    // The first number that a shuffle of b digits draws is where the digit b - 1 goes: the last of b b' points has that
    // digit in both bases, and with one seed goes to the same place.
    const Index bases[] = {2, 3, 5, 7};
    for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < i; ++j) {
            INFO("coordinates " << j << " and " << i);
            const Index count = bases[i] * bases[j];
            const auto ours = [&](std::uint64_t r) { return uniforms(halton(), Stream(113).child(r), 4, count); };
            const auto theirs = [&](std::uint64_t r) { return one_seed(Stream(114).child(r), 4, count); };
            CHECK(two_sided(correlation_z(i, j, ours)) > level);
            CHECK(two_sided(correlation_z(i, j, theirs)) < level);
        }
}

TEST_CASE("Halton: with one seed for all bases positive features are biased, with ours they are not", "[errata]") {
    const auto ours = [](std::uint64_t r) { return uniforms(halton(), Stream(115).child(r), 4, 16); };
    const auto theirs = [](std::uint64_t r) { return one_seed(Stream(116).child(r), 4, 16); };
    CHECK(two_sided(exponential_z(4, ours)) > level);
    CHECK(two_sided(exponential_z(4, theirs)) < level);
}

TEST_CASE("Halton: normals are the quantiles of the uniforms, and the error is below that of independent points") {
    const Projections u = uniforms(halton(), Stream(117), 3, 50), omega = normals(halton(), Stream(117), 3, 50);
    CHECK(omega == u.unaryExpr([](double x) { return normal_quantile(x); }));

    // The mean square error of a mean of 256 squared lengths, of variance 2d / 256 for independent points.
    Mean square;
    for (std::uint64_t i = 0; i < 400; ++i)
        square.add(std::pow(normals(halton(), Stream(118).child(i), 4, 256).squaredNorm() / 256 - 4, 2));
    CHECK(square.mean() + 5 * square.error() < 0.25 * 8 / 256);
}
