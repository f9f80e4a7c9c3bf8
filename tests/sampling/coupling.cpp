// Dependence between the columns of each sampling.
#include <limits>

#include "catch.hpp"
#include "sampling/draws.hpp"
#include "support/decompositions.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Inner products of the directions.
Eigen::MatrixXd cosines(const Projections& omega) {
    const Projections directions = omega.colwise().normalized();
    return directions.transpose() * directions;
}

// Largest deviation of the cosines from `inside` within blocks of d columns.
double deviation_in_blocks(const Projections& omega, Index block, double inside) {
    const Eigen::MatrixXd c = cosines(omega);
    double worst = 0;
    for (Index i = 0; i < omega.cols(); ++i)
        for (Index j = 0; j < i; ++j)
            if (i / block == j / block) worst = std::max(worst, std::abs(c(i, j) - inside));
    return worst;
}

// Smallest p-value, times the number of tests, that columns i and j are uncorrelated: E w_i.w_j = 0,
// E (w_i.w_j)^2 = d, and lengths: E (|w_i|^2 - d)(|w_j|^2 - d) = 0.
template <class Draw>
double independence_test(Index d, Index i, Index j, const Draw& draw) {
    Mean product, square, lengths;
    const double n = static_cast<double>(d);
    for (std::uint64_t k = 0; k < 20000; ++k) {
        const Projections omega = draw(k);
        const double p = omega.col(i).dot(omega.col(j));
        product.add(p);
        square.add(p * p);
        lengths.add((omega.col(i).squaredNorm() - n) * (omega.col(j).squaredNorm() - n));
    }
    return 3 * std::min({two_sided(product.z(0)), two_sided(square.z(n)), two_sided(lengths.z(0))});
}

// Lengths alone.
template <class Draw>
double length_test(Index d, Index i, Index j, const Draw& draw) {
    Mean lengths;
    const double n = static_cast<double>(d);
    for (std::uint64_t k = 0; k < 20000; ++k) {
        const Projections omega = draw(k);
        lengths.add((omega.col(i).squaredNorm() - n) * (omega.col(j).squaredNorm() - n));
    }
    return two_sided(lengths.z(0));
}

auto drawing(const sampling::Scheme& scheme, Index d, Index count) {
    return [&scheme, d, count](std::uint64_t k) { return normals(scheme, Stream(71).child(k), d, count); };
}

}  // namespace

TEST_CASE("columns of a block are orthogonal, also of the last, cut one") {
    const sampling::Scheme& scheme = sampling::find("orthogonal");
    for (const Index d : {1, 2, 3, 8, 17, 64})
        for (const Index count : {Index{1}, d - 1, d, d + 1, 2 * d, 3 * d + d / 2}) {
            INFO("d = " << d << ", M = " << count);
            const Projections omega = normals(scheme, Stream(72), d, count);
            const double bound = 4 * std::sqrt(static_cast<double>(d)) * epsilon;
            CHECK(deviation_in_blocks(omega, d, 0) <= bound);
            if (count > d && d > 1) CHECK(deviation_in_blocks(omega, count, 0) > 1e-6);
        }
}

TEST_CASE("the block test rejects orthogonalisation along the wrong dimension") {
    // Rows of the d x M matrix made orthogonal instead of columns.
    const Index d = 4, count = 8;
    Eigen::MatrixXd gaussian(count, d);
    fill_normal(Stream(73), gaussian);
    CHECK(deviation_in_blocks(householder_qr(gaussian).q.transpose(), d, 0) > 0.01);
}

TEST_CASE("simplex directions have inner products -1/(d - 1) in each block") {
    const sampling::Scheme& scheme = sampling::find("simplex");
    for (const Index d : {2, 3, 4, 8, 17, 64})
        for (const Index count : {Index{1}, d - 1, d, d + 1, 2 * d, 3 * d + d / 2}) {
            INFO("d = " << d << ", M = " << count);
            const Projections omega = normals(scheme, Stream(74), d, count);
            const double bound = 16 * std::sqrt(static_cast<double>(d)) * epsilon;
            CHECK(deviation_in_blocks(omega, d, -1 / (static_cast<double>(d) - 1)) <= bound);
        }

    // In a whole block the directions sum to zero.
    const Projections omega = normals(scheme, Stream(75), 8, 8);
    CHECK(omega.colwise().normalized().rowwise().sum().norm() <= 64 * epsilon);
}

TEST_CASE("simplex in one dimension is independent sampling") {
    // A simplex with one vertex has no other vertex to keep away from.
    const sampling::Scheme& scheme = sampling::find("simplex");
    CHECK(independence_test(1, 0, 1, drawing(scheme, 1, 3)) > level);
    std::vector<double> values = entries(normals(scheme, Stream(76), 1, 20000));
    CHECK(kolmogorov_smirnov(values, normal_cdf) > level);
}

TEST_CASE("blocks are independent of each other, and lengths of each other") {
    for (const Index d : {1, 2, 3, 8}) {
        INFO("d = " << d);
        for (const char* name : {"orthogonal", "simplex"}) {
            const sampling::Scheme& scheme = sampling::find(name);
            CHECK(independence_test(d, 0, d, drawing(scheme, d, 2 * d + 1)) > level);
            CHECK(independence_test(d, d - 1, 2 * d, drawing(scheme, d, 2 * d + 1)) > level);
            if (d > 1) CHECK(length_test(d, 0, 1, drawing(scheme, d, d)) > level);
        }
        CHECK(independence_test(d, 0, 1, drawing(sampling::find("iid"), d, 2)) > level);
        CHECK(independence_test(d, 0, 2, drawing(sampling::find("antithetic"), d, 4)) > level);
    }
    const sampling::Scheme& hadamard = sampling::find("hadamard");
    CHECK(independence_test(8, 0, 8, drawing(hadamard, 8, 9)) > level);
    CHECK(length_test(8, 0, 1, drawing(hadamard, 8, 8)) > level);
}

TEST_CASE("the independence tests reject one seed for every block and one length for a block") {
    const sampling::Scheme& scheme = sampling::find("orthogonal");
    const auto repeated = [&](std::uint64_t k) {
        const Projections block = normals(scheme, Stream(77).child(k), 4, 4);
        Projections omega(4, 8);
        omega << block, block;
        return omega;
    };
    CHECK(independence_test(4, 0, 4, repeated) < level);

    const auto one_length = [&](std::uint64_t k) {
        Stream stream = Stream(78).child(k);
        const Projections block = normals(scheme, stream.child("block"), 4, 4);
        return Projections(block.colwise().normalized() * stream.chi(4));
    };
    CHECK(length_test(4, 0, 1, one_length) < level);
}

TEST_CASE("antithetic columns come in pairs w, -w; an odd last one is alone") {
    const sampling::Scheme& scheme = sampling::find("antithetic");
    for (const Index count : {1, 2, 5, 8}) {
        const Projections omega = normals(scheme, Stream(79), 3, count), u = uniforms(scheme, Stream(79), 3, count);
        for (Index m = 0; m + 1 < count; m += 2) {
            CHECK(omega.col(m) == -omega.col(m + 1));
            CHECK(u.col(m).array().isApprox(1 - u.col(m + 1).array(), 0));
        }
        for (Index m = 2; m < count; m += 2) CHECK(omega.col(m) != omega.col(m - 2));
    }
}

TEST_CASE("Hadamard directions are orthogonal in each block when d is a power of two") {
    const sampling::Scheme& scheme = sampling::find("hadamard");
    for (const Index d : {1, 2, 4, 8, 64}) {
        const Projections omega = normals(scheme, Stream(80), d, 3 * d + d / 2);
        INFO("d = " << d);
        CHECK(deviation_in_blocks(omega, d, 0) <= 8 * epsilon);
    }
}

TEST_CASE("the first columns do not depend on how many are drawn") {
    for (const char* name : {"iid", "orthogonal", "simplex", "antithetic", "hadamard"}) {
        const sampling::Scheme& scheme = sampling::find(name);
        for (const Index d : {1, 2, 3, 8, 20}) {
            const Stream stream = Stream(81).child(static_cast<std::uint64_t>(d));
            const Projections whole = normals(scheme, stream, d, 4 * d + 5);
            for (Index count = 1; count < whole.cols(); ++count) {
                INFO(name << ", d = " << d << ", M = " << count);
                CHECK(normals(scheme, stream, d, count) == whole.leftCols(count));
            }
        }
    }
    for (const char* name : {"iid", "antithetic"}) {
        const sampling::Scheme& scheme = sampling::find(name);
        const Projections whole = uniforms(scheme, Stream(82), 3, 40);
        for (Index count = 1; count < 40; ++count)
            CHECK(uniforms(scheme, Stream(82), 3, count) == whole.leftCols(count));
    }
}
