#include "rfbench/products/matrix_units.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/products/factor.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using namespace rfbench::products;

namespace {

Rows<float> normal_matrix(Index n, Index d, std::uint64_t seed) {
    Eigen::MatrixXd result(n, d);
    fill_normal(Stream(seed), result);
    return result.cast<float>();
}

Arithmetic emulated(int parts) { return {Units::emulated, parts}; }

Rows<float> product(const Rows<float>& a, const Rows<float>& b, const Arithmetic& arithmetic) {
    Rows<float> out(a.rows(), b.cols());
    Factor<float>(strided(b), arithmetic).multiply(strided(a), out.data(), out.cols());
    return out;
}

/// c of |a b - sum| <= c |a| |b| (matrix_units.hpp).
double left_out(int parts) {
    return parts == 1   ? std::ldexp(1, -7) + std::ldexp(1, -16)
           : parts == 2 ? std::ldexp(1, -15) + std::ldexp(1, -34)
                        : std::ldexp(1, -24) + std::ldexp(1, -34);
}

/// Checks each entry of start + A B, columns beyond which out stays as it was, and that B may lie in lines.
void check_sums(Index n, Index inner, Index columns, int parts) {
    INFO(n << " x " << inner << " times " << inner << " x " << columns << ", " << parts << " parts");
    const Rows<float> a = normal_matrix(n, inner, 1), b = normal_matrix(inner, columns, 2);
    const Rows<float> start = normal_matrix(n, columns, 3);
    Rows<float> out = Rows<float>::Constant(n, columns + 1, 7);
    MatrixFactor factor;
    factor.pack(strided(b), emulated(parts));
    factor.multiply(strided(a), start.data(), columns, out.data(), columns + 1);

    const Eigen::MatrixXf a_lines = a, b_lines = b;
    Rows<float> same = start;
    factor.pack(strided(b_lines), emulated(parts));
    factor.multiply(strided(a_lines), same.data(), columns, same.data(), columns);
    CHECK(same == out.leftCols(columns));

    const Points exact = a.cast<double>() * b.cast<double>() + start.cast<double>();
    const Points size = a.cast<double>().cwiseAbs() * b.cast<double>().cwiseAbs();
    const double instructions = std::ceil(static_cast<double>(inner) / 32), unit = std::ldexp(1, -24);
    // `start` is added with a rounding of its own. The reference is in double.
    const double bound = left_out(parts) + (19 + instructions) * unit + static_cast<double>(inner + 1) * 0x1p-52;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < columns; ++j)
            REQUIRE(std::abs(out(i, j) - exact(i, j)) <= bound * size(i, j) + unit * std::abs(out(i, j)));
        REQUIRE(out(i, columns) == 7);
    }
}

}  // namespace

TEST_CASE("matrix units: errors are within their bound, for every remainder of tiles") {
    for (const int parts : {1, 2, 3})
        for (const Index n : {0, 1, 15, 16, 17, 33, 50})
            for (const Index inner : {1, 31, 32, 33, 65})
                for (const Index columns : {1, 16, 17, 40}) check_sums(n, inner, columns, parts);
    for (const int parts : {1, 2, 3}) check_sums(20, 512, 20, parts);
}

TEST_CASE("matrix units: each part takes the error down by about 2^8") {
    const Rows<float> a = normal_matrix(64, 64, 1), b = normal_matrix(64, 64, 2);
    const Points exact = a.cast<double>() * b.cast<double>();
    const double size = std::sqrt(static_cast<double>(exact.size()) * 64);  // of a root mean square of 64 products
    double error[4];
    for (const int parts : {1, 2, 3})
        error[parts] = (product(a, b, emulated(parts)).cast<double>() - exact).norm() / size;
    // A rounding to bfloat16 is uniform within half a unit in the last place: at most 2^-8 / sqrt 3 of an entry and at
    // least half of that, in both factors. Two parts leave out a_2 b_2 as well.
    CHECK(error[1] < std::sqrt(2.0) * 0x1p-8 / std::sqrt(3.0));
    CHECK(error[1] > std::sqrt(2.0) * 0x1p-9 / std::sqrt(3.0));
    CHECK(error[2] < 0x1p-15);
    CHECK(error[2] > 0x1p-20);
    // 66 roundings to float or fewer, each of a sum of root mean square at most one.
    CHECK(error[3] < std::sqrt(66.0) * 0x1p-24);
}

TEST_CASE("matrix units: three parts hold every float, two 16 bits, and products of few bits are exact") {
    // Sums of products of so few bits are exact in float: not a bit is lost, with any number of parts that holds them.
    Rows<float> a(17, 40), b(40, 19);
    Stream stream(3);
    for (const int parts : {1, 2}) {
        const std::uint64_t end = parts == 1 ? 16 : 512;  // 4 or 9 bits, which one bfloat16 and two hold
        for (float& x : a.reshaped()) x = static_cast<float>(stream.below(end)) - static_cast<float>(end / 2);
        for (float& x : b.reshaped()) x = static_cast<float>(stream.below(16));
        CHECK(product(a, b, emulated(parts)) == Rows<float>(a * b));
        CHECK(product(a, b, emulated(3)) == Rows<float>(a * b));
    }
    // Times the identity: the entries themselves.
    const Rows<float> any = normal_matrix(20, 33, 4), identity = Rows<float>::Identity(33, 33);
    CHECK(product(any, identity, emulated(3)) == any);
    CHECK((product(any, identity, emulated(2)) - any).cwiseQuotient(any).cwiseAbs().maxCoeff() <= 0x1p-17F);
    CHECK((product(any, identity, emulated(1)) - any).cwiseQuotient(any).cwiseAbs().maxCoeff() <= 0x1p-8F);
}

TEST_CASE("matrix units: a row's bits depend on no other row") {
    const Rows<float> a = normal_matrix(70, 40, 1), b = normal_matrix(40, 50, 2);
    const Rows<float> together = product(a, b, emulated(2));
    for (Index i = 0; i < a.rows(); ++i) REQUIRE(product(a.row(i), b, emulated(2)) == together.row(i));
}

TEST_CASE("matrix units: what is not finite is NaN, and not some number") {
    Rows<float> a = normal_matrix(4, 4, 1);
    const Rows<float> b = normal_matrix(4, 4, 2);
    for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::max()}) {
        a(1, 2) = bad;
        for (const int parts : {2, 3}) {
            const Rows<float> out = product(a, b, emulated(parts));
            CHECK(out.row(1).array().isNaN().all());
            CHECK(out.row(0).allFinite());
        }
    }
}

TEST_CASE("matrix units: what cannot be done is refused") {
    CHECK_THROWS_WITH(Factor<float>(Arithmetic{Units::emulated, 4}),
                      "products: 4 parts of bfloat16; there are 1, 2 or 3");
    CHECK_THROWS_WITH(Factor<double>(Arithmetic{Units::emulated, 0}),
                      "products: 0 parts of bfloat16; there are 1, 2 or 3");
    MatrixFactor factor;
    CHECK_THROWS_AS(factor.pack(strided(normal_matrix(2, 2, 1)), {}), std::invalid_argument);
    factor.pack(strided(normal_matrix(2, 2, 1)), emulated(1));
    Rows<float> out(3, 2);
    CHECK_THROWS_WITH(factor.multiply(strided(normal_matrix(3, 5, 1)), out.data(), 2),
                      "product: 5 columns times 2 rows");
}

TEST_CASE("matrix units: the processor's have the emulation's bits, or are refused where there are none") {
    const Rows<float> a = normal_matrix(50, 70, 1), b = normal_matrix(70, 40, 2);
    for (const int parts : {1, 2, 3}) {
        const Arithmetic own{Units::matrix, parts};
        if (has_matrix_units())
            CHECK(product(a, b, own) == product(a, b, emulated(parts)));
        else
            CHECK_THROWS_WITH(product(a, b, own), Catch::Contains("this processor has no matrix units"));
    }
}

TEST_CASE("factors: double knows vector registers alone") {
    const Points a = normal_matrix(20, 30, 1).cast<double>(), b = normal_matrix(30, 20, 2).cast<double>();
    Points vectors(20, 20), units(20, 20);
    Factor<double>(strided(b)).multiply(strided(a), vectors.data(), 20);
    Factor<double>(strided(b), emulated(1)).multiply(strided(a), units.data(), 20);
    CHECK(units == vectors);
}
