#include "rfbench/statistics/running_moments.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace rfbench::statistics;

TEST_CASE("Running moments equal the two-pass formulas, merged or not", "[statistics]") {
    std::vector<double> values;
    for (int i = 0; i < 101; ++i) values.push_back(1e6 + std::sin(i));
    double mean = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    double squares = 0;
    for (const double v : values) squares += (v - mean) * (v - mean);
    RunningMoments whole, left, right;
    for (std::size_t i = 0; i < values.size(); ++i) {
        whole.add(values[i]);
        (i < 37 ? left : right).add(values[i]);
    }
    left.merge(right);
    for (const RunningMoments& moments : {whole, left}) {
        CHECK(moments.count() == values.size());
        CHECK(moments.mean() == Approx(mean).epsilon(1e-14));
        CHECK(moments.variance() == Approx(squares / 100).epsilon(1e-8));
        CHECK(moments.standard_error() == Approx(std::sqrt(squares / 100 / 101)).epsilon(1e-8));
    }
}

TEST_CASE("Too few values have no variance, and none have no mean", "[statistics]") {
    RunningMoments moments;
    CHECK(std::isnan(moments.mean()));
    moments.merge(RunningMoments());
    CHECK(std::isnan(moments.mean()));
    CHECK(std::isnan(moments.variance()));
    moments.add(3);
    CHECK(moments.mean() == 3);
    CHECK(std::isnan(moments.standard_error()));
}

TEST_CASE("Quantiles", "[statistics]") {
    CHECK(student_quantile(2, 0.5) == Approx(1.0));  // Cauchy
    CHECK(student_quantile(1000001, 0.95) == Approx(1.95996).epsilon(1e-4));
    CHECK(family_wise_quantile(0.05, 1) == Approx(1.95996).epsilon(1e-5));
    CHECK(family_wise_quantile(1e-6, 500) > family_wise_quantile(1e-6, 1));
    CHECK_THROWS_AS(student_quantile(1, 0.95), std::invalid_argument);
    CHECK_THROWS_AS(family_wise_quantile(0, 3), std::invalid_argument);
}
