// Kernel regression through features against sums over all pairs.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/regression/feature_regression.hpp"
#include "rfbench/regression/kernel_regression.hpp"

using namespace rfbench;
using namespace rfbench::regression;

namespace {

Points cloud(std::uint64_t seed, Index rows, Index d, double scale) {
    Projections columns(d, rows);
    fill_normal(Stream(seed), columns);
    return scale * columns.transpose();
}

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

std::unique_ptr<features::FeatureMap> drawn(const char* name, const Points& rows, Index count) {
    const auto mechanism = features::fit(features::find(name), features::statistics(rows, rows));
    return mechanism->map(features::draw(*mechanism, rows.cols(), count, sampling::find("iid"), Stream(9)));
}

}  // namespace

TEST_CASE("Exact kernel regression equals the sum over all pairs", "[regression]") {
    const Points x = cloud(1, 50, 3, 1), queries = cloud(2, 20, 3, 1);
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

TEST_CASE("Feature regression approaches the exact one as M grows", "[regression]") {
    const Points x = cloud(3, 50, 2, 0.7), queries = cloud(4, 200, 2, 0.7);
    const auto classes = cycling(50, 3);
    const ClassifiedRows training = by_class(x, classes);
    const auto exact = kernel_regression(training, queries, {1.0})[0].classes;
    for (const char* name : {"trigonometric", "optimal-positive", "geometric"}) {
        INFO(name);
        std::vector<double> agreement;
        for (const Index count : {8, 20000}) {
            const auto map = drawn(name, x, count);
            features::FeatureBlock<double> block;
            map->evaluate(features::Side::query, queries, block);
            agreement.push_back(class_sums(*map, training).predict(block).accuracy(exact));
        }
        CHECK(agreement[1] >= 0.9);
        CHECK(agreement[1] >= agreement[0]);
    }
}

TEST_CASE("Numbering the classes otherwise changes nothing but the numbers", "[regression]") {
    // Equal points of two classes: every score is a tie.
    Points x = cloud(5, 40, 2, 0.5);
    for (Index i = 0; i < 20; ++i) x.row(20 + i) = x.row(i);
    std::vector<int> classes(40);
    for (std::size_t i = 0; i < 40; ++i) classes[i] = i < 20 ? 0 : 1;
    std::vector<int> swapped = classes;
    for (int& label : swapped) label = 1 - label;
    const Points queries = cloud(6, 30, 2, 0.5);
    const auto map = drawn("optimal-positive", x, 16);
    features::FeatureBlock<double> block;
    map->evaluate(features::Side::query, queries, block);
    auto ours = class_sums(*map, by_class(x, classes)).predict(block).classes;
    const auto theirs = class_sums(*map, by_class(x, swapped)).predict(block).classes;
    for (int& label : ours) label = 1 - label;
    CHECK(ours == theirs);
}

TEST_CASE("Scores are finite at extreme gammas for every mechanism", "[regression]") {
    const Points x = cloud(7, 60, 3, 1);
    const auto classes = cycling(60, 3);
    for (const features::MechanismInfo& info : features::catalogue())
        for (const double gamma : {1e-2, 1.0, 1e2}) {
            INFO(info.name << ", gamma " << gamma);
            const Points scaled = gamma * x;
            const ClassifiedRows training = by_class(scaled, classes);
            const auto map = drawn(info.name.c_str(), scaled, 12);
            features::FeatureBlock<double> block;
            map->evaluate(features::Side::query, scaled, block);
            const Predictions predictions = class_sums(*map, training).predict(block);
            for (const int label : predictions.classes) CHECK((label >= Predictions::undecided && label < 3));
            // Only signed monomials and the like can have rows without any shared feature.
            if (info.positive && !info.discrete) CHECK(predictions.count_undecided() == 0);
        }
}

TEST_CASE("Rows without a shared feature are undecided, not given a class", "[regression]") {
    ClassSums sums(2, {0, 1});
    features::FeatureBlock<double> keys{Points{{1, 0}}, Vector::Zero(1)};
    sums.add(0, keys);
    sums.add(1, keys);
    const features::FeatureBlock<double> queries{Points{{0, 1}, {1, 0}}, Vector::Zero(2)};
    const Predictions predictions = sums.predict(queries);
    CHECK(predictions.classes == std::vector<int>{Predictions::undecided, 0});
    CHECK(predictions.accuracy({0, 0}) == 0.5);
}

TEST_CASE("Factors of features are kept however unlike the rows' scales are", "[regression]") {
    // Class 1 has the larger sum in feature 2, e^-2000 of the largest, and the query knows only that feature.
    ClassSums sums(2, {0, 1});
    sums.add(0, {Points{{1, 0}}, Vector::Zero(1)});
    sums.add(0, {Points{{0, 1}}, Vector::Constant(1, -2001)});
    sums.add(1, {Points{{0, 1}}, Vector::Constant(1, -2000)});
    CHECK(sums.predict({Points{{0, 1}}, Vector::Zero(1)}).classes == std::vector<int>{1});
}
