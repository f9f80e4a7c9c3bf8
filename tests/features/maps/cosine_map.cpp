// Fast cosine features against the dense matrix.
#include "rfbench/features/maps/cosine_map.hpp"

#include <omp.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/maps/cosine_transforms.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;
using sampling::cosine_direction;
using sampling::CosineSide;

namespace {

ExponentialSide drawn_side(const char* sampling, Index d, Index count) {
    Projections omega(d, count);
    sampling::find(sampling).normals(Stream(6), omega);
    Eigen::MatrixXd bias(count, 1);
    fill_normal(Stream(7), bias);
    return {omega, bias.col(0), {.constant = 0.3, .isotropic = -1}};
}

}  // namespace

TEST_CASE("fast cosine transforms equal the dense matrix, for m = d and m above, rows and columns") {
    for (const CosineSide side : {CosineSide::rows, CosineSide::columns})
        for (const Index d : {1, 2, 3, 8, 15, 64, 100, 257})
            for (const Index count : {Index{1}, d, 2 * d + 1, 9 * d}) {
                const CosineTransforms<double> wide(side, d);
                const CosineTransforms<float> narrow(side, d);
                CosineTransforms<double>::Workspace workspace(wide);
                CosineTransforms<float>::Workspace narrow_workspace(narrow);
                const Index n = std::min(narrow.rows_at_once, 5 + d % 28);
                const Points x = normal_points(n, d, Stream(5), 1 / std::sqrt(static_cast<double>(d)));
                const Rows<float> single = x.cast<float>();
                Points fast(n, count);
                Rows<float> fast_single(n, count);
                for (Index i = 0; i < n; i += wide.rows_at_once) {
                    const Index rows = std::min(wide.rows_at_once, n - i);
                    wide.apply(x.middleRows(i, rows), count, &fast(i, 0), count, workspace);
                }
                narrow.apply(single, count, fast_single.data(), count, narrow_workspace);
                double worst = 0, worst_single = 0;
                for (Index m = 0; m < count; ++m) {
                    const Vector c = cosine_direction(side, d, m);
                    for (Index i = 0; i < n; ++i) {
                        worst = std::max(worst, std::abs(fast(i, m) - c.dot(x.row(i))) / x.row(i).norm());
                        const double exact = c.dot(single.row(i).cast<double>());
                        worst_single = std::max(
                            worst_single, std::abs(static_cast<double>(fast_single(i, m)) - exact) / x.row(i).norm());
                    }
                }
                INFO("d = " << d << ", m = " << count);
                // Over |x|: sums of d products of size |x| / sqrt d, errors adding like their number at worst.
                const double size = 2 + std::sqrt(static_cast<double>(d));
                CHECK(worst <= 4 * size * std::numeric_limits<double>::epsilon());
                CHECK(worst_single <= 4 * size * static_cast<double>(std::numeric_limits<float>::epsilon()));
            }
}

TEST_CASE("fast cosine features are the dense ones, and their gradients too") {
    for (const char* sampling : {"dct", "dct-columns"})
        for (const auto& [d, count] :
             std::vector<std::pair<Index, Index>>{{8, 8}, {8, 5}, {8, 50}, {33, 100}, {600, 700}}) {
            INFO(sampling << ", d = " << d << ", m = " << count);
            const ExponentialSide side = drawn_side(sampling, d, count);
            const Points x = normal_points(7, d, Stream(5), 1 / std::sqrt(static_cast<double>(d)));
            const auto fast = cosine_map(side), dense = exponential_map(side, side);
            CHECK(fast->columns() == count);
            FeatureBlock<double> a, b;
            fast->evaluate(Side::key, x, a);
            dense->evaluate(Side::key, x, b);
            // Exponents up to about 60 (d = 600: lengths of 25), each off by few ulps.
            CHECK((a.values - b.values).cwiseAbs().maxCoeff() <= 1e-12);
            CHECK((a.log_scale - b.log_scale).cwiseAbs().maxCoeff() <= 1e-12);
            Rows<double> one, other;
            fast->differentiable()->pullback(Side::key, x, b, b.values, one);
            dense->differentiable()->pullback(Side::key, x, b, b.values, other);
            CHECK(one == other);
        }
}

TEST_CASE("fast cosine features have the same bits for any number of threads, and do not depend on other rows") {
    const ExponentialSide side = drawn_side("dct", 20, 70);
    const auto map = cosine_map(side);
    const Points x = normal_points(500, 20, Stream(5), 1 / std::sqrt(static_cast<double>(20)));
    FeatureBlock<double> reference, block, last;
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    map->evaluate(Side::query, x, reference);
    omp_set_num_threads(3);
    map->evaluate(Side::query, x, block);
    map->evaluate(Side::query, x.bottomRows(1), last);
    omp_set_num_threads(before);
    CHECK(reference.values == block.values);
    CHECK(reference.log_scale == block.log_scale);
    // Vectors of exponentials begin where a row does in memory: an ulp.
    CHECK((reference.values.bottomRows(1) - last.values).cwiseAbs().maxCoeff() <=
          4 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("only projections along cosine directions are taken") {
    CHECK(cosine_projections(drawn_side("dct", 12, 100).weights)->side == CosineSide::rows);
    CHECK(cosine_projections(drawn_side("dct-columns", 12, 100).weights)->side == CosineSide::columns);
    CHECK_FALSE(cosine_projections(drawn_side("dct-rotated", 12, 100).weights));
    CHECK_FALSE(cosine_projections(drawn_side("orthogonal", 12, 100).weights));
    Projections nearly = drawn_side("dct", 12, 100).weights;
    nearly(3, 99) += 1e-12;
    CHECK_FALSE(cosine_projections(nearly));
    CHECK_THROWS_WITH(cosine_map(drawn_side("iid", 12, 3)),
                      "cosine map: the projections are not along the directions of sampling 'dct' or 'dct-columns'");
    // From the dimension on where it is faster, the mechanisms of the paper use it.
    for (const char* name : {"positive-fixed", "discrete-cosine"}) {
        const Points x = normal_points(4, 512, Stream(5), 1 / std::sqrt(static_cast<double>(512)));
        const auto mechanism = fit(find(name), features::statistics(x, x));
        const auto fast = mechanism->map(draw(*mechanism, 512, 20, sampling::find("dct"), Stream(1)));
        const auto again = mechanism->map(draw(*mechanism, 512, 20, sampling::find("dct"), Stream(1)));
        FeatureBlock<double> a, b;
        fast->evaluate(Side::query, x, a);
        again->evaluate(Side::query, x, b);
        CHECK(a.values == b.values);
        CHECK_FALSE(fast->logs());
    }
}
