// Mechanisms of functions that a user brings.
#include "rfbench/features/function_mechanism.hpp"

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"

using namespace rfbench;
using namespace rfbench::features;
using Catch::Matchers::Contains;

namespace {

/// Positive features by their formulas; keys have `more` columns than queries, and log E Z^2 is `off`.
class OwnPositive final : public MechanismFunctions {
public:
    explicit OwnPositive(Index more = 0, double off = 0) : more_(more), off_(off) {}

    std::string name() const override { return "mine"; }
    Rows<double> features(Side side, const Points& rows, const Projections& omega) const override {
        Rows<double> values = rows * omega;
        values.colwise() -= rows.rowwise().squaredNorm();
        values = values.array().exp();
        if (side == Side::key) values.conservativeResize(Eigen::NoChange, values.cols() + more_);
        return values;
    }
    std::function<double(Index, double)> quantile() const override { return {}; }
    Points log_second_moments(const Points& x, const Points& y) const override {
        Points logs(x.rows(), y.rows());
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < y.rows(); ++j)
                logs(i, j) = 2 * (x.row(i) + y.row(j)).squaredNorm() - 2 * x.row(i).squaredNorm() -
                             2 * y.row(j).squaredNorm() + off_;
        return logs;
    }

private:
    Index more_;
    double off_;
};

Points some(Index rows, std::uint64_t seed) {
    Stream stream(seed);
    Points points(rows, 3);
    for (double& value : points.reshaped()) value = 0.5 * stream.normal();
    return points;
}

}  // namespace

TEST_CASE("functions with the formulas of a mechanism estimate and vary as it does") {
    const Points x = some(6, 1), y = some(5, 2);
    const auto own = mechanism_with_moments_of(std::make_shared<OwnPositive>(), 3);
    const auto ours = fit_with_moments(find("positive"), statistics(x, y));
    const Draw drawn = draw(*own, 3, 8, sampling::find("orthogonal"), Stream(4));
    CHECK(drawn.omega == draw(*ours, 3, 8, sampling::find("orthogonal"), Stream(4)).omega);
    const auto kernel = [&](const Mechanism& mechanism) {
        FeatureBlock<double> queries, keys;
        const auto map = mechanism.map(drawn);
        map->evaluate(Side::query, x, queries);
        map->evaluate(Side::key, y, keys);
        return estimate(queries, keys);
    };
    // Logarithms of sums of eight terms, in another order.
    CHECK((kernel(*own).log_abs - kernel(*ours).log_abs).cwiseAbs().maxCoeff() < 1e-13);
    Points own_logs(6, 5), logs(6, 5);
    own->log_variances(x, y, own_logs);
    ours->log_variances(x, y, logs);
    CHECK((own_logs - logs).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(own->moments(Pair(x.row(1).data(), y.row(2).data(), 3)).log_variance == own_logs(1, 2));
}

TEST_CASE("functions that fit neither each other nor a variance are told") {
    const Points x = some(4, 3);
    const auto uneven = mechanism_of(std::make_shared<OwnPositive>(1), 3);
    const auto map = uneven->map(draw(*uneven, 3, 8, sampling::find("iid"), Stream(1)));
    FeatureBlock<double> block;
    CHECK_THROWS_WITH(map->evaluate(Side::key, x, block), Contains("give 8 and 9 real columns"));
    const auto negative = mechanism_with_moments_of(std::make_shared<OwnPositive>(0, -40.0), 3);
    Points logs(4, 4);
    CHECK_THROWS_AS(negative->log_variances(x, x, logs), InputError);
    // E Z^2 = K^2 up to rounding is a variance of zero: Z is exp(-|x|^2) there at y = -x.
    const auto exact = mechanism_with_moments_of(std::make_shared<OwnPositive>(), 3);
    const Points minus = -x;
    exact->log_variances(x, minus, logs);
    for (Index i = 0; i < 4; ++i) CHECK(logs(i, i) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("a mechanism is added under a name of its own") {
    MechanismInfo info;
    info.name = "positive";
    CHECK_THROWS_WITH(add_mechanism(info), "there is a mechanism 'positive' already");
}
