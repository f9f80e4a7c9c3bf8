#include "rfbench/products/panels.hpp"

#include <limits>
#include <stdexcept>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using products::Panels;
using products::strided;
using products::Triangle;

namespace {

/// Normal entries that float holds exactly.
Eigen::MatrixXd normal_matrix(Index n, Index d, std::uint64_t seed) {
    Eigen::MatrixXd result(n, d);
    fill_normal(Stream(seed), result);
    return result.cast<float>().cast<double>();
}

template <class Scalar>
void check_sums(Index n, Index inner, Index columns) {
    INFO(n << " x " << inner << " times " << inner << " x " << columns);
    const Rows<Scalar> a = normal_matrix(n, inner, 1).cast<Scalar>();
    const Rows<Scalar> b = normal_matrix(inner, columns, 2).cast<Scalar>();
    const Rows<Scalar> start = normal_matrix(n, columns, 3).cast<Scalar>();

    // One more column than is asked for: what lies beyond must stay as it was.
    Rows<Scalar> out = Rows<Scalar>::Constant(n, columns + 1, Scalar(7));
    Panels<Scalar>(strided(b)).multiply(strided(a), start.data(), columns, out.data(), columns + 1);
    // B read line by line, as the transposed of a matrix, is the same B.
    const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> lines = b;
    Rows<Scalar> same(n, columns);
    Panels<Scalar>(strided(lines)).multiply(strided(a), start.data(), columns, same.data(), columns);
    CHECK(same == out.leftCols(columns));
    for (Index i = 0; i < n; ++i) {
        for (Index m = 0; m < columns; ++m) {
            long double sum = start(i, m), size = std::abs(start(i, m));
            for (Index k = 0; k < inner; ++k) {
                const long double term = static_cast<long double>(a(i, k)) * b(k, m);
                sum += term;
                size += std::abs(term);
            }
            // fused additions, each rounded once
            const long double tolerance =
                static_cast<long double>(inner + 1) * std::numeric_limits<Scalar>::epsilon() * size;
            REQUIRE(std::abs(out(i, m) - sum) <= tolerance);
        }
        REQUIRE(out(i, columns) == Scalar(7));
    }
}

}  // namespace

TEST_CASE("panels: the product is the sum, for every remainder of rows and columns") {
    for (const Index n : {0, 1, 5, 6, 7, 13})
        for (const Index inner : {1, 2, 37, 64})
            for (const Index columns : {1, 15, 16, 63, 64, 65, 130}) {
                check_sums<float>(n, inner, columns);
                check_sums<double>(n, inner, columns);
            }
}

TEST_CASE("panels: transposed factors, a row to start from, a product added to") {
    const Points a = normal_matrix(9, 20, 1), b = normal_matrix(70, 9, 2);
    const Eigen::RowVectorXd bias = normal_matrix(1, 70, 3);
    const Points expected = a.transpose() * b.transpose();
    const Panels<double> panels(strided(b).transposed());
    Points out(20, 70);
    const double tolerance =
        10 * 9 * std::numeric_limits<double>::epsilon() * a.cwiseAbs().maxCoeff() * b.cwiseAbs().maxCoeff();

    panels.multiply(strided(a).transposed(), out.data(), 70);
    CHECK((out - expected).cwiseAbs().maxCoeff() <= tolerance);
    panels.multiply(strided(a).transposed(), out.data(), 70, out.data(), 70);
    CHECK((out - 2 * expected).cwiseAbs().maxCoeff() <= 2 * tolerance);
    panels.multiply(strided(a).transposed(), bias.data(), 0, out.data(), 70);
    CHECK(((out - expected).rowwise() - bias).cwiseAbs().maxCoeff() <= 2 * tolerance);
}

TEST_CASE("panels: triangles are what the whole product has") {
    for (const Index n : {1, 5, 6, 7, 60, 64, 71, 130}) {
        for (const Index diagonal : {Index{-n}, Index{-9}, Index{-1}, Index{0}, Index{1}, Index{8}, Index{n}}) {
            INFO("n = " << n << ", diagonal " << diagonal);
            Points lower = normal_matrix(n, n, 1), upper = lower;
            const auto after = [&](Index i, Index j) { return j > i + diagonal; };
            for (Index i = 0; i < n; ++i)
                for (Index j = 0; j < n; ++j) {
                    if (after(i, j)) lower(i, j) = 0;
                    if (j < i + diagonal) upper(i, j) = 0;
                }
            const Points b = normal_matrix(n, 70, 2), start = normal_matrix(n, 70, 3);
            const Panels<double> panels(strided(b));
            for (const Triangle::Part which : {Triangle::lower_factor, Triangle::upper_factor}) {
                Points whole = start, part = start;
                const Points& factor = which == Triangle::lower_factor ? lower : upper;
                panels.multiply(strided(factor), whole.data(), 70, whole.data(), 70);
                panels.multiply(strided(factor), part.data(), 70, part.data(), 70, {which, diagonal});
                CHECK(part == whole);
            }
            Points whole(n, 70), part = Points::Constant(n, 70, 7);
            panels.multiply(strided(lower), whole.data(), 70);
            panels.multiply(strided(lower), part.data(), 70, {Triangle::lower_product, diagonal});
            bool same = true;
            for (Index i = 0; i < n; ++i)
                for (Index j = 0; j < 70; ++j) same &= after(i, j) || part(i, j) == whole(i, j);
            CHECK(same);
        }
    }
}

TEMPLATE_TEST_CASE("panels: a row's result does not depend on the rows beside it", "", float, double) {
    // Six rows together, then one to five. Columns end in every number of registers, of whatever size they are.
    for (Index columns = 1; columns <= 130; ++columns) {
        const Rows<TestType> b = normal_matrix(9, columns, 2).cast<TestType>();
        const Panels<TestType> panels(strided(b));
        for (Index n = 7; n <= 11; ++n) {
            const Rows<TestType> a = normal_matrix(n, 9, 1).cast<TestType>();
            Rows<TestType> together(n, columns), alone(1, columns);
            panels.multiply(strided(a), together.data(), columns);
            for (Index i = 0; i < n; ++i) {
                INFO("row " << i << " of " << n << ", " << columns << " columns");
                panels.multiply(strided(Rows<TestType>(a.row(i))), alone.data(), columns);
                REQUIRE(alone == together.row(i));
            }
        }
    }
}

TEST_CASE("panels: factors that do not fit are refused") {
    const Points a = normal_matrix(2, 3, 1), b = normal_matrix(4, 2, 2);
    Points out(2, 2);
    CHECK_THROWS_AS(Panels<double>(strided(b)).multiply(strided(a), out.data(), 2), std::invalid_argument);
}
