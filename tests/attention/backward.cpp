#include "rfbench/attention/backward.hpp"

#include <omp.h>

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"

using namespace rfbench;
using attention::Gradients;
using attention::SoftmaxMap;
using attention::Visible;

namespace {

SoftmaxMap map_of(const std::string& name, const Sequence& s, Index count) {
    const auto mechanism = features::fit(features::find(name), attention::softmax_statistics(s.queries, s.keys));
    return attention::softmax_map(*mechanism, s.queries.cols(), count, sampling::find("iid"), Stream(9));
}

double loss(const features::FeatureMap& map, const Sequence& s, Visible visible, const Points& weights,
            const std::vector<unsigned char>& kept) {
    Points out;
    attention::linear<double>(map, {s.queries, s.keys, s.values, kept}, visible, out);
    return out.cwiseProduct(weights).sum();
}

/// The derivative along a direction by central differences at steps h and 2h (Richardson): error O(h^4) + rounding / h.
double difference(const features::FeatureMap& map, const Sequence& s, const Sequence& direction, Visible visible,
                  const Points& weights, const std::vector<unsigned char>& kept) {
    const auto at = [&](double h) {
        return loss(map,
                    {s.queries + h * direction.queries, s.keys + h * direction.keys, s.values + h * direction.values},
                    visible, weights, kept);
    };
    const double h = 1e-3;
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

void check_gradients(const features::FeatureMap& map, const Sequence& s, Visible visible,
                     const std::vector<unsigned char>& kept = {}) {
    const Index length = s.queries.rows();
    const Points weights = normal_points(length, 2, Stream(5));
    Gradients<double> gradients;
    attention::backward<double>(map, {s.queries, s.keys, s.values, kept}, visible, weights, gradients);
    // One argument at a time, then all together.
    const Points none = Points::Zero(length, 3), no_values = Points::Zero(length, 2);
    const Sequence all = sequence(length, length, 3, 2, 1.0, 7);
    for (const Sequence& direction : {Sequence{all.queries, none, no_values}, Sequence{none, all.keys, no_values},
                                      Sequence{none, none, all.values}, all}) {
        const double numeric = difference(map, s, direction, visible, weights, kept);
        const double analytic = gradients.queries.cwiseProduct(direction.queries).sum() +
                                gradients.keys.cwiseProduct(direction.keys).sum() +
                                gradients.values.cwiseProduct(direction.values).sum();
        const double size = gradients.queries.cwiseProduct(direction.queries).cwiseAbs().sum() +
                            gradients.keys.cwiseProduct(direction.keys).cwiseAbs().sum() +
                            gradients.values.cwiseProduct(direction.values).cwiseAbs().sum();
        // h^4 times fifth derivatives of order one, rounding of the losses over h: 1e-9 of the terms' sizes at most.
        REQUIRE(std::abs(numeric - analytic) <= 1e-8 * (1 + size));
    }
}

void check_gradients(const std::string& name, Index length, Visible visible,
                     const std::vector<unsigned char>& kept = {}) {
    INFO(name << ", L = " << length << (visible == Visible::causal ? ", causal" : ""));
    const Sequence s = sequence(length, length, 3, 2, 0.4, 1);
    check_gradients(map_of(name, s, 64), s, visible, kept);
}

}  // namespace

TEST_CASE("backward passes agree with finite differences") {
    for (const char* name : {"trigonometric", "cosine-phase", "positive", "generalized-exponential", "optimal-positive",
                             "centred-optimal-positive", "dense-asymmetric", "dense-symmetric", "dense-centred"})
        for (const Index length : {1, 7, 61, 150})
            for (const Visible visible : {Visible::all, Visible::causal}) check_gradients(name, length, visible);
}

TEST_CASE("backward passes through generalized attention") {
    // Smooth positive mappings: finite differences say nothing at a kink, and little where denominators change sign.
    for (const char* name : {"exp", "sigmoid", "square"}) {
        INFO(name);
        Sequence s = sequence(70, 70, 3, 2, 0.4, 1);
        const auto& mapping = features::nonlinearity(name);
        for (const Visible visible : {Visible::all, Visible::causal}) {
            check_gradients(attention::generalized_map(mapping, 3, 16, sampling::find("iid"), Stream(2)), s, visible);
            check_gradients(attention::GeneralizedMap(mapping, 3), s, visible);
        }
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

TEST_CASE("gradients stay finite at |q| = |k| = 50, and later tokens have no earlier gradients") {
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

    s.queries = 50 * s.queries.rowwise().normalized();
    s.keys = 50 * s.keys.rowwise().normalized();
    gradient = normal_points(200, 3, Stream(6));
    for (const char* name : {"positive", "optimal-positive", "trigonometric"})
        for (const Visible visible : {Visible::all, Visible::causal}) {
            INFO(name);
            const SoftmaxMap map = map_of(name, s, 16);
            attention::backward<double>(map, {s.queries, s.keys, s.values}, visible, gradient, out);
            CHECK(out.queries.allFinite());
            CHECK(out.keys.allFinite());
            CHECK(out.values.allFinite());
        }
}

TEST_CASE("backward refuses gradients of the wrong shape and maps without a gradient") {
    const Sequence s = sequence(5, 5, 3, 2, 1.0, 1);
    Gradients<double> out;
    CHECK_THROWS_WITH(attention::backward<double>(map_of("positive", s, 4), {s.queries, s.keys, s.values}, Visible::all,
                                                  Points::Zero(5, 3), out),
                      "attention: the output gradient is 5 x 3; the output is 5 x 2");
    CHECK_THROWS_WITH(attention::backward<double>(map_of("poisson", s, 4), {s.queries, s.keys, s.values}, Visible::all,
                                                  Points::Zero(5, 2), out),
                      "features: these have no gradient");
}
