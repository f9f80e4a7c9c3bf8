// Gradients where numbers are tiny, huge or none.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "maps.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"

using namespace rfbench;
using attention::Gradients;
using attention::SoftmaxMap;
using attention::Visible;

namespace {

// Function of the products z and its slope, in a type whose range none of the cases below leaves.
using Long = long double;
using LongRows = Rows<Long>;

Long mapped(const std::string& name, Long z) {
    if (name == "relu") return z > 0 ? z : 0;
    if (name == "elu+1") return z > 0 ? z + 1 : std::exp(z);
    if (name == "square") return z * z;
    if (name == "exp") return std::exp(z);
    if (name == "abs") return std::abs(z);
    if (name == "gelu") return z * std::erfc(-z * std::sqrt(Long(0.5))) / 2;
    if (name == "cos") return std::cos(z);
    if (name == "tanh") return std::tanh(z);
    if (name == "sigmoid") return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
    return z;
}

Long mapped_slope(const std::string& name, Long z) {
    if (name == "relu") return z > 0 ? 1 : 0;
    if (name == "elu+1") return z > 0 ? 1 : std::exp(z);
    if (name == "square") return 2 * z;
    if (name == "exp") return std::exp(z);
    if (name == "abs") return z > 0 ? 1 : z < 0 ? -1 : 0;
    if (name == "gelu")
        return std::erfc(-z * std::sqrt(Long(0.5))) / 2 + z * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(Long(-1)));
    if (name == "cos") return -std::sin(z);
    if (name == "tanh") return 1 / (std::cosh(z) * std::cosh(z));
    if (name == "sigmoid") return mapped("sigmoid", z) * mapped("sigmoid", -z);
    return 1;
}

/// Gradients of queries and keys by the explicit matrices, and the sizes of what is added up in them.
struct Explicit {
    LongRows queries, keys, query_sizes, key_sizes;
    Long largest_product = 0, smallest_feature = 1;  ///< |z|, and the largest |g(z)| of the row where that is smallest

    template <class Scalar>
    Explicit(const std::string& name, const Projections& weights, const attention::Inputs<Scalar>& in, Visible visible,
             const Rows<Scalar>& gradient) {
        const LongRows w = weights.cast<Scalar>().template cast<Long>(), g = gradient.template cast<Long>();
        const LongRows v = in.values.template cast<Long>();
        const LongRows zq = in.queries.template cast<Long>() * w, zk = in.keys.template cast<Long>() * w;
        const auto value = [&](Long z) { return mapped(name, z); };
        const auto slope = [&](Long z) { return mapped_slope(name, z); };
        const LongRows p = zq.unaryExpr(value), k = zk.unaryExpr(value);
        LongRows back(p.rows(), k.rows()), sizes(p.rows(), k.rows());
        for (Index i = 0; i < p.rows(); ++i) {
            const Index seen = visible == Visible::causal ? i + 1 : k.rows();
            const LongRows own = p.row(i) * k.topRows(seen).transpose();
            const LongRows absolute = p.row(i).cwiseAbs() * k.topRows(seen).cwiseAbs().transpose();
            const Long sum = own.sum(), lost = absolute.sum() / std::abs(sum);
            const LongRows out = own * v.topRows(seen) / sum;
            const LongRows out_size = absolute * v.topRows(seen).cwiseAbs() / std::abs(sum);
            for (Index j = 0; j < k.rows(); ++j) {
                back(i, j) = j < seen ? g.row(i).dot(v.row(j) - out.row(0)) / sum : 0;
                const Long size = g.row(i).cwiseAbs().dot(v.row(j).cwiseAbs() + out_size.row(0));
                sizes(i, j) = j < seen ? size * lost / std::abs(sum) : 0;
            }
        }
        const LongRows slopes_q = zq.unaryExpr(slope), slopes_k = zk.unaryExpr(slope);
        queries = (back * k).cwiseProduct(slopes_q) * w.transpose();
        keys = (back.transpose() * p).cwiseProduct(slopes_k) * w.transpose();
        query_sizes = (sizes * k.cwiseAbs()).cwiseProduct(slopes_q.cwiseAbs()) * w.cwiseAbs().transpose();
        key_sizes = (sizes.transpose() * p.cwiseAbs()).cwiseProduct(slopes_k.cwiseAbs()) * w.cwiseAbs().transpose();
        largest_product = std::max(zq.cwiseAbs().maxCoeff(), zk.cwiseAbs().maxCoeff());
        smallest_feature =
            std::min(p.cwiseAbs().rowwise().maxCoeff().minCoeff(), k.cwiseAbs().rowwise().maxCoeff().minCoeff());
    }
};

/// Finite, and where double holds the features, the explicit gradients.
template <class Scalar>
void check_explicit(const features::Nonlinearity& mapping, const Projections& weights, const Sequence& s,
                    Visible visible) {
    INFO(mapping.name << (sizeof(Scalar) == 4 ? ", float" : ", double")
                      << (visible == Visible::causal ? ", causal" : "") << ", q_0 = " << s.queries.row(0));
    const Rows<Scalar> q = s.queries.cast<Scalar>(), k = s.keys.cast<Scalar>(), v = s.values.cast<Scalar>();
    const Rows<Scalar> gradient = normal_points(q.rows(), v.cols(), Stream(5)).template cast<Scalar>();
    Gradients<Scalar> out;
    attention::backward<Scalar>(attention::GeneralizedMap(mapping, weights), {q, k, v}, visible, gradient, out);
    REQUIRE(out.queries.allFinite());
    REQUIRE(out.keys.allFinite());
    REQUIRE(out.values.allFinite());

    const Explicit expected(mapping.name, weights, attention::Inputs<Scalar>{q, k, v}, visible, gradient);
    const Long lost = std::numeric_limits<double>::denorm_min() / expected.smallest_feature;
    if (!(lost < 1e-3)) return;
    // Products are off by d ulps, slopes relative to features are at most 1 + |z| where both are small, log scales have
    // an ulp of theirs; and gradients may underflow.
    const Long size = 2 + expected.largest_product, terms = static_cast<Long>(q.cols() + k.rows() + weights.cols());
    const Long part = 4 * lost + 2 * terms * size * size * std::numeric_limits<Scalar>::epsilon() -
                      4 * std::log(expected.smallest_feature) * std::numeric_limits<double>::epsilon();
    constexpr Long underflow = std::numeric_limits<Scalar>::min();
    CHECK((out.queries.template cast<Long>() - expected.queries).cwiseAbs().maxCoeff() <=
          part * expected.query_sizes.maxCoeff() + underflow);
    CHECK((out.keys.template cast<Long>() - expected.keys).cwiseAbs().maxCoeff() <=
          part * expected.key_sizes.maxCoeff() + underflow);
}

}  // namespace

TEST_CASE("gradients through generalized attention where features are tiny or huge") {
    std::vector<std::pair<Projections, Sequence>> cases;
    const Projections one = Projections::Identity(1, 1);
    for (const auto& [first, second] : {std::pair(-95.0, -96.0),
                                        {-13.6, -14.0},
                                        {-14.5, -17.0},
                                        {-37.8, -38.2},
                                        {-800.0, -801.0},
                                        {1e-22, -3e-22},
                                        {1e-160, 2e-160}}) {
        Sequence s = sequence(2, 2, 1, 2, 1.0, 8);
        s.queries << first, second;
        s.keys << first, second;
        cases.emplace_back(one, s);
        // The same row with another: their scales are far apart.
        s.keys(1, 0) = -0.5;
        cases.emplace_back(one, s);
    }
    Sequence large = sequence(70, 70, 4, 3, 1.0, 8);
    large.queries = 50 * large.queries.rowwise().normalized();
    large.keys = 50 * large.keys.rowwise().normalized();
    cases.emplace_back(normal_points(4, 16, Stream(9)), large);
    for (const features::Nonlinearity& mapping : features::nonlinearities())
        for (const auto& [weights, s] : cases)
            for (const Visible visible : {Visible::all, Visible::causal}) {
                check_explicit<float>(mapping, weights, s, visible);
                check_explicit<double>(mapping, weights, s, visible);
            }
}

TEST_CASE("slopes that Scalar does not hold are its largest number") {
    const attention::GeneralizedMap map(features::nonlinearity("identity"), 1);
    Rows<float> rows(2, 1), slopes;
    rows << 1e-40f, 1e-30f;
    features::FeatureBlock<float> block;
    map.evaluate(features::Side::key, rows, block);
    map.derivative(rows, block, slopes);
    CHECK(slopes(0, 0) == std::numeric_limits<float>::max());
    CHECK(std::abs(slopes(1, 0) * 1e-30f - 1) < 1e-4f);
}

TEST_CASE("rows whose denominator is zero send nothing back and are counted, whatever is visible") {
    // relu: the second and the fourth query see no key.
    const attention::GeneralizedMap map(features::nonlinearity("relu"), 2);
    Sequence s = sequence(4, 4, 2, 3, 1.0, 10);
    s.queries << 1, 2, -1, -1, 2, 1, -3, 0;
    s.keys = s.keys.cwiseAbs();
    for (const Visible visible : {Visible::all, Visible::causal}) {
        Gradients<double> out;
        const auto outcome = attention::backward<double>(map, {s.queries, s.keys, s.values}, visible,
                                                         normal_points(4, 3, Stream(11)), out);
        CHECK(outcome.nonpositive == 2);
        CHECK(out.left_out == 2);
        CHECK(out.queries.row(1).isZero(0));
        CHECK(out.queries.row(3).isZero(0));
        CHECK(out.keys.allFinite());
        CHECK_FALSE(out.keys.isZero(0));
    }
}

TEST_CASE("backward bears empty sequences, and queries without a key") {
    const Sequence few = sequence(3, 3, 4, 2, 1.0, 12), none = sequence(0, 0, 4, 2, 1.0, 12);
    const Sequence keyless = sequence(3, 0, 4, 2, 1.0, 12), unasked = sequence(0, 3, 4, 2, 1.0, 12);
    const std::vector<unsigned char> padding(3, 0);
    const SoftmaxMap map = map_of("positive", few, 8);
    const Points gradient = normal_points(3, 2, Stream(13));
    Gradients<double> out;
    const auto all_zero = [&](Index queries, Index keys) {
        return out.queries.rows() == queries && out.keys.rows() == keys && out.values.rows() == keys &&
               out.queries.isZero(0) && out.keys.isZero(0) && out.values.isZero(0);
    };
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const auto run = [&](const Sequence& s, const std::vector<unsigned char>& kept) {
            return attention::backward<double>(map, {s.queries, s.keys, s.values, kept}, visible,
                                               gradient.topRows(s.queries.rows()), out)
                .nonpositive;
        };
        CHECK(run(none, {}) == 0);
        CHECK((all_zero(0, 0) && out.left_out == 0));
        CHECK(run(few, padding) == 3);
        CHECK((all_zero(3, 3) && out.left_out == 3));
        if (visible == Visible::causal) continue;
        CHECK(run(keyless, {}) == 3);
        CHECK((all_zero(3, 0) && out.left_out == 3));
        CHECK(run(unasked, {}) == 0);
        CHECK((all_zero(0, 3) && out.left_out == 0));
    }
}

TEST_CASE("padding at |q| = |k| = 50: gradients are finite, and those of the sequence without it") {
    Sequence s = sequence(150, 150, 8, 3, 1.0, 14);
    s.queries = 50 * s.queries.rowwise().normalized();
    s.keys = 50 * s.keys.rowwise().normalized();
    std::vector<unsigned char> kept(150, 1);
    std::vector<Index> left;
    for (Index j = 0; j < 150; ++j) {
        kept[static_cast<std::size_t>(j)] = j % 3 != 0;
        if (j % 3 != 0) left.push_back(j);
    }
    const Points gradient = normal_points(150, 3, Stream(15));
    const Points keys = s.keys(left, Eigen::all), values = s.values(left, Eigen::all);
    for (const char* name : {"positive", "optimal-positive"}) {
        INFO(name);
        const SoftmaxMap map = map_of(name, s, 16);
        Gradients<double> out, without;
        attention::backward<double>(map, {s.queries, s.keys, s.values, kept}, Visible::causal, gradient, out);
        CHECK((out.queries.allFinite() && out.keys.allFinite() && out.values.allFinite()));
        attention::backward<double>(map, {s.queries, s.keys, s.values, kept}, Visible::all, gradient, out);
        attention::backward<double>(map, {s.queries, keys, values}, Visible::all, gradient, without);
        // Sums of 150 terms in another order; weights are exp of numbers up to 50^2.
        const double part = 1e3 * 2500 * std::numeric_limits<double>::epsilon();
        CHECK((out.queries - without.queries).cwiseAbs().maxCoeff() <= part * without.queries.cwiseAbs().maxCoeff());
        CHECK((out.keys(left, Eigen::all) - without.keys).cwiseAbs().maxCoeff() <=
              part * without.keys.cwiseAbs().maxCoeff());
        for (Index j = 0; j < 150; j += 3) CHECK((out.keys.row(j).isZero(0) && out.values.row(j).isZero(0)));
    }
}
