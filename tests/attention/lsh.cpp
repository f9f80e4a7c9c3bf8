#include "rfbench/attention/lsh.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "rfbench/attention/exact.hpp"
#include "sequences.hpp"
#include "thrown.hpp"

using namespace rfbench;
using namespace rfbench::attention;

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

Points normalised(Points rows) {
    rows.rowwise().normalize();
    return rows;
}

}  // namespace

TEST_CASE("LSH attention is softmax over pairs that meet in any round") {
    for (const Index length : {1, 2, 50, 431}) {
        const Sequence s = sequence(length, length, 6, 3, 1.5, 1);
        std::vector<unsigned char> kept(static_cast<std::size_t>(length), 1);
        for (std::size_t j = 0; j < kept.size(); j += 3) kept[j] = 0;
        for (const LshKeys which : {LshKeys::separate, LshKeys::queries})
            for (const Index rounds : {1, 3})
                for (const Index count : {1, 2, 8})
                    for (const Visible visible : {Visible::all, Visible::causal})
                        for (const bool padded : {false, true}) {
                            INFO("L = " << length << ", " << count << " buckets, " << rounds << " rounds");
                            const Hashing hashing = draw_hashing(6, count, rounds, Stream(2), which);
                            const Points keys = which == LshKeys::separate ? s.keys : normalised(s.queries);
                            const std::vector<unsigned char> own = padded ? kept : std::vector<unsigned char>();
                            const Seen pairs = meeting(hashing, s.queries, keys) && seen(length, length, visible, own);
                            Points out;
                            const Outcome outcome =
                                lsh<double>(hashing, {s.queries, s.keys, s.values, own}, visible, out);
                            const Points expected = softmax_weights(s.queries, keys, pairs) * s.values;
                            const double error = (out - expected).cwiseAbs().maxCoeff();
                            CHECK(error <= softmax_tolerance(s.queries, keys, s.values));
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
    CHECK(before < 200 * 200);
}

TEST_CASE("LSH attention refuses what it cannot do") {
    const Sequence s = sequence(3, 4, 6, 2, 1.0, 7);
    Points out;
    CHECK(says(refusal([] { draw_hashing(6, 3, 1, Stream(1)); }), "3 buckets"));
    CHECK(says(refusal([] { draw_hashing(6, 0, 1, Stream(1)); }), "0 buckets"));
    CHECK(says(refusal([] { draw_hashing(6, 2, 0, Stream(1)); }), "0 rounds"));
    CHECK(says(refusal([&] { lsh<double>({}, {s.queries, s.keys, s.values}, Visible::all, out); }), "no rounds"));
    const auto attend = [&](const Hashing& hashing) {
        return refusal([&] { lsh<double>(hashing, {s.queries, s.keys, s.values}, Visible::all, out); });
    };
    CHECK(says(attend(draw_hashing(5, 2, 1, Stream(1))), "5 coordinates"));
    CHECK(says(attend(draw_hashing(6, 2, 1, Stream(1), LshKeys::queries)), "as many"));
    CHECK(refusal([] { draw_hashing(-1, 2, 1, Stream(1)); }) == "lsh: d = -1; it must be positive");
    Hashing bad = draw_hashing(6, 8, 3, Stream(1));
    bad.rounds[1](5, 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK(attend(bad) == "lsh: the hash of round 1 has nan at row 5, column 2; all entries must be finite");
}
