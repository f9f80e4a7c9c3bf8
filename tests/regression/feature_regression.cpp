// Kernel regression through features against sums over all pairs.
#include "rfbench/regression/feature_regression.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "regression/drawn_map.hpp"
#include "rfbench/regression/class_sums.hpp"
#include "rfbench/regression/kernel_regression.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::regression;
using namespace rfbench::tests;

namespace {

std::vector<int> cycling(Index rows, int classes) {
    std::vector<int> result;
    for (Index i = 0; i < rows; ++i) result.push_back(static_cast<int>((i * i + i / 3) % classes));
    return result;
}

/// Class sums of exact kernel values, one pair at a time, in long double.
std::vector<int> brute_force(const Points& x, const std::vector<int>& classes, int class_count, const Points& queries,
                             double gamma) {
    std::vector<int> result;
    for (Index q = 0; q < queries.rows(); ++q) {
        std::vector<long double> scores(static_cast<std::size_t>(class_count), 0);
        for (Index i = 0; i < x.rows(); ++i)
            scores[static_cast<std::size_t>(classes[static_cast<std::size_t>(i)])] +=
                std::exp(-0.5L * gamma * gamma * (queries.row(q) - x.row(i)).squaredNorm());
        result.push_back(static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin()));
    }
    return result;
}

}  // namespace

TEST_CASE("Exact kernel regression equals the sum over all pairs", "[regression]") {
    const Points x = normal_points(50, 3, Stream(1), 1), queries = normal_points(20, 3, Stream(2), 1);
    const auto classes = cycling(50, 4);
    const std::vector<double> gammas{0.01, 0.5, 1, 3, 20};
    const auto predicted = kernel_regression(by_class(x, classes), queries, gammas);
    for (std::size_t g = 0; g < gammas.size(); ++g)
        CHECK(predicted[g].classes == brute_force(x, classes, 4, queries, gammas[g]));
}

TEST_CASE("Far queries are decided by the nearest row, not lost", "[regression]") {
    const Points x{{0, 0}, {1, 0}}, queries{{1000, 0}, {-1000, 0}};
    const auto predicted = kernel_regression(by_class(x, {7, 3}), queries, {100});
    CHECK(predicted[0].classes == std::vector<int>{3, 7});
}

TEST_CASE("Rows far from the origin are told apart as near it, and distances beyond double are refused",
          "[regression]") {
    // Seconds since 1970, say: |y|^2 has no digits below 512, and all numbers here are exact.
    Points x(40, 1), queries(39, 1);
    std::vector<int> classes;
    for (Index i = 0; i < 40; ++i) {
        x(i, 0) = static_cast<double>(i);
        classes.push_back(static_cast<int>(i / 5 % 2));
        if (i < 39) queries(i, 0) = static_cast<double>(i) + 0.25;
    }
    const double far = 2147483648.0;
    const Points far_x = (x.array() + far).matrix(), far_queries = (queries.array() + far).matrix();
    const auto near = kernel_regression(by_class(x, classes), queries, {1, 3});
    const auto moved = kernel_regression(by_class(far_x, classes), far_queries, {1, 3});
    for (std::size_t g = 0; g < 2; ++g) CHECK(moved[g].classes == near[g].classes);
    CHECK(near[1].classes == brute_force(x, classes, 2, queries, 3));
    CHECK_THROWS_WITH(kernel_regression(by_class(Points{{1e200}, {-1e200}}, {7, 3}), Points{{2e200}}, {1}),
                      Catch::Contains("squared distances of rows leave the range of double"));
}

TEST_CASE("Of equal scores the first class wins", "[regression]") {
    const ClassifiedRows training = by_class(Points{{-1, 0}, {1, 0}}, {7, 3});
    REQUIRE(training.classes == std::vector<int>{7, 3});
    CHECK(kernel_regression(training, Points{{0, 0}, {0, 5}}, {1})[0].classes == std::vector<int>{7, 7});
}

TEST_CASE("Class sums are those of all rows, whichever came first and however many at a time", "[regression]") {
    // One feature, which is e^0 and e^3 of two rows of the first class, 21.1 together, and 30 of one of the second.
    // Were the first one not made smaller when the second came, there would be 40.
    const features::FeatureBlock<double> first{Rows<double>{{1.0}, {1.0}}, Vector{{0.0, 3.0}}},
        second{Rows<double>{{1.0}}, Vector{{std::log(30.0)}}}, query{Rows<double>{{1.0}}, Vector{{0.0}}};
    for (const bool at_once : {true, false}) {
        ClassSums sums(1, {7, 3});
        if (at_once) sums.add(0, first, 0, 2);
        if (!at_once) sums.add(0, first, 0, 1), sums.add(0, first, 1, 1);
        sums.add(1, second, 0, 1);
        CHECK(sums.predict(query).classes == std::vector<int>{3});
    }
}

TEST_CASE("Feature regression approaches the exact one as M grows", "[regression]") {
    const Points x = normal_points(50, 2, Stream(3), 0.7), queries = normal_points(200, 2, Stream(4), 0.7);
    const auto classes = cycling(50, 3);
    const ClassifiedRows training = by_class(x, classes);
    const auto exact = kernel_regression(training, queries, {1.0})[0].classes;
    for (const char* name : {"trigonometric", "optimal-positive", "geometric"}) {
        INFO(name);
        std::vector<double> agreement;
        for (const Index count : {8, 20000}) {
            FeatureRegression regression(training, {queries});
            agreement.push_back(regression.predict(*drawn(name, x, count))[0].accuracy(exact));
        }
        CHECK(agreement[1] >= 0.9);
        CHECK(agreement[1] >= agreement[0]);
    }
}

TEST_CASE("Rows are in lexicographic order within their class, classes by size, then by their first row",
          "[regression]") {
    const Points x{{2, 1}, {0, 5}, {2, 0}, {1, 1}, {0, 4}};
    const ClassifiedRows ours = by_class(x, {7, 3, 7, 3, 9});
    CHECK(ours.classes == std::vector<int>{7, 3, 9});
    CHECK(ours.starts == std::vector<Index>{0, 2, 4, 5});
    CHECK(ours.rows == Points{{2, 0}, {2, 1}, {0, 5}, {1, 1}, {0, 4}});
}

TEST_CASE("Numbering the classes otherwise changes nothing but the numbers", "[regression]") {
    // Equal points of two classes: every score is a tie.
    Points x = normal_points(40, 2, Stream(5), 0.5);
    for (Index i = 0; i < 20; ++i) x.row(20 + i) = x.row(i);
    std::vector<int> classes(40);
    for (std::size_t i = 0; i < 40; ++i) classes[i] = i < 20 ? 0 : 1;
    std::vector<int> swapped = classes;
    for (int& label : swapped) label = 1 - label;
    const Points queries = normal_points(30, 2, Stream(6), 0.5);
    const auto map = drawn("optimal-positive", x, 16);
    auto ours = FeatureRegression(by_class(x, classes), {queries}).predict(*map)[0].classes;
    const auto theirs = FeatureRegression(by_class(x, swapped), {queries}).predict(*map)[0].classes;
    for (int& label : ours) label = 1 - label;
    CHECK(ours == theirs);
}

TEST_CASE("Scores are finite at extreme gammas for every mechanism", "[regression]") {
    const Points x = normal_points(60, 3, Stream(7), 1);
    const auto classes = cycling(60, 3);
    for (const features::MechanismInfo& info : features::catalogue())
        for (const double gamma : {1e-2, 1.0, 1e2}) {
            INFO(info.name << ", gamma " << gamma);
            const Points scaled = gamma * x;
            const ClassifiedRows training = by_class(scaled, classes);
            const auto map = drawn(info.name.c_str(), scaled, 12);
            const Predictions predictions = FeatureRegression(training, {scaled}).predict(*map)[0];
            for (const int label : predictions.classes) CHECK((label >= Predictions::undecided && label < 3));
            // Only signed monomials and the like can have rows without any shared feature.
            if (info.positive && !info.discrete) CHECK(predictions.count_undecided() == 0);
        }
}

TEST_CASE("Rows without a shared feature are undecided, not given a class", "[regression]") {
    ClassSums sums(2, {0, 1});
    features::FeatureBlock<double> keys{Points{{1, 0}}, Vector::Zero(1)};
    sums.add(0, keys, 0, 1);
    sums.add(1, keys, 0, 1);
    const features::FeatureBlock<double> queries{Points{{0, 1}, {1, 0}}, Vector::Zero(2)};
    const Predictions predictions = sums.predict(queries);
    CHECK(predictions.classes == std::vector<int>{Predictions::undecided, 0});
    CHECK(predictions.accuracy({0, 0}) == 0.5);
}

TEST_CASE("Factors of features are kept however unlike the rows' scales are", "[regression]") {
    // Class 1 has the larger sum in feature 2, e^-2000 of the largest, and the query knows only that feature.
    const features::FeatureBlock<double> keys{Points{{1, 0}, {0, 1}, {0, 1}}, Vector{{0, -2001, -2000}}};
    ClassSums sums(2, {0, 1});
    sums.add(0, keys, 0, 2);
    sums.add(1, keys, 2, 1);
    CHECK(sums.predict({Points{{0, 1}}, Vector::Zero(1)}).classes == std::vector<int>{1});
}

TEST_CASE("Factors are kept of rows that are added together, however many these are", "[regression]") {
    // Feature 2 is known by the last row of class 0 alone, e^-2001 of the first, and by class 1 still less.
    for (const Index n : {2, 3, 5, 9, 17, 48}) {
        features::FeatureBlock<double> keys{Points::Zero(n + 1, 2), Vector::Zero(n + 1)};
        keys.values.col(0).setOnes();
        keys.values.bottomRows(2) = Points{{0, 1}, {0, 1}};
        keys.log_scale.tail(2) << -2001, -2005;
        ClassSums sums(2, {0, 1});
        sums.add(0, keys, 0, n);
        sums.add(1, keys, n, 1);
        INFO(n << " rows");
        CHECK(sums.predict({Points{{0, 1}}, Vector::Zero(1)}).classes == std::vector<int>{0});
    }
}

TEST_CASE("Sums in float say when they may have lost what decides", "[regression]") {
    // The same as above, with e^-50 and e^-70: float holds both, but only the first may be trusted.
    const auto predict = [](double log_scale) {
        const features::FeatureBlock<float> keys{Rows<float>{{1, 0}, {0, 1}, {0, 1}},
                                                 Vector{{0, log_scale - 1, log_scale}}};
        NarrowClassSums sums(2, {0, 1});
        sums.add(0, keys, 0, 2);
        sums.add(1, keys, 2, 1);
        return sums.predict({Rows<float>{{0, 1}}, Vector::Zero(1)});
    };
    REQUIRE(predict(-50));
    CHECK(predict(-50)->classes == std::vector<int>{1});
    CHECK_FALSE(predict(-70));
    CHECK_FALSE(predict(-2000));
    const features::FeatureBlock<float> nan{Rows<float>{{std::nanf(""), 1}}, Vector::Zero(1)};
    NarrowClassSums sums(2, {0});
    sums.add(0, nan, 0, 1);
    CHECK_FALSE(sums.predict(nan));
}

TEST_CASE("Float is used where it does, double where it must be, and nobody can tell", "[regression]") {
    const Points x = normal_points(400, 4, Stream(10), 1), queries = normal_points(100, 4, Stream(11), 1);
    const ClassifiedRows training = by_class(x, cycling(400, 5));
    for (const features::MechanismInfo& info : features::catalogue())
        for (const double gamma : {0.1, 1.0, 3.0}) {
            INFO(info.name << ", gamma " << gamma);
            ClassifiedRows scaled = training;
            scaled.rows *= gamma;
            const Points scaled_queries = gamma * queries;
            const auto map = drawn(info.name.c_str(), scaled.rows, 16);
            FeatureRegression regression(scaled, {scaled_queries});
            const auto ours = regression.predict(*map)[0].classes;
            CHECK(regression.in_float());

            ClassSums sums(map->columns(), training.classes);
            features::FeatureBlock<double> block;
            for (std::size_t part = 0; part < training.parts(); ++part) {
                const auto rows = scaled.rows.middleRows(training.starts[part], training.rows_of(part));
                map->evaluate(features::Side::key, rows, block);
                sums.add(part, block, 0, training.rows_of(part));
            }
            map->evaluate(features::Side::query, scaled_queries, block);
            const Predictions theirs = sums.predict(block);
            // At most two of 100 rows lie so near a tie that rounding to float decides.
            CHECK(Predictions{ours}.accuracy(theirs.classes) >= 0.98);
        }
}

TEST_CASE("At extreme gammas positive features decide as their sums in logarithms do", "[regression]") {
    // exp(w.x - |x|^2) with exponents in the thousands, what double itself cannot hold, and in the hundred millions,
    // what float cannot tell apart.
    const Points x = normal_points(300, 4, Stream(12), 1), queries = normal_points(100, 4, Stream(13), 1);
    for (const double gamma : {10.0, 100.0, 1e4}) {
        ClassifiedRows training = by_class(x, cycling(300, 4));
        training.rows *= gamma;
        const Points scaled = gamma * queries;
        const auto mechanism = features::fit(features::find("positive"), {});
        const auto draw = features::draw(*mechanism, 4, 32, sampling::find("iid"), Stream(14));
        const Points keys = training.rows * draw.omega, asked = scaled * draw.omega;
        std::vector<int> expected;
        for (Index q = 0; q < queries.rows(); ++q) {
            Points logs = keys.rowwise() + asked.row(q);
            logs.colwise() -= training.rows.rowwise().squaredNorm();
            const double high = logs.maxCoeff();
            Vector scores(4);
            for (std::size_t part = 0; part < 4; ++part) {
                const auto own = logs.middleRows(training.starts[part], training.rows_of(part));
                scores[static_cast<Index>(part)] = (own.array() - high).exp().sum();
            }
            Index best = 0;
            scores.maxCoeff(&best);
            expected.push_back(training.classes[static_cast<std::size_t>(best)]);
        }
        FeatureRegression regression(training, {scaled});
        const Predictions ours = regression.predict(*mechanism->map(draw))[0];
        CHECK(regression.in_float() == (gamma < 1000));
        CHECK(ours.count_undecided() == 0);
        CHECK(ours.accuracy(expected) >= 0.98);
    }
}

TEST_CASE("Logarithms of features are the features', in float and in double", "[regression]") {
    Points x =
        normal_points(150, 3, Stream(15), 0.8).cast<float>().cast<double>();  // both precisions see the same rows
    x(0, 0) = 0;  // discrete features of this row are exactly zero where their first power is not
    int with_logs = 0;
    const auto check = [&]<class Scalar>(const features::FeatureMap& map, const features::FeatureMap& other,
                                         features::Side side, Scalar, double tolerance) {
        features::FeatureBlock<double> expected;
        features::LogFeatureBlock<Scalar> ours;
        map.evaluate(side, x, expected);
        if (!map.logs()) return;
        ++with_logs;
        // The terms of the rows are those of every draw.
        const auto in = other.logs()->log_inputs(side, Rows<Scalar>(x.cast<Scalar>()));
        map.logs()->evaluate_logs(side, in, 0, x.rows(), ours);
        const Eigen::ArrayXd factors = (ours.log_scale - expected.log_scale).array().exp();
        Points values = ours.logs.array().exp().template cast<double>();
        for (Index i = 0; ours.signs.size() > 0 && i < x.rows(); ++i)
            features::apply_signs(&ours.signs(i, 0), values.cols(), &values(i, 0));
        values.array().colwise() *= factors;
        CHECK((values - expected.values).cwiseAbs().maxCoeff() < tolerance);
    };
    for (const features::MechanismInfo& info : features::catalogue()) {
        INFO(info.name);
        const auto mechanism = features::fit(info, features::statistics(x, x));
        const auto draw = [&](int seed) {
            const auto& iid = sampling::find("iid");
            return mechanism->map(features::draw(*mechanism, 3, 10, iid, Stream(static_cast<std::uint64_t>(seed))));
        };
        const auto map = draw(1), other = draw(2);
        for (const auto side : {features::Side::query, features::Side::key}) {
            // Exponents of at most 30 or so, rounded to the precision a few times.
            check(*map, *other, side, 0.0f, 1e-4);
            check(*map, *other, side, 0.0, 1e-12);
        }
    }
    CHECK(with_logs >= 4 * 13);
}
