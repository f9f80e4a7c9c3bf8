#include "rfbench/attention/lsh.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/lsh_backward.hpp"
#include "sequences.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

/// argmax of [G -G]' x by the definition.
std::vector<Index> buckets(const Projections& directions, const Points& rows) {
    std::vector<Index> all(static_cast<std::size_t>(rows.rows()), 0);
    if (directions.cols() == 0) return all;
    Points both(directions.rows(), 2 * directions.cols());
    both << directions, -directions;
    const Points products = rows * both;
    for (Index i = 0; i < rows.rows(); ++i) products.row(i).maxCoeff(&all[static_cast<std::size_t>(i)]);
    return all;
}

Seen meeting(const Hashing& hashing, const Points& q, const Points& k) {
    Seen all = Seen::Constant(q.rows(), k.rows(), false);
    for (const Projections& directions : hashing.rounds) {
        const std::vector<Index> of_q = buckets(directions, q), of_k = buckets(directions, k);
        for (std::size_t i = 0; i < of_q.size(); ++i)
            for (std::size_t j = 0; j < of_k.size(); ++j)
                if (of_q[i] == of_k[j]) all(static_cast<Index>(i), static_cast<Index>(j)) = true;
    }
    return all;
}

/// The largest of all |x.g| is above the next by more than d + 2 roundings of both, and of G.
bool rounding_decides_no_bucket(const Hashing& hashing, const Points& rows, double epsilon) {
    for (const Projections& directions : hashing.rounds) {
        if (directions.cols() == 0) continue;
        Points products = (rows * directions).cwiseAbs();
        const Points sizes = rows.cwiseAbs() * directions.cwiseAbs();
        for (Index i = 0; i < rows.rows(); ++i) {
            Index most;
            const double first = products.row(i).maxCoeff(&most);
            const double error = 2 * (static_cast<double>(rows.cols()) + 4) * epsilon * sizes.row(i).maxCoeff();
            if (first <= error) return false;  // the sign
            products(i, most) = 0;
            if (first - products.row(i).maxCoeff() <= 2 * error) return false;
        }
    }
    return true;
}

Points normalised(Points rows) {
    rows.rowwise().normalize();
    return rows;
}

}  // namespace

TEMPLATE_TEST_CASE("LSH attention is softmax over pairs that meet in any round", "", double, float) {
    for (const Index length : {1, 2, 50, 431}) {
        const SequenceOf<TestType> s(sequence(length, length, 6, 3, 1.5, 1));
        const auto [q, k, v] = s.wide();
        for (const LshKeys which : {LshKeys::separate, LshKeys::queries})
            for (const Index rounds : {1, 3})
                for (const Index count : {1, 2, 8})
                    for (const Visible visible : {Visible::all, Visible::causal})
                        for (const auto& kept : {std::vector<unsigned char>(), padding(length)}) {
                            INFO("L = " << length << ", " << count << " buckets, " << rounds << " rounds");
                            const Hashing hashing = draw_hashing(6, count, rounds, Stream(2), which);
                            const Points keys = which == LshKeys::separate ? k : normalised(q);
                            REQUIRE(rounding_decides_no_bucket(hashing, q, epsilon_of<TestType>));
                            REQUIRE(rounding_decides_no_bucket(hashing, keys, epsilon_of<TestType>));
                            const Seen pairs = meeting(hashing, q, keys) && seen(length, length, visible, kept);
                            Rows<TestType> out;
                            const Outcome outcome = lsh(hashing, s.inputs(kept), visible, out);
                            const Points expected = softmax_weights(q, keys, pairs) * v;
                            // Normalising is d + 2 roundings of a score more, which the definition in double leaves.
                            CHECK((out.template cast<double>() - expected).cwiseAbs().maxCoeff() <=
                                  softmax_tolerance(q, keys, v, epsilon_of<TestType>));
                            CHECK(outcome.nonpositive == length - pairs.rowwise().any().count());
                        }
    }
}

TEST_CASE("LSH attention with one bucket is exact attention") {
    const Sequence s = sequence(200, 300, 6, 3, 1.0, 3);
    Points expected, out;
    exact<double>({s.queries, s.keys, s.values}, Visible::all, expected);
    lsh<double>(draw_hashing(6, 1, 2, Stream(4)), {s.queries, s.keys, s.values}, Visible::all, out);
    CHECK((out - expected).cwiseAbs().maxCoeff() <= softmax_tolerance(s.queries, s.keys, s.values));
}

TEST_CASE("more rounds see more") {
    const Sequence s = sequence(200, 200, 6, 3, 1.0, 5);
    const Hashing many = draw_hashing(6, 16, 6, Stream(6));
    Index before = 0;
    for (std::size_t rounds = 1; rounds <= 6; ++rounds) {
        const Hashing some{{many.rounds.begin(), many.rounds.begin() + static_cast<std::ptrdiff_t>(rounds)}};
        const Index pairs = meeting(some, s.queries, s.keys).count();
        CHECK(pairs > before);
        before = pairs;
    }
    CHECK(before < s.queries.rows() * s.keys.rows());
}

TEST_CASE("LSH attention refuses what it cannot do") {
    const Sequence s = sequence(3, 4, 6, 2, 1.0, 7);
    Points out;
    CHECK(contains(refusal([] { draw_hashing(6, 3, 1, Stream(1)); }), "3 buckets"));
    CHECK(contains(refusal([] { draw_hashing(6, 0, 1, Stream(1)); }), "0 buckets"));
    CHECK(contains(refusal([] { draw_hashing(6, 2, 0, Stream(1)); }), "0 rounds"));
    CHECK(contains(refusal([&] { lsh<double>({}, {s.queries, s.keys, s.values}, Visible::all, out); }), "no rounds"));
    const auto attend = [&](const Hashing& hashing) {
        return refusal([&] { lsh<double>(hashing, {s.queries, s.keys, s.values}, Visible::all, out); });
    };
    CHECK(contains(attend(draw_hashing(5, 2, 1, Stream(1))), "5 coordinates"));
    CHECK(contains(attend(draw_hashing(6, 2, 1, Stream(1), LshKeys::queries)), "as many"));
    CHECK(refusal([] { draw_hashing(-1, 2, 1, Stream(1)); }) == "lsh: d = -1; it must be positive");
    Hashing bad = draw_hashing(6, 8, 3, Stream(1));
    bad.rounds[1](5, 2) = std::numeric_limits<double>::quiet_NaN();
    // Gradients refuse the same.
    std::vector<unsigned char> kept{1, 1};
    Gradients<double> gradients;
    CHECK_THROWS_AS(lsh_backward<double>(draw_hashing(6, 2, 1, Stream(1)),
                                         {.queries = s.queries, .keys = s.keys, .values = s.values, .kept = kept},
                                         Visible::all, Points::Zero(3, 2), Points::Zero(3, 2), gradients),
                    std::invalid_argument);
    const auto send_back = [&](const Inputs<float>& in, Index rows, Index columns) {
        Gradients<float> to;
        const Rows<float> given = Rows<float>::Zero(rows, columns), sent = Rows<float>::Ones(3, 2);
        return refusal(
            [&] { lsh_backward<float>(draw_hashing(6, 2, 1, Stream(1)), in, Visible::all, given, sent, to); });
    };
    const SequenceOf<float> narrow(s);
    CHECK(contains(send_back(narrow.inputs(), 3, 1), "the output is 3 x 1; lsh() gives 3 x 2"));
    CHECK(contains(send_back(narrow.inputs(), 2, 2), "the output is 2 x 2"));
    CHECK(send_back(narrow.inputs(), 3, 2) == "accepted");
    const Rows<float> large = Rows<float>::Constant(3, 6, 1e20F), values = Rows<float>::Ones(3, 2);
    CHECK(contains(send_back({large, large, values}, 3, 2), "where the numbers end"));
    CHECK(attend(bad) == "lsh: the hash of round 1 has nan at row 5, column 2; all entries must be finite");
}
