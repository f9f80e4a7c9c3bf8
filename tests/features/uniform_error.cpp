#include "rfbench/features/uniform_error.hpp"

#include <cmath>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"

using namespace rfbench;
using namespace rfbench::features;

namespace {

Points rows_in_ball(const Stream& stream, Index rows, Index d, double radius) {
    Projections directions(d, rows);
    fill_normal(stream.child("direction"), directions);
    Stream lengths = stream.child("length");
    Points points = directions.transpose();
    for (Index i = 0; i < rows; ++i)
        points.row(i) *= radius * std::pow(lengths.uniform(), 1.0 / static_cast<double>(d)) / points.row(i).norm();
    return points;
}

/// |A^ - A| of every pair of rows in double precision, by the estimate itself.
Points entry_errors(const FeatureMap& map, const Points& x, const Points& y) {
    FeatureBlock<double> queries, keys;
    map.evaluate(Side::query, x, queries);
    map.evaluate(Side::key, y, keys);
    const LogMatrix k = estimate(queries, keys);
    Points result(x.rows(), y.rows());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) {
            const double shift = 0.5 * (x.row(i).squaredNorm() + y.row(j).squaredNorm());
            result(i, j) =
                std::abs(k.sign(i, j) * std::exp(k.log_abs(i, j) + shift) - std::exp(x.row(i).dot(y.row(j))));
        }
    return result;
}

struct Drawn {
    std::unique_ptr<Mechanism> mechanism;
    Draw draw;
    std::unique_ptr<FeatureMap> map;
};
Drawn drawn(const char* name, const Settings& settings, Index d, Index count) {
    const Points x = rows_in_ball(Stream(3).child("fit"), 20, d, 1);
    auto mechanism = fit(find(name), statistics(x, x), settings);
    Draw draw = features::draw(*mechanism, d, count, sampling::find("iid"), Stream(4));
    auto map = mechanism->map(draw);
    return {std::move(mechanism), std::move(draw), std::move(map)};
}

double ball_error(const std::string& name, double a, const Projections& omega, double radius) {
    const Stream stream(5);
    return name == "trigonometric" ? largest_trigonometric_error(omega, radius, {}, stream)
                                   : largest_exponential_error(omega, a, radius, {}, stream);
}

}  // namespace

TEST_CASE("The largest entry is that of the explicit matrix, for every length", "[features]") {
    const std::vector<Index> lengths{1, 100, 128, 129, 300};
    for (const char* name : {"trigonometric", "positive", "hybrid"}) {
        const Drawn at = drawn(name, {}, 5, 12);
        const Rows<float> x = rows_in_ball(Stream(1), 300, 5, 1).cast<float>();
        const Rows<float> y = rows_in_ball(Stream(2), 300, 5, 1).cast<float>();
        const Points explicit_errors = entry_errors(*at.map, x.cast<double>(), y.cast<double>());
        const auto errors = largest_entry_errors(*at.map, x, y, lengths);
        for (std::size_t k = 0; k < lengths.size(); ++k) {
            INFO(name << ", L = " << lengths[k]);
            // Entries are below 10, with some tens of roundings in single precision.
            const double expected = explicit_errors.topLeftCorner(lengths[k], lengths[k]).maxCoeff();
            CHECK(errors[k] == Approx(expected).margin(10 * 50 * 6e-8));
        }
    }
}

TEST_CASE("The largest error in a ball is that of a fine grid of pairs", "[features]") {
    struct Case {
        const char* name;
        Settings settings;
        double a;
    };
    const double radius = 0.9;
    for (const Case& at :
         {Case{"trigonometric", {}, 0}, Case{"positive", {}, 0}, Case{"optimal-positive", {{"A", -0.2}}, -0.2}}) {
        INFO(at.name);
        const Drawn features = drawn(at.name, at.settings, 2, 7);
        const double found = ball_error(at.name, at.a, features.draw.omega, radius);
        // Pairs in the ball, and on its boundary.
        Points x = rows_in_ball(Stream(6), 1500, 2, radius), y = rows_in_ball(Stream(7), 1500, 2, radius);
        for (Index i = 0; i < 1500; i += 2) x.row(i) *= radius / x.row(i).norm();
        for (Index i = 0; i < 1500; i += 2) y.row(i) *= radius / y.row(i).norm();
        const double largest = entry_errors(*features.map, x, y).maxCoeff();
        CHECK(found >= largest);
        // Some pair of the grid lies within about 0.01 of the best one; gradients are of the order of the error.
        CHECK(found <= 1.05 * largest);
    }
}

TEST_CASE("In many dimensions ascents find more than random pairs", "[features]") {
    const Drawn features = drawn("trigonometric", {}, 16, 64);
    const Points x = rows_in_ball(Stream(8), 500, 16, 0.9), y = rows_in_ball(Stream(9), 500, 16, 0.9);
    CHECK(ball_error("trigonometric", 0, features.draw.omega, 0.9) >
          1.5 * entry_errors(*features.map, x, y).maxCoeff());
}

TEST_CASE("Lengths that do not fit the rows are refused", "[features]") {
    const Drawn at = drawn("positive", {}, 3, 4);
    const Rows<float> x = Rows<float>::Zero(5, 3);
    CHECK_THROWS_AS(largest_entry_errors(*at.map, x, x, {}), std::invalid_argument);
    CHECK_THROWS_AS(largest_entry_errors(*at.map, x, x, {6}), std::invalid_argument);
    CHECK_THROWS_AS(largest_entry_errors(*at.map, x, x, {3, 3}), std::invalid_argument);
    CHECK_THROWS_AS(largest_entry_errors(*at.map, x, x.topRows(4), {2}), std::invalid_argument);
    CHECK(largest_entry_errors(*at.map, x, x, {5}).size() == 1);
}
