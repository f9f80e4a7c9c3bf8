#include "rfbench/attention/nystrom.hpp"

#include <limits>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "rfbench/attention/exact.hpp"
#include "sequences.hpp"
#include "support/decompositions.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

Points means(const Points& rows, Index segments) {
    Points all(segments, rows.cols());
    for (Index s = 0; s < segments; ++s) {
        const Index first = s * rows.rows() / segments, end = (s + 1) * rows.rows() / segments;
        all.row(s) = rows.middleRows(first, end - first).colwise().mean();
    }
    return all;
}

/// The definition, with the pseudo-inverse from singular values, and how rounding may have moved it: the inverse of the
/// smallest of them.
struct Expected {
    Points out;
    double amplification;
};
Expected definition(const Points& q, const Points& k, const Points& v, Index landmarks) {
    const Points some_q = means(q, std::min(landmarks, q.rows())), some_k = means(k, std::min(landmarks, k.rows()));
    const auto softmax = [](const Points& a, const Points& b) {
        return softmax_weights(a, b, seen(a.rows(), b.rows(), Visible::all));
    };
    const auto [left, singular, right] = jacobi_svd(softmax(some_q, some_k));
    const Eigen::VectorXd inverse = singular.cwiseInverse();
    const Points between = right * inverse.asDiagonal() * left.transpose();
    return {softmax(q, some_k) * between * softmax(some_q, k) * v, inverse.maxCoeff()};
}

/// Errors of the three softmaxes, times the pseudo-inverse once for the outer and twice for the inner (its own change
/// is |A^+|^2 times that of A), as many as there are landmarks.
double tolerance(const Points& q, const Points& k, const Points& v, Index landmarks, double amplification,
                 double epsilon = std::numeric_limits<double>::epsilon()) {
    const double m = static_cast<double>(landmarks), softmax = softmax_tolerance(q, k, v, epsilon);
    return 4 * m * softmax * (1 + amplification) * (1 + amplification);
}

}  // namespace

TEMPLATE_TEST_CASE("Nystrom attention is its definition", "", double, float) {
    for (const Index landmarks : {1, 2, 5}) {
        const SequenceOf<TestType> s(sequence(47, 33, 6, 3, 3.0, 1));
        const Sequence wide = s.wide();
        INFO(landmarks << " landmarks");
        // Padding is not there.
        std::vector<unsigned char> kept(33, 1);
        for (const std::size_t j : {0u, 7u, 8u, 30u, 32u}) kept[j] = 0;
        std::vector<Index> left, all;
        for (Index j = 0; j < 33; ++j) {
            all.push_back(j);
            if (kept[static_cast<std::size_t>(j)] != 0) left.push_back(j);
        }
        const auto check = [&](std::span<const unsigned char> own_kept, const std::vector<Index>& own) {
            Rows<TestType> out;
            CHECK(nystrom(landmarks, s.inputs(own_kept), out).nonpositive == 0);
            const Points keys = wide.keys(own, Eigen::all), values = wide.values(own, Eigen::all);
            const Expected expected = definition(wide.queries, keys, values, landmarks);
            const double error = (out.template cast<double>() - expected.out).cwiseAbs().maxCoeff();
            CHECK(error <=
                  tolerance(wide.queries, keys, values, landmarks, expected.amplification, epsilon_of<TestType>));
        };
        check({}, all);
        check(kept, left);
    }
}

TEST_CASE("Nystrom attention with all tokens as landmarks is exact attention") {
    // Queries near keys, large: the matrix of weights is far from singular.
    Sequence s = sequence(40, 40, 12, 3, 4.0, 2);
    s.keys = s.queries + 0.1 * s.keys;
    for (const Index landmarks : {40, 1000}) {
        Points expected, out;
        exact<double>({s.queries, s.keys, s.values}, Visible::all, expected);
        nystrom<double>(landmarks, {s.queries, s.keys, s.values}, out);
        const double amplification = definition(s.queries, s.keys, s.values, 40).amplification;
        REQUIRE(amplification < 1e3);
        CHECK((out - expected).cwiseAbs().maxCoeff() <= tolerance(s.queries, s.keys, s.values, 40, amplification));
    }
}

TEST_CASE("Nystrom attention bears landmarks that are all the same") {
    const Points same = Points::Constant(20, 4, 0.5), values = normal_points(20, 2, Stream(3));
    const Rows<float> narrow = same.cast<float>(), narrow_values = values.cast<float>();
    Points out;
    Rows<float> narrow_out;
    nystrom<double>(5, {same, same, values}, out);
    nystrom<float>(5, {narrow, narrow, narrow_values}, narrow_out);
    const Eigen::RowVectorXd mean = values.colwise().mean();
    // The mean of all values, through sums of twenty: a matrix of rank one, its inverse of norm one.
    CHECK((out.rowwise() - mean).cwiseAbs().maxCoeff() < 200 * std::numeric_limits<double>::epsilon());
    CHECK((narrow_out.cast<double>().rowwise() - mean).cwiseAbs().maxCoeff() <
          200 * static_cast<double>(std::numeric_limits<float>::epsilon()));
}

TEST_CASE("Nystrom attention refuses to have no landmarks") {
    const Sequence s = sequence(3, 4, 6, 2, 1.0, 4);
    Points out;
    CHECK(contains(refusal([&] { nystrom<double>(0, {s.queries, s.keys, s.values}, out); }), "0 landmarks"));
}
