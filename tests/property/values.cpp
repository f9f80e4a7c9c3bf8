// Every mechanism: positive where claimed, finite at extremes, the same bits for any number of threads, the same
// numbers in float, in batches and pair by pair.
#include <omp.h>

#include <cmath>
#include <cstring>

#include "mechanism_cases.hpp"
#include "support/normal_points.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

const sampling::Scheme& iid() { return sampling::find("iid"); }

std::unique_ptr<FeatureMap> drawn(const Mechanism& mechanism, Index d, Index count) {
    return mechanism.map(draw(mechanism, d, count, iid(), Stream(3)));
}

bool same_bits(const FeatureBlock<double>& a, const FeatureBlock<double>& b) {
    return tests::same_bits(a.values, b.values) && tests::same_bits(a.log_scale, b.log_scale);
}

}  // namespace

MECHANISM_TEST_CASE("Features are positive where the mechanism claims it", tests::claimed_positive) {
    const Points x = normal_points(50, 6, Stream(4), 1.0), y = normal_points(50, 6, Stream(5), 1.0, -0.5);
    const auto mechanism = fit(info, features::statistics(x, y));
    const auto map = drawn(*mechanism, 6, 32);
    for (const Side side : {Side::query, Side::key}) {
        FeatureBlock<double> block;
        map->evaluate(side, side == Side::query ? x : y, block);
        // A feature that underflows against the largest of its row is 0; none is ever negative.
        CHECK((block.values.array() >= 0).all());
        CHECK((block.values.rowwise().maxCoeff().array() > 0.5).all());
        CHECK(block.vanished == 0);
    }
}

MECHANISM_TEST_CASE("The columns a mechanism says it costs are the columns it has", tests::any_mechanism) {
    const Points x = normal_points(9, 3, Stream(4), 0.5);
    const auto mechanism = fit(info, features::statistics(x, x));
    for (const Index count : {1, 2, 7}) CHECK(drawn(*mechanism, 3, count)->columns() == mechanism->columns(count));
}

MECHANISM_TEST_CASE("Nothing overflows at |x| = 50 in 512 dimensions", tests::any_mechanism) {
    for (const double norm : {1e-8, 50.0}) {
        for (const Index d : {1, 2, 512}) {
            Points x = normal_points(6, d, Stream(11), 1.0), y = normal_points(6, d, Stream(12), 1.0);
            x.rowwise().normalize();
            y.rowwise().normalize();
            x *= norm;
            y *= norm;
            y.row(0) = x.row(0) * 0.999;
            y.row(1) = -x.row(1) * 0.999;
            // No two lengths are equal: in one dimension x = y and x = -y have variance zero for some mechanisms.
            for (Index i = 0; i < 6; ++i) {
                x.row(i) *= 1 - 0.010 * static_cast<double>(i);
                y.row(i) *= 1 - 0.013 * static_cast<double>(i);
            }
            INFO("d = " << d << ", |x| = " << norm);
            const auto mechanism = fit(info, features::statistics(x, y));
            const auto map = drawn(*mechanism, d, 16);
            for (const Side side : {Side::query, Side::key}) {
                FeatureBlock<double> wide;
                FeatureBlock<float> narrow;
                map->evaluate(side, side == Side::query ? x : y, wide);
                map->evaluate(side, Rows<float>((side == Side::query ? x : y).cast<float>()), narrow);
                CHECK(wide.values.allFinite());
                CHECK(wide.log_scale.allFinite());
                CHECK(wide.values.cwiseAbs().maxCoeff() <= 1 + 1e-12);
                CHECK(narrow.values.allFinite());
                CHECK(narrow.log_scale.allFinite());
            }
            if (!info.has_moments()) continue;
            const auto stated = fit_with_moments(info, features::statistics(x, y));
            Points batch(6, 6);
            stated->log_variances(x, y, batch);
            for (Index i = 0; i < 6; ++i)
                for (Index j = 0; j < 6; ++j) {
                    const Moments moments = stated->moments(Pair(x.row(i).data(), y.row(j).data(), d));
                    INFO("pair " << i << ", " << j << ": " << moments.log_mean << " " << moments.log_second_moment
                                 << " " << moments.log_variance << " batch " << batch(i, j));
                    CHECK(std::isfinite(moments.log_mean));
                    CHECK(std::isfinite(moments.log_second_moment));
                    CHECK(std::isfinite(moments.log_variance));
                    CHECK(std::isfinite(batch(i, j)));
                }
        }
    }
}

MECHANISM_TEST_CASE("Batches of log variances equal the pairs'", tests::with_moments) {
    for (const Index d : {1, 3, 40}) {
        INFO("d = " << d);
        const Points x = normal_points(33, d, Stream(21), 0.6), y = normal_points(17, d, Stream(22), 0.4, 0.3);
        const auto mechanism = fit_with_moments(info, features::statistics(x, y));
        Points batch(33, 17);
        mechanism->log_variances(x, y, batch);
        double worst = 0;
        for (Index i = 0; i < 33; ++i)
            for (Index j = 0; j < 17; ++j) {
                const double one = mechanism->moments(Pair(x.row(i).data(), y.row(j).data(), d)).log_variance;
                worst = std::max(worst, std::abs(batch(i, j) - one) / (1 + std::abs(one)));
            }
        // Squared distances from products of norms lose a few hundred ulps against differences.
        CHECK(worst <= 1e-10);
    }
}

MECHANISM_TEST_CASE("Features have the same bits for 1, 2 and 3 threads", tests::any_mechanism) {
    const Points x = normal_points(1000, 5, Stream(31), 0.8);
    const auto mechanism = fit(info, features::statistics(x, x));
    const auto map = drawn(*mechanism, 5, 24);
    FeatureBlock<double> reference;
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    map->evaluate(Side::key, x, reference);
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        FeatureBlock<double> block;
        map->evaluate(Side::key, x, block);
        CHECK(same_bits(reference, block));
        CHECK(reference.vanished == block.vanished);
    }
    omp_set_num_threads(before);
}

MECHANISM_TEST_CASE("Float features are the double ones, rounded", tests::any_mechanism) {
    const Points x = normal_points(200, 5, Stream(41), 0.5);
    const auto mechanism = fit(info, features::statistics(x, x));
    const auto map = drawn(*mechanism, 5, 24);
    FeatureBlock<double> wide;
    FeatureBlock<float> narrow;
    map->evaluate(Side::query, x, wide);
    map->evaluate(Side::query, Rows<float>(x.cast<float>()), narrow);
    // Exponents reach about 100 here, and carry a relative error of a few float ulps (6e-8) into the features.
    const Points difference =
        (narrow.values.cast<double>().array().colwise() * (narrow.log_scale - wide.log_scale).array().exp() -
         wide.values.array());
    CHECK(difference.cwiseAbs().maxCoeff() <= 1e-4);
}

MECHANISM_TEST_CASE("A row's features do not depend on how many rows are evaluated with it", tests::any_mechanism) {
    // Around a tile of 128 rows: the last one alone in a tile, and the last of a full one.
    const Points x = normal_points(258, 5, Stream(51), 0.8);
    const auto mechanism = fit(info, features::statistics(x, x));
    const auto map = drawn(*mechanism, 5, 24);
    for (const Index n : {1, 127, 128, 129, 256, 257}) {
        FeatureBlock<double> together, alone;
        map->evaluate(Side::key, x.topRows(n), together);
        REQUIRE(together.values.rows() == n);
        map->evaluate(Side::key, x.middleRows(n - 1, 1), alone);
        const double scale = std::exp(together.log_scale[n - 1] - alone.log_scale[0]);
        // Products are summed in another order: a few ulps of exponents up to about ten.
        CHECK((scale * together.values.row(n - 1) - alone.values.row(0)).cwiseAbs().maxCoeff() <= 1e-13);
    }
}

MECHANISM_TEST_CASE("The bits of a row's features do not depend on what the rows around it are", tests::any_mechanism) {
    Points x = normal_points(150, 12, Stream(52), 0.8);
    for (Index i = 10; i < x.rows(); i += 7) x.row(i).head(10) = x.row(3).head(10);
    // Around every seventh row others that share most columns with it, that are zero, and that are far away.
    const auto kept = [](Index i) { return i % 7 == 3; };
    Points alike = x, zero = x, far = x;
    for (Index i = 0; i < x.rows(); ++i) {
        if (kept(i)) continue;
        alike.row(i).head(10) = x.row(3).head(10);
        zero.row(i).setZero();
        far.row(i) *= 40;
    }
    const auto check = [&]<class Scalar>(const FeatureMap& map, const Points& other, Scalar) {
        FeatureBlock<Scalar> one, two;
        map.evaluate(Side::key, Rows<Scalar>(x.cast<Scalar>()), one);
        map.evaluate(Side::key, Rows<Scalar>(other.cast<Scalar>()), two);
        for (Index i = 0; i < x.rows(); ++i) {
            if (!kept(i)) continue;
            CHECK((one.values.row(i).array() == two.values.row(i).array()).all());
            CHECK(one.log_scale[i] == two.log_scale[i]);
        }
    };
    const auto mechanism = fit(info, features::statistics(x, x));
    const auto map = drawn(*mechanism, 12, 24);
    for (const Points* other : {&alike, &zero, &far}) {
        check(*map, *other, 0.0);
        check(*map, *other, 0.0f);
    }
}

MECHANISM_TEST_CASE("Where a variance vanishes, or a point is zero, its log is -infinity or finite, never NaN",
                    tests::with_moments) {
    const Points cloud = normal_points(20, 3, Stream(61), 0.5);
    const Vector x = cloud.row(0).transpose(), zero = Vector::Zero(3);
    const std::pair<Vector, Vector> pairs[] = {{x, x}, {x, -x}, {x, 0.5 * x}, {x, zero}, {zero, x}, {zero, zero}};
    const auto mechanism = fit_with_moments(info, features::statistics(cloud, -cloud));
    for (const auto& [a, b] : pairs) {
        INFO("x = " << a.transpose() << ", y = " << b.transpose());
        const Moments moments = mechanism->moments(Pair(a, b));
        Points batch(1, 1);
        mechanism->log_variances(Points(a.transpose()), Points(b.transpose()), batch);
        CHECK(std::isfinite(moments.log_mean));
        CHECK(std::isfinite(moments.log_second_moment));
        CHECK(!std::isnan(moments.log_variance));
        CHECK(!std::isnan(batch(0, 0)));
    }
}
