// The discrete features themselves: signs, zeros, extremes; and their log variances in batches.
#include "rfbench/features/maps/discrete_map.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/features/mechanisms/discrete_mechanism.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

const std::vector<const MechanismInfo*>& all() {
    static const std::vector<const MechanismInfo*> mechanisms{
        &poisson(), &geometric(), &poisson_shifted(), &geometric_shifted(), &optimal_discrete(), &negative_binomial()};
    return mechanisms;
}

/// exp(-|x|^2 / 2 + bias) prod_l x_l^k_l / sqrt M
long double monomial(const Eigen::RowVectorXd& x, const Vector& k, double bias, Index columns) {
    long double value =
        std::exp(static_cast<long double>(bias - 0.5 * x.squaredNorm())) / std::sqrt(static_cast<long double>(columns));
    for (Index l = 0; l < x.size(); ++l) value *= std::pow(static_cast<long double>(x[l]), static_cast<int>(k[l]));
    return value;
}

/// Pairs whose batch entry differs from moments() by more than the batch's stated error, 1e-11 and an ulp.
Index wrong_pairs(const MechanismWithMoments& mechanism, const Points& x, const Points& y) {
    Points batch(x.rows(), y.rows());
    mechanism.log_variances(x, y, batch);
    Index wrong = 0;
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) {
            const double pair = mechanism.moments(Pair(x.row(i).data(), y.row(j).data(), x.cols())).log_variance;
            // Each is a sum over d coordinates, which rounds by at most d ulps of its largest partial sum.
            const double size = x.row(i).squaredNorm() + y.row(j).squaredNorm() + std::abs(pair);
            const double rounding = static_cast<double>(x.cols() + 40) * std::numeric_limits<double>::epsilon() * size;
            if (!(std::abs(batch(i, j) - pair) <= 2e-11 + rounding)) ++wrong;
        }
    return wrong;
}

}  // namespace

TEST_CASE("Features are the monomials, with their signs and zeros", "[features][discrete]") {
    constexpr Index d = 5, columns = 40, rows = 300;
    Stream stream(1);
    Eigen::MatrixXd powers(d, columns);
    for (Index m = 0; m < columns; ++m)
        for (Index l = 0; l < d; ++l) powers(l, m) = static_cast<double>(stream.below(6));
    powers.col(0).setZero();
    const Vector bias = normal_points(columns, 1, Stream(2)).col(0);
    Points x = normal_points(rows, d, Stream(3), 0.8);
    for (Index i = 0; i < rows; i += 3) x(i, static_cast<Index>(stream.below(d))) = i % 2 == 0 ? 0.0 : -0.0;
    const auto map = discrete_map(powers, bias);
    FeatureBlock<double> wide;
    FeatureBlock<float> narrow;
    map->evaluate(Side::query, x, wide);
    map->evaluate(Side::query, Rows<float>(x.cast<float>()), narrow);
    CHECK(wide.vanished == 0);
    Index wrong = 0, wrong_float = 0, wrong_zero = 0;
    for (Index i = 0; i < rows; ++i)
        for (Index m = 0; m < columns; ++m) {
            const long double expected = monomial(x.row(i), powers.col(m), bias[m], columns);
            const long double value = wide.values(i, m) * std::exp(static_cast<long double>(wide.log_scale[i]));
            // The exponent is a sum of six terms below 40 in size: 1e-14 in double, 1e-5 in float.
            if (std::abs(value - expected) > 1e-13L * std::abs(expected)) ++wrong;
            const long double single = narrow.values(i, m) * std::exp(static_cast<long double>(narrow.log_scale[i]));
            if (std::abs(single - expected) > 1e-4L * std::abs(expected)) ++wrong_float;
            if ((expected == 0) != (wide.values(i, m) == 0) || (expected == 0) != (narrow.values(i, m) == 0))
                ++wrong_zero;
        }
    CHECK(wrong == 0);
    CHECK(wrong_float == 0);
    CHECK(wrong_zero == 0);
}

TEST_CASE("Rows without any feature are counted", "[features][discrete]") {
    const Eigen::MatrixXd powers{{1, 2, 3}, {0, 1, 0}};
    const auto map = discrete_map(powers, Vector::Zero(3));
    const Points x{{0, 1}, {0.5, 0}, {0, 0}, {-2, 3}};
    FeatureBlock<double> wide;
    FeatureBlock<float> narrow;
    map->evaluate(Side::key, x, wide);
    map->evaluate(Side::key, Rows<float>(x.cast<float>()), narrow);
    CHECK(wide.vanished == 2);
    CHECK(narrow.vanished == 2);
    CHECK((wide.values.row(0).array() == 0).all());
    CHECK(wide.values(1, 1) == 0);
    CHECK(wide.values(1, 0) > 0);
    CHECK(wide.values(3, 0) < 0);
    CHECK(wide.values(3, 1) > 0);
    CHECK(wide.log_scale.allFinite());
    CHECK(narrow.log_scale.allFinite());
}

TEST_CASE("Positive features do not underflow to zero", "[features][discrete]") {
    const Eigen::MatrixXd powers{{0, 1000, 3}};
    const auto map = discrete_map(powers, Vector::Zero(3));
    const Points x{{1e-8}, {0.5}, {1e8}};
    FeatureBlock<double> wide;
    FeatureBlock<float> narrow;
    map->evaluate(Side::key, x, wide);
    map->evaluate(Side::key, Rows<float>(x.cast<float>()), narrow);
    CHECK((wide.values.array() > 0).all());
    CHECK((narrow.values.array() > 0).all());
}

TEST_CASE("Features and variances are finite for |x| = 50 in 512 dimensions", "[features][discrete]") {
    Points x = normal_points(5, 512, Stream(4)), y = normal_points(4, 512, Stream(5));
    x.rowwise().normalize();
    y.rowwise().normalize();
    x *= 50;
    y *= 50;
    x.row(1).setZero();
    x(1, 7) = -50;  // all on one axis, and opposite
    y.row(1).setZero();
    y(1, 7) = 49;
    x.row(2).setZero();
    for (const MechanismInfo* info : all()) {
        INFO(info->name);
        const auto mechanism = fit_with_moments(*info, features::statistics(x, y));
        const auto map = mechanism->map(draw(*mechanism, 512, 32, sampling::find("iid"), Stream(6)));
        FeatureBlock<double> block;
        map->evaluate(Side::query, x, block);
        CHECK(block.values.allFinite());
        CHECK(block.log_scale.allFinite());
        Points batch(5, 4);
        mechanism->log_variances(x, y, batch);
        CHECK(batch.allFinite());
        CHECK(wrong_pairs(*mechanism, x, y) == 0);
    }
}

TEST_CASE("Batches of log variances equal the pairs', whatever the data", "[features][discrete]") {
    constexpr Index n = 150, m = 40;
    struct Data {
        const char* name;
        Points x, y;
    };
    std::vector<Data> data;
    for (const Index d : {1, 7, 64})
        for (const double scale : {1e-6, 0.02, 0.5, 3.0})
            data.push_back({"normal", normal_points(n, d, Stream(21), scale), normal_points(m, d, Stream(22), scale)});
    // clusters far from 0: small excess from large terms
    data.push_back({"cluster", (normal_points(n, 8, Stream(23), 0.01).array() + 2).matrix(),
                    (normal_points(m, 8, Stream(24), 0.01).array() + 2).matrix()});
    // coordinates of very different sizes in one set: sums that underflow against their rows' largest
    Points spread = normal_points(n, 3, Stream(25)), keys = normal_points(m, 3, Stream(26));
    for (Index i = 0; i < n; ++i) spread.row(i) *= i % 2 == 0 ? 12.0 : 0.05;
    for (Index j = 0; j < m; ++j) keys.row(j) *= j % 2 == 0 ? 10.0 : 0.05;
    data.push_back({"spread", spread, keys});
    Points sparse = normal_points(n, 9, Stream(27));
    for (Index i = 0; i < n; ++i)
        for (Index l = 0; l < 9; ++l)
            if ((i + l) % 3 != 0) sparse(i, l) = 0;
    data.push_back({"sparse", sparse, sparse.topRows(m)});
    for (const Data& one : data)
        for (const MechanismInfo* info : all()) {
            INFO(one.name << ", d = " << one.x.cols() << ", x(0, 0) = " << one.x(0, 0) << ", " << info->name);
            const auto mechanism = fit_with_moments(*info, features::statistics(one.x, one.y));
            CHECK(wrong_pairs(*mechanism, one.x, one.y) == 0);
        }
}

TEST_CASE("Batches hold for points unlike those the law was fitted to", "[features][discrete]") {
    const Points near = normal_points(30, 4, Stream(31), 0.2);
    const Points far = normal_points(20, 4, Stream(32), 6);
    for (const MechanismInfo* info : {&poisson(), &geometric(), &optimal_discrete(), &negative_binomial()}) {
        INFO(info->name);
        const auto mechanism = fit_with_moments(*info, features::statistics(near, near));
        CHECK(wrong_pairs(*mechanism, far, near) == 0);
        CHECK(wrong_pairs(*mechanism, far, far) == 0);
    }
}
