#include "rfbench/products/rows_sharing_entries.hpp"

#include <limits>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using products::Panels;
using products::RowsSharingEntries;
using products::strided;

namespace {

constexpr Index inner = 24, columns = 70;

Points normal(Index n, Index d, std::uint64_t seed) {
    Eigen::MatrixXd result(n, d);
    fill_normal(Stream(seed), result);
    return result.cast<float>().cast<double>();
}

/// Sorted rows of three one-hot categories, of as many as three of their periods; then rows that share nothing with the
/// ones before, and two that are the same.
Points categories() {
    const Index alike = 3 * RowsSharingEntries<double>::period;
    Points a = Points::Constant(alike + 15, inner, -0.375);
    for (Index i = 0; i < alike; ++i) {
        a(i, i / 64) = 2.5;
        a(i, 8 + i / 8 % 8) = 1.25;
        a(i, 16 + i % 8) = 3.125;
    }
    a.bottomRows(15) = normal(15, inner, 1);
    a.row(alike + 9) = a.row(alike + 8);
    return a;
}

/// The largest error of rows first .. first + n - 1 against products in double, in units of rounding of the largest sum
/// of sizes. A column beyond the last must be left alone.
template <class Scalar>
double error(const Points& a, const Points& b, Index first, Index n) {
    const RowsSharingEntries<Scalar> rows(Rows<Scalar>(a.cast<Scalar>()));
    const Points bias = normal(1, b.cols(), 3);
    Rows<Scalar> narrow_b, start;
    narrow_b = b.cast<Scalar>();
    start = bias.cast<Scalar>();
    Rows<Scalar> out = Rows<Scalar>::Constant(n, b.cols() + 1, 7);
    rows.multiply(Panels<Scalar>(strided(narrow_b)), first, n, start.data(), out.data(), b.cols() + 1);
    CHECK((out.col(b.cols()).array() == 7).all());
    const Points own = a.middleRows(first, n);
    const double size = ((own.cwiseAbs() * b.cwiseAbs()).rowwise() + bias.cwiseAbs().row(0)).maxCoeff();
    const Points expected = (own * b).rowwise() + bias.row(0);
    return (out.leftCols(b.cols()).template cast<double>() - expected).cwiseAbs().maxCoeff() / size /
           static_cast<double>(std::numeric_limits<Scalar>::epsilon());
}

// Three products one on the other: a row's own, differences of a group and of a period, twice as large each; all of
// inner + 1 rounded terms, rounded once more where the differences were taken.
constexpr double allowed = 5 * (inner + 2);

}  // namespace

TEST_CASE("alike rows: the products are those of the rows, whatever they share") {
    const Points a = categories(), b = normal(inner, columns, 2);
    CHECK(error<double>(a, b, 0, a.rows()) <= allowed);
    CHECK(error<float>(a, b, 0, a.rows()) <= allowed);
    const Points unlike = normal(80, inner, 4);
    CHECK(error<double>(unlike, b, 0, 80) <= allowed);
    CHECK(error<float>(unlike, b, 0, 80) <= allowed);
}

TEST_CASE("alike rows: a period one of whose groups shares nothing but its first row") {
    Points a = categories().topRows(RowsSharingEntries<double>::period);
    const Points b = normal(inner, columns, 2);
    a.middleRows(products::rows_at_once + 1, products::rows_at_once - 1) = normal(products::rows_at_once - 1, inner, 5);
    CHECK(error<double>(a, b, 0, a.rows()) <= allowed);
    CHECK(error<float>(a, b, 0, a.rows()) <= allowed);
}

TEST_CASE("alike rows: part of them, from a period's begin or within one") {
    const Points a = categories(), b = normal(inner, columns, 2);
    for (const Index first : {Index{0}, Index{6}, Index{36}, Index{66}, Index{114}})
        for (const Index n : {Index{1}, Index{5}, Index{6}, Index{7}}) CHECK(error<double>(a, b, first, n) <= allowed);
    CHECK(error<double>(a, b, 30, 50) <= allowed);
    CHECK(error<double>(a, b, 36, 72) <= allowed);
}

TEST_CASE("alike rows: what stands for an infinite entry drowns nothing") {
    // The first entry of every other row is huge: it shares all others, and must not be reached by a difference.
    Points a = Points::Constant(72, inner, 0.5);
    for (Index i = 0; i < 72; i += 2) a(i, 0) = -1e30;
    Points b = normal(inner, columns, 2);
    b.row(0).head(columns / 2).setZero();
    const RowsSharingEntries<double> rows(a);
    Points out(72, columns);
    const Points none = Points::Zero(1, columns);
    rows.multiply(Panels<double>(strided(b)), 0, 72, none.data(), out.data(), columns);
    for (Index i = 0; i < 72; ++i) {
        // Rows in which the huge entry counts have no other one that counts.
        const Index kept = i % 2 == 1 ? columns : columns / 2;
        const Eigen::RowVectorXd expected = a.row(i) * b;
        const Eigen::RowVectorXd sizes =
            0.5 * b.bottomRows(inner - 1).cwiseAbs().colwise().sum() + (i % 2 == 1 ? 0.5 : 0) * b.row(0).cwiseAbs();
        const double unit = std::numeric_limits<double>::epsilon() * sizes.head(kept).maxCoeff();
        CHECK((out.row(i) - expected).head(kept).cwiseAbs().maxCoeff() <= allowed * unit);
    }
}

TEST_CASE("alike rows: none, one, and of no columns") {
    const Points b = normal(inner, columns, 2);
    CHECK(RowsSharingEntries<double>(Points(0, inner)).size() == 0);
    CHECK(error<double>(normal(1, inner, 5), b, 0, 1) <= allowed);
    CHECK(error<double>(Points(40, 0), Points(0, columns), 0, 40) == 0);
}
