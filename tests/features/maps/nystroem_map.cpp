#include "rfbench/features/maps/nystroem_map.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "nystroem_reference.hpp"
#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::features;

namespace {

/// Points of nystroem_reference.py.
Points sines(Index rows, Index columns, double phase) {
    Points points(rows, columns);
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j)
            points(i, j) = std::sin(phase + 3 * static_cast<double>(i) + 7 * static_cast<double>(j));
    return points;
}

Points features_of(const NystroemMap& map, const Points& rows) {
    FeatureBlock<double> block;
    map.evaluate(Side::query, rows, block);
    CHECK(block.values.cwiseAbs().maxCoeff() <= 1);
    return block.log_scale.array().exp().matrix().asDiagonal() * block.values;
}

Points kernel(const Points& x, const Points& y) {
    Points values(x.rows(), y.rows());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) values(i, j) = std::exp(-0.5 * (x.row(i) - y.row(j)).squaredNorm());
    return values;
}

/// Rounding of K(Z, Z)^{-1}: m entries of 1 at most, divided by the smallest eigenvalue.
double rounding(const Points& landmarks) {
    const Eigen::MatrixXd matrix = kernel(landmarks, landmarks);
    const double least = decompositions::symmetric_eigenvalues(matrix)[0];
    return 4 * static_cast<double>(landmarks.rows() * landmarks.rows()) * std::numeric_limits<double>::epsilon() /
           least;
}

}  // namespace

TEST_CASE("Nystroem features are those of scikit-learn") {
    const Points landmarks = sines(5, 3, 1);
    const NystroemMap map(landmarks);
    CHECK((map.columns() == 5 && map.singular() == 0));
    const Points own = features_of(map, sines(4, 3, 2));
    for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < 5; ++j) CHECK(own(i, j) == Approx(nystroem_reference[i][j]).margin(rounding(landmarks)));
}

TEST_CASE("Nystroem features reproduce the kernel of all rows when all of them are landmarks") {
    const Points rows = 3 * sines(40, 4, 0.5);
    const NystroemMap map(rows);
    REQUIRE(map.singular() == 0);
    const Points phi = features_of(map, rows);
    CHECK((phi * phi.transpose() - kernel(rows, rows)).cwiseAbs().maxCoeff() < rounding(rows));
    // Other rows against a landmark: K(x, Z) K(Z, Z)^{-1} K(Z, z) = K(x, z).
    const Points others = 3 * sines(7, 4, 0.9);
    CHECK((features_of(map, others) * phi.transpose() - kernel(others, rows)).cwiseAbs().maxCoeff() < rounding(rows));
    // And never more than K(x, x) = 1, by the Schur complement.
    CHECK(features_of(map, others).rowwise().squaredNorm().maxCoeff() < 1 + rounding(rows));
}

TEST_CASE("landmarks that coincide are counted, and the features are those without them") {
    Points twice(8, 3);
    twice << sines(4, 3, 1), sines(4, 3, 1);
    const NystroemMap map(twice), once(sines(4, 3, 1));
    CHECK((map.columns() == 8 && map.singular() == 4));
    const Points rows = sines(6, 3, 2), a = features_of(map, rows), b = features_of(once, rows);
    CHECK((a * a.transpose() - b * b.transpose()).cwiseAbs().maxCoeff() < 4 * rounding(sines(4, 3, 1)));
    CHECK(NystroemMap(Points::Ones(5, 2)).singular() == 4);
}

TEST_CASE("rows far from all landmarks keep their ratios, in either precision") {
    const NystroemMap map(sines(5, 3, 1));
    // exp(-|x|^2 / 2) of these is below 1e-2000.
    const Points far = 100 * sines(3, 3, 2);
    FeatureBlock<double> block;
    map.evaluate(Side::key, far, block);
    CHECK(block.vanished == 0);
    CHECK(block.values.cwiseAbs().rowwise().maxCoeff() == Vector::Ones(3));
    CHECK(block.log_scale.maxCoeff() < -2000);
    FeatureBlock<float> narrow;
    map.evaluate(Side::key, Rows<float>(far.cast<float>()), narrow);
    CHECK(narrow.values.cwiseAbs().maxCoeff() == 1);
    CHECK(tests::contains(tests::refusal([&] { map.evaluate(Side::key, sines(3, 2, 2), block); }), "2 coordinates"));
    CHECK_THROWS_AS(NystroemMap(Points(0, 3)), std::invalid_argument);
    CHECK_THROWS_AS(NystroemMap(Points::Constant(2, 2, std::nan(""))), std::invalid_argument);
}

TEST_CASE("landmarks are rows without repetition, fewer the first of more, the same for one stream") {
    Points rows(20, 1);
    for (Index i = 0; i < 20; ++i) rows(i, 0) = static_cast<double>(i);
    const Points some = draw_landmarks(rows, 6, Stream(3)), all = draw_landmarks(rows, 30, Stream(3));
    CHECK(all.topRows(6) == some);
    CHECK(draw_landmarks(rows, 6, Stream(3)) == some);
    CHECK(draw_landmarks(rows, 6, Stream(4)) != some);
    REQUIRE(all.rows() == 20);
    Vector sorted = all.col(0);
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == rows.col(0));
}
