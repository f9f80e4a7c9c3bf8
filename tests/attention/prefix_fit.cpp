#include "rfbench/attention/prefix_fit.hpp"

#include <limits>

#include "catch.hpp"
#include "explicit_linear.hpp"
#include "explicit_softmax.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/heads.hpp"
#include "rfbench/attention/redraw.hpp"
#include "sequences.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using attention::Visible;

namespace {

attention::PrefixFit favor_plus_plus(Index count, Index first) {
    return {&features::find("optimal-positive"), {}, count, &sampling::find("orthogonal"), Stream(4), first};
}

}  // namespace

TEST_CASE("causal fits see the past only: changing the future leaves earlier outputs bit-equal") {
    const Sequence s = sequence(700, 700, 6, 4, 1.0, 1);
    const auto fit = favor_plus_plus(16, 64);
    Points before, after;
    attention::causal_prefix_fitted<double>(fit, {s.queries, s.keys, s.values}, before);
    for (const Index from : {1, 63, 64, 65, 128, 300, 511, 512, 699}) {
        Sequence other = s;
        other.queries.bottomRows(700 - from) *= -2;
        other.keys.bottomRows(700 - from) *= 3;
        other.values.bottomRows(700 - from).array() += 1;
        attention::causal_prefix_fitted<double>(fit, {other.queries, other.keys, other.values}, after);
        CHECK(after.topRows(from) == before.topRows(from));
        CHECK(after.bottomRows(700 - from) != before.bottomRows(700 - from));
    }
}

TEMPLATE_TEST_CASE("causal fits: each stretch has the features fitted to what is kept before it", "", double, float) {
    const Index length = 300;
    const SequenceOf<TestType> s(sequence(length, length, 4, 3, 1.0, 2));
    const Sequence wide = s.wide();
    const auto fit = favor_plus_plus(32, 64);
    for (const auto& kept : {std::vector<unsigned char>(), padding(length)}) {
        INFO((kept.empty() ? "all kept" : "padded"));
        Rows<TestType> out;
        const auto outcome = attention::causal_prefix_fitted(fit, s.inputs(kept), out);
        const Seen pairs = seen(length, length, Visible::causal, kept);
        Index nonpositive = 0;
        for (const Index before : {0, 64, 128, 256}) {
            std::vector<Index> left;
            for (Index j = 0; j < before; ++j)
                if (kept.empty() || kept[static_cast<std::size_t>(j)] != 0) left.push_back(j);
            const auto rows = [&](const Points& all) { return Points(all(left, Eigen::all)); };
            const auto mechanism = [&] {
                if (before == 0) return features::fit(features::find("positive"), {});
                return features::fit(*fit.mechanism, attention::softmax_statistics(rows(wide.queries), rows(wide.keys),
                                                                                   fit.mechanism->poisson_moments));
            }();
            const auto map = attention::softmax_map(*mechanism, 4, fit.count, *fit.sampling, fit.stream);
            const Index n = std::min(length, std::max<Index>(64, 2 * before)) - before;
            ExplicitSums sums = explicit_sums(map, s, pairs.cast<double>());
            sums = {sums.numerators.middleRows(before, n), sums.denominators.segment(before, n),
                    sums.error.segment(before, n), sums.largest};
            Index own = 0;
            for (Index i = 0; i < n; ++i) own += sums.denominators[i] > 0 ? 0 : 1;
            check_quotients(Rows<TestType>(out.middleRows(before, n)), own, sums);
            nonpositive += own;
        }
        CHECK(outcome.nonpositive == nonpositive);
    }
}

TEST_CASE("causal fits: what padded tokens hold changes nothing in other rows") {
    const Sequence s = sequence(300, 300, 5, 3, 1.0, 3);
    const auto fit = favor_plus_plus(16, 32);
    std::vector<unsigned char> kept(300, 1);
    Sequence other = s;
    for (Index j = 0; j < 300; ++j)
        if (j % 3 == 1 || j < 40) {
            kept[static_cast<std::size_t>(j)] = 0;
            other.queries.row(j) *= -2;
            other.keys.row(j) *= 3;
            other.values.row(j).array() += 1;
        }
    Points a, b;
    const auto outcome = attention::causal_prefix_fitted<double>(fit, {s.queries, s.keys, s.values, kept}, a);
    attention::causal_prefix_fitted<double>(fit, {other.queries, other.keys, other.values, kept}, b);
    for (Index i = 0; i < 300; ++i)
        if (kept[static_cast<std::size_t>(i)] != 0) REQUIRE(a.row(i) == b.row(i));
    // Token 41 is the first that is kept.
    CHECK(outcome.nonpositive == 41);
}

TEST_CASE("causal fits bear short sequences, and float is double up to rounding") {
    const auto fit = favor_plus_plus(16, 32);
    const Sequence none = sequence(0, 0, 5, 3, 1.0, 4), one = sequence(1, 1, 5, 3, 1.0, 4);
    Points out;
    CHECK(attention::causal_prefix_fitted<double>(fit, {none.queries, none.keys, none.values}, out).nonpositive == 0);
    CHECK((out.rows() == 0 && out.cols() == 3));
    CHECK(attention::causal_prefix_fitted<double>(fit, {one.queries, one.keys, one.values}, out).nonpositive == 0);
    CHECK((out - one.values).cwiseAbs().maxCoeff() <= 20 * std::numeric_limits<double>::epsilon());

    const Sequence s = sequence(200, 200, 5, 3, 1.0, 5);
    const Rows<float> q = s.queries.cast<float>(), k = s.keys.cast<float>(), v = s.values.cast<float>();
    const Points wide_q = q.cast<double>(), wide_k = k.cast<double>(), wide_v = v.cast<double>();
    Rows<float> narrow;
    attention::causal_prefix_fitted<float>(fit, {q, k, v}, narrow);
    attention::causal_prefix_fitted<double>(fit, {wide_q, wide_k, wide_v}, out);
    // Positive weights, each off by d ulps of |w.x| <= 20: sums of 200 terms of 16 features.
    const double ulps = 4 * (5 * 20 + 200 + 16);
    CHECK((narrow.cast<double>() - out).cwiseAbs().maxCoeff() <=
          ulps * std::numeric_limits<float>::epsilon() * wide_v.cwiseAbs().maxCoeff());
}

TEST_CASE("causal fits refuse what they cannot do, for empty sequences too") {
    for (const Index length : {0, 5}) {
        const Sequence s = sequence(length, length, 5, 3, 1.0, 6);
        const auto answer = [&](const attention::PrefixFit& fit) {
            Points out;
            return refusal([&] { attention::causal_prefix_fitted<double>(fit, {s.queries, s.keys, s.values}, out); });
        };
        CHECK(answer(favor_plus_plus(0, 32)) == "attention: the prefix fit's count is 0; at least 1 is needed");
        CHECK(answer(favor_plus_plus(-2, 32)) == "attention: the prefix fit's count is -2; at least 1 is needed");
        CHECK(answer(favor_plus_plus(8, 0)) == "attention: the prefix fit's first is 0; at least 1 is needed");
        attention::PrefixFit fit = favor_plus_plus(8, 32);
        fit.mechanism = nullptr;
        CHECK(answer(fit) == "attention: the prefix fit has no mechanism; one of the catalogue is needed");
        fit = favor_plus_plus(8, 32);
        fit.sampling = nullptr;
        CHECK(answer(fit) == "attention: the prefix fit has no sampling; one of the catalogue is needed");
    }
    Sequence s = sequence(4, 5, 5, 3, 1.0, 6);
    const auto answer = [&] {
        Points out;
        return refusal([&] {
            attention::causal_prefix_fitted<double>(favor_plus_plus(8, 2), {s.queries, s.keys, s.values}, out);
        });
    };
    CHECK(answer() == "attention: causal attention needs as many queries as keys, given 4 and 5");
    s = sequence(5, 5, 5, 3, 1.0, 6);
    s.queries(4, 2) = NAN;
    CHECK(answer() == "attention: queries have nan at row 4, column 2; all entries must be finite");
    s = sequence(5, 5, 5, 5, 1.0, 6);
    CHECK(contains(
        refusal([&] {
            attention::causal_prefix_fitted<double>(favor_plus_plus(8, 2), {s.queries, s.keys, s.values}, s.values);
        }),
        "lies over the values"));
}

TEST_CASE("statistics that are scaled are those of scaled points") {
    const Sequence s = sequence(40, 30, 5, 1, 1.0, 6);
    using features::PoissonMoments;
    const auto copied = attention::softmax_statistics(s.queries, s.keys, PoissonMoments::computed);
    const auto scaled = attention::softmax_statistics(s.queries, s.keys, PoissonMoments::left_out);
    // Sums of at most 40 terms of order one, and a product.
    constexpr double tolerance = 2 * 42 * std::numeric_limits<double>::epsilon();
    for (const auto set : {&features::Statistics::x, &features::Statistics::y}) {
        const auto &a = copied.*set, &b = scaled.*set;
        CHECK(a.rows == b.rows);
        CHECK((a.mean - b.mean).cwiseAbs().maxCoeff() <= tolerance);
        CHECK((a.mean_absolute - b.mean_absolute).cwiseAbs().maxCoeff() <= tolerance);
        CHECK((a.minimum - b.minimum).cwiseAbs().maxCoeff() <= tolerance);
        CHECK((a.second_moment - b.second_moment).cwiseAbs().maxCoeff() <= tolerance);
        CHECK(b.log_poisson_moments.empty());
    }
}

TEST_CASE("heads: each is attended by itself, whatever the shape") {
    attention::Heads<double> q(2, 3, 20, 4), k(2, 3, 30, 4), v(2, 3, 30, 2), out;
    for (auto* heads : {&q, &k, &v})
        for (std::size_t i = 0; i < heads->entries.size(); ++i)
            heads->entries[i] = std::sin(static_cast<double>(i * 7 + heads->entries.size()));
    std::vector<unsigned char> kept(60, 1);
    kept[5] = kept[41] = 0;
    const auto exact = [](const attention::Inputs<double>& in, Index, Points& rows) {
        return attention::exact(in, Visible::all, rows);
    };
    attention::attend_heads<double>(q, k, v, kept, exact, out);
    for (Index b = 0; b < 2; ++b)
        for (Index h = 0; h < 3; ++h) {
            Points expected;
            attention::exact<double>({q.head(b, h), k.head(b, h), v.head(b, h),
                                      std::span(kept).subspan(static_cast<std::size_t>(b) * 30, 30)},
                                     Visible::all, expected);
            CHECK(Points(out.head(b, h)) == expected);
        }
    attention::Heads<double> wrong(2, 2, 30, 4);
    CHECK_THROWS_WITH(
        attention::attend_heads<double>(q, wrong, v, {}, exact, out),
        "attention: queries are 2 x 3 x 20 x 4, keys 2 x 2 x 30 x 4, values 2 x 3 x 30 x 2; batch and heads must "
        "be the same");
    const auto answer = [&](const attention::Attend<double>& attend) {
        return refusal([&] { attention::attend_heads<double>(q, k, v, {}, attend, out); });
    };
    CHECK(answer([](const attention::Inputs<double>& in, Index head, Points& rows) {
              rows.setZero(in.queries.rows() - head, 2);
              return attention::Outcome();
          }) == "sequence 0, head 1: attention gave 19 x 2; it must give 20 x 2");
    k.entries.pop_back();
    CHECK(answer(exact) == "attention: keys have 719 entries; their shape 2 x 3 x 30 x 4 needs 720");
    k.entries.push_back(1);
    q.length = -1;
    CHECK(answer(exact) == "attention: heads are 2 x 3 x -1 x 4; extents must not be negative");
    // A product that wraps around to the number of entries: none.
    constexpr Index half = Index(1) << 32;
    CHECK(refusal([&] { attention::Heads<double>(half, half, 1, 1); }) ==
          "attention: heads are 4294967296 x 4294967296 x 1 x 1; no memory has as many entries");
    q.length = 20;
    const attention::Attend<double> greedy = [](const auto&, Index, Points&) -> attention::Outcome {
        throw std::bad_alloc();
    };
    CHECK_THROWS_AS(attention::attend_heads<double>(q, k, v, {}, greedy, out), std::bad_alloc);
    CHECK(refusal([&] { attention::attend_heads<double>(q, k, v, {}, exact, k); }) ==
          "attention: the output is the keys themselves; it needs memory of its own");
    k.head(1, 2)(7, 1) = NAN;
    CHECK_THROWS_WITH(attention::attend_heads<double>(q, k, v, {}, exact, out),
                      "sequence 1, head 2: attention: keys have nan at row 7, column 1; all entries must be finite");
}

TEST_CASE("redrawing depends on the step alone") {
    const std::shared_ptr<const features::Mechanism> mechanism = features::fit(features::find("positive"), {});
    const Points rows = normal_points(3, 4, Stream(1));
    const auto features_at = [&](attention::RedrawnMap& map, std::uint64_t step) {
        features::FeatureBlock<double> block;
        map.at(step).evaluate(features::Side::query, rows, block);
        return block.values;
    };
    attention::RedrawnMap a(mechanism, 4, 8, sampling::find("iid"), Stream(2), 10), b = a;
    const Points first = features_at(a, 0), second = features_at(a, 10);
    CHECK(first == features_at(a, 9));
    CHECK(first != second);
    CHECK(second == features_at(b, 19));
    CHECK(first == features_at(b, 3));
    attention::RedrawnMap fixed(mechanism, 4, 8, sampling::find("iid"), Stream(2), 0);
    CHECK(features_at(fixed, 0) == features_at(fixed, 1'000'000));
}

TEST_CASE("redrawing needs a mechanism") {
    CHECK(refusal([] { attention::RedrawnMap(nullptr, 4, 8, sampling::find("iid"), Stream(2), 10); }) ==
          "attention: no mechanism to draw features of; a redrawn map needs one");
}

TEST_CASE("what is drawn again does not depend on the data that the mechanism is fitted to") {
    // log f(x) - log f(0) + |x|^2 / 2 = sqrt(1 - 4A) w.x, so directions over the M features are those of w.x.
    Points rows = normal_points(2, 4, Stream(1));
    rows.row(1).setZero();
    const auto projections = [&](double scale) {
        const Points data = scale * normal_points(50, 4, Stream(3));
        const std::shared_ptr<const features::Mechanism> mechanism =
            features::fit(features::find("optimal-positive"), attention::softmax_statistics(data, data));
        attention::RedrawnMap map(mechanism, 4, 8, sampling::find("orthogonal"), Stream(2), 10);
        features::FeatureBlock<double> block;
        map.at(25).evaluate(features::Side::query, rows, block);
        const Eigen::RowVectorXd logs = block.values.array().row(0).log() - block.values.array().row(1).log();
        const double of_rows = block.log_scale[0] - block.log_scale[1] + 0.5 * rows.row(0).squaredNorm() / 2;
        return Eigen::RowVectorXd((logs.array() + of_rows).matrix().normalized());
    };
    // A logarithm of a value at least exp(-20) is right to 1e-14.
    CHECK((projections(0.2) - projections(1.5)).cwiseAbs().maxCoeff() < 1e-12);
}
