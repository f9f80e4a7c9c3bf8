#include "rfbench/attention/backward.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "maps.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/features/differentiable_map.hpp"
#include "sequences.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using attention::Gradients;
using attention::SoftmaxMap;
using attention::Visible;
using features::Side;

namespace {

double loss(const features::FeatureMap& map, const Sequence& s, Visible visible, const Points& weights,
            const std::vector<unsigned char>& kept) {
    Points out;
    attention::linear<double>(map, {s.queries, s.keys, s.values, kept}, visible, out);
    return out.cwiseProduct(weights).sum();
}

/// The derivative along a direction by central differences at steps h and 2h (Richardson): error O(h^4) + rounding / h.
double difference(const features::FeatureMap& map, const Sequence& s, const Sequence& direction, Visible visible,
                  const Points& weights, const std::vector<unsigned char>& kept, double h) {
    const auto at = [&](double step) {
        return loss(
            map,
            {s.queries + step * direction.queries, s.keys + step * direction.keys, s.values + step * direction.values},
            visible, weights, kept);
    };
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

void check_gradients(const features::FeatureMap& map, const Sequence& s, Visible visible,
                     const std::vector<unsigned char>& kept = {}, const Projections& kinks = {}) {
    const Index length = s.queries.rows();
    const Points weights = normal_points(length, 2, Stream(5));
    Gradients<double> gradients;
    attention::backward<double>(map, {s.queries, s.keys, s.values, kept}, visible, weights, gradients);
    // One argument at a time, then all together.
    const Points none = Points::Zero(length, 3), no_values = Points::Zero(length, 2);
    const Sequence all = sequence(length, length, 3, 2, 1.0, 7);
    // Steps that cross no kink: rows . kinks keep their signs within 2h.
    double h = 1e-3;
    if (kinks.size() > 0)
        for (const auto& [rows, moves] : {std::pair{&s.queries, &all.queries}, {&s.keys, &all.keys}})
            h = std::min(h, 0.49 * ((*rows * kinks).array() / (*moves * kinks).array()).abs().minCoeff());
    for (const Sequence& direction : {Sequence{all.queries, none, no_values}, Sequence{none, all.keys, no_values},
                                      Sequence{none, none, all.values}, all}) {
        const double numeric = difference(map, s, direction, visible, weights, kept, h);
        const double analytic = gradients.queries.cwiseProduct(direction.queries).sum() +
                                gradients.keys.cwiseProduct(direction.keys).sum() +
                                gradients.values.cwiseProduct(direction.values).sum();
        const double size = gradients.queries.cwiseProduct(direction.queries).cwiseAbs().sum() +
                            gradients.keys.cwiseProduct(direction.keys).cwiseAbs().sum() +
                            gradients.values.cwiseProduct(direction.values).cwiseAbs().sum();
        // h^4 times fifth derivatives of order one, 1e-9 of the terms' sizes at most; rounding of the losses, sums of L
        // terms of size one, over h.
        const double rounding = 2 * static_cast<double>(length) * std::numeric_limits<double>::epsilon() / h;
        REQUIRE(std::abs(numeric - analytic) <= 1e-8 * (1 + size) + rounding);
    }
}

void check_gradients(const std::string& name, Index length, Visible visible,
                     const std::vector<unsigned char>& kept = {}) {
    INFO(name << ", L = " << length << (visible == Visible::causal ? ", causal" : ""));
    const Sequence s = sequence(length, length, 3, 2, 0.4, 1);
    check_gradients(map_of(features::find(name), s, 64), s, visible, kept);
}

/// By how much of themselves features in float are off: exponents and angles are sums of d terms, below 20 for entries
/// of size one in four dimensions.
double feature_roundings(Index d) { return 20 * static_cast<double>(d + 8); }

/// max |df_im / dx_il|, of positive features over f_im.
double slope(const features::FeatureMap& map, features::Side side, const Points& rows,
             const features::FeatureBlock<double>& block, bool over_features) {
    double most = 0;
    for (Index m = 0; m < map.columns(); ++m) {
        Points one = Points::Zero(rows.rows(), map.columns()), out;
        one.col(m).setOnes();
        map.differentiable()->pullback(side, rows, block, one, out);
        if (over_features) out.array().colwise() /= block.values.col(m).array();
        most = std::max(most, out.cwiseAbs().maxCoeff());
    }
    return most;
}

/// How far rounding in float may move rows of gradients through positive features. With weights B_ij of pairs, rows of
/// which add up to one, and logarithms of estimates log K_ij,
///
///     dq_i = sum_j B_ij G_i.(v_j - out_i) d log K_ij / dq_i, the same over i for keys, dv_j = sum_i B_ij G_i.
///
/// Estimates are off by rho of themselves, sums included; weights by twice that, outputs by that of |v|.
struct GradientErrors {
    Vector queries, keys, values;
};
GradientErrors gradient_errors(const features::FeatureMap& map, const Sequence& s, const Seen& pairs, const Points& g) {
    features::FeatureBlock<double> q, k;
    map.evaluate(Side::query, s.queries, q);
    map.evaluate(Side::key, s.keys, k);
    REQUIRE(q.values.minCoeff() > 0);
    REQUIRE(k.values.minCoeff() > 0);
    const Vector scales = (k.log_scale.array() - k.log_scale.maxCoeff()).exp();
    Points weights = (q.values * k.values.transpose() * scales.asDiagonal()).array() * pairs.cast<double>();
    for (Index i = 0; i < weights.rows(); ++i)
        if (pairs.row(i).any()) weights.row(i) /= weights.row(i).sum();
    const double rho =
        epsilon_of<float> *
        (feature_roundings(s.queries.cols()) +
         static_cast<double>(std::max(s.queries.rows(), s.keys.rows()) + map.columns() + s.values.cols()));
    const Vector sent = g.cwiseAbs().rowwise().sum(), differences = 2 * s.values.cwiseAbs().maxCoeff() * sent;
    // Slopes are differences of terms no larger than the largest of them, hence 2; weights, outputs, slopes, a sum.
    const Vector of_queries = weights.rowwise().sum().cwiseProduct(differences);
    return {2 * 5 * rho * slope(map, Side::query, s.queries, q, true) * of_queries,
            2 * 5 * rho * slope(map, Side::key, s.keys, k, true) * weights.transpose() * differences,
            3 * rho * weights.transpose() * sent};
}

}  // namespace

TEST_CASE("backward passes through all mechanisms agree with finite differences") {
    for (const features::MechanismInfo& info : features::catalogue()) {
        if (!has_gradient(info)) continue;
        // Learned channels without kinks: finite differences say nothing at one.
        features::Settings settings;
        if (info.name == "luna") settings = {{"activation", "tanh"}, {"output", "sigmoid"}, {"hidden", 4.0}};
        for (const char* scheme : {"iid", "orthogonal"})
            for (const Index length : {1, 7, 61, 150}) {
                const Sequence s = sequence(length, length, 3, 2, 0.4, 1);
                const SoftmaxMap map = map_of(info, s, 64, scheme, settings);
                for (const Visible visible : {Visible::all, Visible::causal}) {
                    INFO(info.name << ", " << scheme << ", L = " << length
                                   << (visible == Visible::causal ? ", causal" : ""));
                    check_gradients(map, s, visible);
                }
            }
    }
}

TEST_CASE("backward passes through generalized attention agree with finite differences") {
    // Tokens near one point: estimates of all pairs are positive, and denominators well above zero, whatever the
    // nonlinearity.
    Sequence s = sequence(70, 70, 3, 2, 0.2, 1);
    const Eigen::RowVector3d centre(0.9, -0.7, 1.1);
    s.queries.rowwise() += centre;
    s.keys.rowwise() += centre;
    for (const features::Nonlinearity& mapping : features::nonlinearities())
        for (const Visible visible : {Visible::all, Visible::causal}) {
            INFO(mapping.name << (visible == Visible::causal ? ", causal" : ""));
            for (const char* scheme : {"iid", "orthogonal"}) {
                const auto map = attention::generalized_map(mapping, 3, 16, sampling::find(scheme), Stream(2));
                check_gradients(map, s, visible, {}, map.weights());
            }
            check_gradients(attention::GeneralizedMap(mapping, 3), s, visible, {}, Projections::Identity(3, 3));
        }
}

TEST_CASE("gradients of features in float are those in double") {
    const Sequence all = sequence(130, 130, 4, 1, 1.0, 1);
    const SequenceOf<float> s(all);
    std::vector<NamedMap> maps = softmax_maps(all, 16, has_gradient);
    for (NamedMap& one : generalized_maps(4, 16)) maps.push_back(std::move(one));
    for (const auto& [name, map] : maps)
        for (const Side side : {Side::query, Side::key}) {
            INFO(name);
            const Rows<float>& rows = side == Side::query ? s.queries : s.keys;
            const Points wide_rows = rows.cast<double>();
            const Rows<float> g = normal_points(130, map->columns(), Stream(3)).cast<float>();
            features::FeatureBlock<float> block;
            features::FeatureBlock<double> wide;
            Rows<float> out;
            Points expected;
            map->evaluate(side, rows, block);
            map->differentiable()->pullback(side, rows, block, g, out);
            map->evaluate(side, wide_rows, wide);
            map->differentiable()->pullback(side, wide_rows, wide, Points(g.cast<double>()), expected);
            const double rho = (feature_roundings(4) + static_cast<double>(map->columns())) * epsilon_of<float>;
            const Vector error =
                2 * rho * slope(*map, side, wide_rows, wide, false) * g.cast<double>().cwiseAbs().rowwise().sum();
            CHECK(((out.cast<double>() - expected).cwiseAbs().rowwise().maxCoeff().array() <= error.array()).all());
        }
}

TEST_CASE("gradients in float are those in double") {
    const Index length = 64;
    const Sequence all = sequence(length, length, 4, 3, 1.0, 1);
    const SequenceOf<float> s(all), cross({all.queries.topRows(20), all.keys, all.values});
    std::vector<NamedMap> maps =
        softmax_maps(all, 16, [](const features::MechanismInfo& info) { return info.positive && has_gradient(info); });
    for (NamedMap& one : generalized_maps(4, 16))
        if (one.name.starts_with("exp") || one.name.starts_with("elu+1")) maps.push_back(std::move(one));
    for (const auto& [name, map] : maps)
        for (const auto& kept : {std::vector<unsigned char>(), padding(length)}) {
            const auto check = [&, &own = *map, &title = name](const SequenceOf<float>& in, Visible visible) {
                INFO(title << ", " << in.queries.rows() << " queries" << (kept.empty() ? "" : ", padded"));
                const Sequence wide = in.wide();
                const Rows<float> g = normal_points(in.queries.rows(), 3, Stream(3)).cast<float>();
                const Points wide_g = g.cast<double>();
                Gradients<float> out;
                Gradients<double> expected;
                attention::backward<float>(own, in.inputs(kept), visible, g, out);
                attention::backward<double>(own, {wide.queries, wide.keys, wide.values, kept}, visible, wide_g,
                                            expected);
                const auto errors = gradient_errors(own, wide, seen(in.queries.rows(), length, visible, kept), wide_g);
                const auto close = [](const Rows<float>& a, const Points& b, const Vector& error) {
                    CHECK(((a.cast<double>() - b).cwiseAbs().rowwise().maxCoeff().array() <= error.array()).all());
                    CHECK(error.norm() < b.norm());  // or it would say nothing
                };
                close(out.queries, expected.queries, errors.queries);
                close(out.keys, expected.keys, errors.keys);
                close(out.values, expected.values, errors.values);
            };
            check(s, Visible::all);
            check(s, Visible::causal);
            check(cross, Visible::all);
        }
}

TEST_CASE("backward passes across parts, and with padding") {
    std::vector<unsigned char> kept(2100, 1);
    for (std::size_t j = 0; j < kept.size(); j += 5) kept[j] = 0;
    kept[0] = 1;
    for (const Visible visible : {Visible::all, Visible::causal}) {
        check_gradients("optimal-positive", 2100, visible);
        check_gradients("optimal-positive", 2100, visible, kept);
    }
}

TEST_CASE("gradients: the same bits for any number of threads, in float too; nothing for padded keys") {
    const Sequence s = sequence(2500, 2500, 4, 3, 1.0, 3);
    const SoftmaxMap map = map_of("positive", s, 16);
    const Rows<float> q = s.queries.cast<float>(), k = s.keys.cast<float>(), v = s.values.cast<float>();
    const Rows<float> g = normal_points(2500, 3, Stream(4)).cast<float>();
    std::vector<unsigned char> kept(2500, 1);
    kept[3] = kept[2400] = 0;
    for (const Visible visible : {Visible::all, Visible::causal}) {
        Gradients<float> one;
        omp_set_num_threads(1);
        attention::backward<float>(map, {q, k, v, kept}, visible, g, one);
        CHECK(one.keys.row(3).cwiseAbs().maxCoeff() == 0);
        CHECK(one.values.row(2400).cwiseAbs().maxCoeff() == 0);
        for (const int threads : {2, 3}) {
            omp_set_num_threads(threads);
            Gradients<float> more;
            attention::backward<float>(map, {q, k, v, kept}, visible, g, more);
            CHECK(more.queries == one.queries);
            CHECK(more.keys == one.keys);
            CHECK(more.values == one.values);
        }
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("later tokens have no earlier gradients") {
    Sequence s = sequence(200, 200, 8, 3, 1.0, 5);
    const SoftmaxMap small = map_of("positive", s, 16);
    Points gradient = Points::Zero(200, 3);
    gradient.topRows(90) = normal_points(90, 3, Stream(6));
    Gradients<double> out;
    attention::backward<double>(small, {s.queries, s.keys, s.values}, Visible::causal, gradient, out);
    CHECK(out.keys.bottomRows(110).cwiseAbs().maxCoeff() == 0);
    CHECK(out.values.bottomRows(110).cwiseAbs().maxCoeff() == 0);
    CHECK(out.queries.bottomRows(110).cwiseAbs().maxCoeff() == 0);
    CHECK(out.keys.topRows(90).cwiseAbs().minCoeff() > 0);
}

TEMPLATE_TEST_CASE("gradients through all mechanisms stay finite at |q| = |k| = 50", "", double, float) {
    for (const Index d : {2, 64}) {
        Sequence s = sequence(150, 150, d, 3, 1.0, 5);
        s.queries = 50 * s.queries.rowwise().normalized();
        s.keys = 50 * s.keys.rowwise().normalized();
        const SequenceOf<TestType> own(s);
        for (const auto& [name, map] : softmax_maps(s, 16, has_gradient))
            for (const Visible visible : {Visible::all, Visible::causal}) {
                INFO(name << ", d = " << d);
                Gradients<TestType> out;
                attention::backward<TestType>(*map, own.inputs(), visible, own.values, out);
                CHECK(out.queries.allFinite());
                CHECK(out.keys.allFinite());
                CHECK(out.values.allFinite());
            }
    }
}

TEST_CASE("backward refuses gradients of the wrong shape, and features without a gradient, which are known") {
    const Sequence s = sequence(5, 5, 3, 2, 1.0, 1);
    Gradients<double> out;
    CHECK_THROWS_WITH(attention::backward<double>(map_of("positive", s, 4), {s.queries, s.keys, s.values}, Visible::all,
                                                  Points::Zero(5, 3), out),
                      "attention: the output gradient is 5 x 3; the output is 5 x 2");
    for (const features::MechanismInfo& info : features::catalogue()) {
        INFO(info.name);
        const std::string answer = refusal([&] {
            attention::backward<double>(map_of(info, s, 4), {s.queries, s.keys, s.values}, Visible::all, s.values, out);
        });
        CHECK(answer == (has_gradient(info) ? "accepted" : "attention: these features have no gradient"));
    }
    Points gradient = Points::Zero(5, 2);
    gradient(3, 1) = std::numeric_limits<double>::infinity();
    for (const Visible visible : {Visible::all, Visible::causal})
        CHECK(refusal([&] {
                  attention::backward<double>(map_of("positive", s, 4), {s.queries, s.keys, s.values}, visible,
                                              gradient, out);
              }) == "attention: the output gradient has inf at row 3, column 1; all entries must be finite");
}

TEST_CASE("backward and causal passes refuse to write over what they read") {
    Sequence s = sequence(5, 5, 2, 2, 1.0, 1);
    const SoftmaxMap map = map_of("positive", s, 4);
    const Points gradient = normal_points(5, 2, Stream(2));
    Gradients<double> out{s.queries, s.keys, s.values};
    const auto answer = [&](const attention::Inputs<double>& in, const Points& sent) {
        return refusal([&] { attention::backward<double>(map, in, Visible::causal, sent, out); });
    };
    CHECK(contains(answer({s.queries, out.queries, s.values}, gradient), "lies over the keys"));
    CHECK(contains(answer({s.queries, s.keys, out.keys}, gradient), "lies over the values"));
    CHECK(contains(answer({out.values, s.keys, s.values}, gradient), "lies over the queries"));
    CHECK(contains(answer({s.queries, s.keys, s.values}, out.keys), "lies over the output gradient"));
    attention::FeatureSums<double> state(map.columns(), 2);
    CHECK(contains(refusal([&] {
                       attention::causal<double>(map, {s.queries, s.keys, s.values}, state, s.values);
                   }),
                   "lies over the values"));
}
