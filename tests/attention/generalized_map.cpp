#include "rfbench/attention/generalized_map.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "catch.hpp"
#include "rfbench/attention/linear.hpp"
#include "sequences.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;
using features::FeatureBlock;
using features::Side;

namespace {

/// The definitions again, in other words than the framework's.
const std::map<std::string, std::function<double(double)>>& definitions() {
    static const std::map<std::string, std::function<double(double)>> all{
        {"relu", [](double z) { return z > 0 ? z : 0; }},
        {"elu+1", [](double z) { return z > 0 ? z + 1 : std::exp(z); }},
        {"square", [](double z) { return z * z; }},
        {"exp", [](double z) { return std::exp(z); }},
        {"abs", [](double z) { return std::fabs(z); }},
        {"gelu", [](double z) { return z * (1 + std::erf(z / std::sqrt(2.0))) / 2; }},
        {"cos", [](double z) { return std::cos(z); }},
        {"tanh", [](double z) { return std::tanh(z); }},
        {"sigmoid", [](double z) { return (1 + std::tanh(z / 2)) / 2; }},
        {"identity", [](double z) { return z; }},
    };
    return all;
}

Points features_of(const FeatureBlock<double>& block) {
    return block.log_scale.array().exp().matrix().asDiagonal() * block.values;
}

/// Entries of x W are sums of d products; how far a mapping carries their errors: |g'| <= 1 + |z| + g but for exp's
/// own.
template <class Scalar>
Points tolerance(const Points& x, const Projections& w, const Points& g) {
    const double epsilon = static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    const double ulps = 2 * (static_cast<double>(x.cols()) + 8) * epsilon;
    const Points size = x.cwiseAbs() * w.cwiseAbs();
    return ulps * (size.array() + 1) * (2 + 2 * size.array() + g.array().abs());
}

}  // namespace

TEST_CASE("generalized features are their definitions, in both precisions") {
    REQUIRE(features::nonlinearities().size() == definitions().size());
    const Index d = 5;
    const Points x = normal_points(250, d, Stream(1));
    for (const features::Nonlinearity& mapping : features::nonlinearities()) {
        INFO(mapping.name);
        const GeneralizedMap map = generalized_map(mapping, d, 12, sampling::find("orthogonal"), Stream(2));
        const Points expected = (x * map.weights()).unaryExpr(definitions().at(mapping.name));
        FeatureBlock<double> wide;
        map.evaluate(Side::query, x, wide);
        const Points error = (features_of(wide) - expected).cwiseAbs();
        CHECK((error.array() <= tolerance<double>(x, map.weights(), expected).array()).all());
        CHECK(wide.values.cwiseAbs().maxCoeff() <= 1);
        CHECK((!mapping.nonnegative || wide.values.minCoeff() >= 0));

        FeatureBlock<float> narrow;
        const Rows<float> rounded = x.cast<float>();
        map.evaluate(Side::key, rounded, narrow);
        const Points back = narrow.log_scale.array().exp().matrix().asDiagonal() * narrow.values.cast<double>();
        CHECK(((back - expected).array().abs() <= tolerance<float>(x, map.weights(), expected).array()).all());
    }
}

TEST_CASE("slopes of generalized features are the quotients of small differences") {
    const Points x = normal_points(40, 3, Stream(3));
    const double step = std::cbrt(std::numeric_limits<double>::epsilon());
    for (const features::Nonlinearity& mapping : features::nonlinearities()) {
        INFO(mapping.name);
        const GeneralizedMap map = generalized_map(mapping, 3, 6, sampling::find("iid"), Stream(4));
        FeatureBlock<double> block;
        Points slope;
        map.evaluate(Side::query, x, block);
        map.derivative(x, block, slope);
        const Points z = x * map.weights(), ours = block.log_scale.array().exp().matrix().asDiagonal() * slope;
        const auto& g = definitions().at(mapping.name);
        for (Index i = 0; i < z.rows(); ++i)
            for (Index m = 0; m < z.cols(); ++m) {
                if (std::abs(z(i, m)) < 2 * step) continue;  // kinks
                // Second differences of third derivatives, at most 8 + exp, and rounding of g over the step.
                const double size = 8 + std::exp(std::abs(z(i, m))) + z(i, m) * z(i, m);
                const double quotient = (g(z(i, m) + step) - g(z(i, m) - step)) / (2 * step);
                REQUIRE(std::abs(ours(i, m) - quotient) <=
                        size * (step * step + 4 * std::numeric_limits<double>::epsilon() / step));
            }
    }
}

TEST_CASE("gradients with respect to rows follow from the slope") {
    const Points x = normal_points(4, 3, Stream(5)), g = normal_points(4, 7, Stream(6));
    for (const features::Nonlinearity& mapping : features::nonlinearities()) {
        INFO(mapping.name);
        const GeneralizedMap map = generalized_map(mapping, 3, 7, sampling::find("iid"), Stream(7));
        FeatureBlock<double> block;
        Points slope;
        map.evaluate(Side::key, x, block);
        map.derivative(x, block, slope);
        const Points gradient = g.cwiseProduct(slope) * map.weights().transpose();
        // The values' change with their row's scale held.
        const double step = 1e-6;
        for (Index l = 0; l < 3; ++l) {
            Points moved = x;
            moved.col(l).array() += step;
            FeatureBlock<double> after;
            map.evaluate(Side::key, moved, after);
            const Points change =
                (-block.log_scale.array()).exp().matrix().asDiagonal() * (features_of(after) - features_of(block));
            for (Index i = 0; i < 4; ++i) {
                const double size = 100 * (1 + g.row(i).cwiseAbs().sum()) * (1 + map.weights().row(l).squaredNorm()) *
                                    std::exp(std::max(0.0, -block.log_scale[i]));
                REQUIRE(std::abs(change.row(i).dot(g.row(i)) / step - gradient(i, l)) <= size * step);
            }
        }
    }
}

TEST_CASE("no projection is the identity matrix, to the bit") {
    const Points x = normal_points(130, 6, Stream(8));
    const GeneralizedMap with(features::nonlinearity("elu+1"), Projections(Projections::Identity(6, 6)));
    const GeneralizedMap without = linear_transformer_map(6);
    CHECK(without.columns() == 6);
    FeatureBlock<double> a, b;
    with.evaluate(Side::key, x, a);
    without.evaluate(Side::key, x, b);
    CHECK(a.values == b.values);
    CHECK(a.log_scale == b.log_scale);
}

TEST_CASE("linear attention through generalized features is the explicit product: keys keep their scales") {
    const Sequence s = sequence(70, 90, 4, 3, 2.0, 9);
    for (const char* scheme : {"iid", "orthogonal"})
        for (const features::Nonlinearity& mapping : features::nonlinearities()) {
            INFO(mapping.name << ", " << scheme);
            const GeneralizedMap map = generalized_map(mapping, 4, 10, sampling::find(scheme), Stream(10));
            const auto& g = definitions().at(mapping.name);
            const Points p = (s.queries * map.weights()).unaryExpr(g), k = (s.keys * map.weights()).unaryExpr(g);
            const Points weights = p * k.transpose(), absolute = p.cwiseAbs() * k.cwiseAbs().transpose();
            Points out;
            const Outcome outcome = linear<double>(map, {s.queries, s.keys, s.values}, Visible::all, out);
            Index nonpositive = 0;
            for (Index i = 0; i < weights.rows(); ++i) {
                const double sum = weights.row(i).sum();
                nonpositive += sum > 0 ? 0 : 1;
                if (sum == 0) {
                    REQUIRE(out.row(i).isZero(0));
                    continue;
                }
                // Errors of features: d ulps of |z| <= 40 by a slope that is g itself for exp; of sums: L + R ulps.
                const Eigen::RowVectorXd expected = weights.row(i) * s.values / sum;
                const double ulps = 2 * (12.0 * 40 + 100) * std::numeric_limits<double>::epsilon();
                const double size = (absolute.row(i).sum() + 90) / std::abs(sum);
                REQUIRE((out.row(i) - expected).cwiseAbs().maxCoeff() <=
                        ulps * size * (s.values.cwiseAbs().maxCoeff() + expected.cwiseAbs().maxCoeff()));
            }
            CHECK(outcome.nonpositive == nonpositive);
        }
}

TEST_CASE("rows whose features are all zero are counted and give zeros") {
    const GeneralizedMap map(features::nonlinearity("relu"), 2);
    Points x(3, 2);
    x << -1, -2, 1, -1, 0, 0;
    FeatureBlock<double> block;
    map.evaluate(Side::key, x, block);
    CHECK(block.vanished == 2);
    CHECK(block.values.allFinite());
    CHECK(block.log_scale.allFinite());

    // The queries see the second key alone, whose scale is small beside that of the ones that vanished.
    Points keys = x;
    keys.row(1) *= 1e-100;
    const Points values = Points::Identity(3, 3);
    Points out;
    const Outcome outcome = linear<double>(map, {x, keys, values}, Visible::all, out);
    CHECK(outcome.nonpositive == 2);
    CHECK(out.row(0).isZero(0));
    CHECK(out.row(1) == values.row(1));
    CHECK(out.row(2).isZero(0));
}

TEST_CASE("nothing overflows for large rows") {
    const Points x = 50 * normal_points(20, 4, Stream(11)), values = normal_points(20, 2, Stream(12));
    for (const features::Nonlinearity& mapping : features::nonlinearities()) {
        INFO(mapping.name);
        const GeneralizedMap map = generalized_map(mapping, 4, 8, sampling::find("iid"), Stream(13));
        const Rows<float> narrow = x.cast<float>(), v = values.cast<float>();
        Rows<float> out;
        linear<float>(map, {narrow, narrow, v}, Visible::all, out);
        CHECK(out.allFinite());
    }
}

TEST_CASE("features that Scalar itself does not hold are right beside their row's largest") {
    // The rows' features are below the smallest number of float, those of the last below that of double.
    Points x(4, 2);
    x << -110, -112, -15, -16, 1e-30, -3e-30, -800, -801;
    const Rows<float> rounded = x.cast<float>();
    const Points same = rounded.cast<double>();
    for (const char* name : {"elu+1", "sigmoid", "gelu", "square", "exp"}) {
        INFO(name);
        const GeneralizedMap map(features::nonlinearity(name), 2);
        const auto& g = definitions().at(name);
        FeatureBlock<double> wide;
        FeatureBlock<float> narrow;
        map.evaluate(Side::key, same, wide);
        map.evaluate(Side::key, rounded, narrow);
        const bool tail = std::string(name) != "gelu" && std::string(name) != "square";
        CHECK(narrow.vanished == (std::string(name) == "gelu" ? 2 : 0));
        CHECK((narrow.log_scale - wide.log_scale).cwiseAbs().maxCoeff() <= 1e-6 * 801);
        CHECK((narrow.values.cast<double>() - wide.values).cwiseAbs().maxCoeff() <= 1e-6);
        if (tail) {
            CHECK(std::abs(wide.log_scale[3] + 800) <= 1e-12 * 800);
            CHECK(std::abs(wide.values(3, 1) - std::exp(-1.0)) <= 1e-15);
            CHECK(std::abs(wide.log_scale[0] - std::log(std::exp(-110.0))) <= 1e-12 * 110);
        }
        if (std::string(name) == "square") CHECK(std::abs(wide.values(2, 0) * g(same(2, 1)) - g(same(2, 0))) <= 1e-75);
    }
}

TEST_CASE("features that are too large for Scalar are right beside their row's largest") {
    Points x(2, 2);
    x << 3e20, -1e20, 1e20, 2e18;
    const Rows<float> rounded = x.cast<float>();
    const GeneralizedMap map(features::nonlinearity("square"), 2);
    FeatureBlock<float> block;
    map.evaluate(Side::key, rounded, block);
    for (Index i = 0; i < 2; ++i) {
        const double high = static_cast<double>(rounded(i, 0)), low = static_cast<double>(rounded(i, 1));
        CHECK(block.values(i, 0) == 1);
        // Squares and their quotient, each rounded once, and once more as float.
        CHECK(std::abs(static_cast<double>(block.values(i, 1)) * high * high / (low * low) - 1) <= epsilon_of<float>);
        CHECK(std::abs(block.log_scale[i] - 2 * std::log(high)) <= 4 * epsilon_of<double> * 100);
    }
    // The slope of a feature over its row's largest: 2 x / max^2.
    Rows<float> slopes;
    map.derivative<float>(rounded, block, slopes);
    for (Index i = 0; i < 2; ++i)
        for (Index m = 0; m < 2; ++m) {
            const double high = static_cast<double>(rounded(i, 0));
            const double slope = 2 * static_cast<double>(rounded(i, m)) / (high * high);
            // exp(log_scale) is off by as many ulps as log_scale is large.
            CHECK(std::abs(static_cast<double>(slopes(i, m)) / slope - 1) <= 2 * epsilon_of<float>);
        }
    // Squares of entries below 2^511.5 are doubles, and those of more are not; it is known to a factor of two.
    CHECK(map.largest_entry().wide == 0x1p500);
    CHECK(GeneralizedMap(features::nonlinearity("square"), 1e20 * Projections::Identity(2, 2)).largest_entry().wide ==
          Approx(0x1p512 / 2e20).epsilon(1e-12));
}

TEST_CASE("generalized attention refuses what it cannot do") {
    CHECK(contains(refusal([] { features::nonlinearity("relo"); }), "'relu'"));
    CHECK(contains(refusal([] { features::nonlinearity("elu"); }), "elu+1"));
    const auto& relu = features::nonlinearity("relu");
    CHECK(contains(refusal([&] { generalized_map(relu, 3, 0, sampling::find("iid"), Stream(1)); }), "M = 0"));
    CHECK(contains(refusal([&] { GeneralizedMap(relu, Projections(3, 0)); }), "3 x 0"));
    CHECK(contains(refusal([&] { generalized_map(relu, 3, -1, sampling::find("iid"), Stream(1)); }), "M = -1"));
    CHECK(refusal([&] { GeneralizedMap(relu, 0); }) == "generalized attention: d = 0; it must be positive");
    CHECK(refusal([&] { GeneralizedMap(relu, -1); }) == "generalized attention: d = -1; it must be positive");
    Projections weights = Projections::Zero(3, 2);
    weights(2, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(refusal([&] { GeneralizedMap(relu, weights); }) ==
          "generalized attention: the weights have nan at row 2, column 1; all entries must be finite");
    FeatureBlock<double> block;
    const Points wide = Points::Zero(2, 4);
    CHECK(contains(refusal([&] { linear_transformer_map(3).evaluate(Side::key, wide, block); }), "4 coordinates"));
}
