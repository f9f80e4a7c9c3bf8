#include "rfbench/attention/linformer.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "rfbench/attention/exact.hpp"
#include "sequences.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

TEMPLATE_TEST_CASE("Linformer is softmax attention to mixtures of keys", "", double, float) {
    for (const Index keys : {1, 2, 70, 333}) {
        INFO("L' = " << keys);
        const SequenceOf<TestType> s(sequence(50, keys, 6, 3, 0.5, 1));
        const auto [q, k, v] = s.wide();
        const Projections mixing = random_compression(12, 400, Stream(2));
        std::vector<unsigned char> some(static_cast<std::size_t>(keys), 1);
        for (std::size_t j = 1; j < some.size(); j += 3) some[j] = 0;
        for (const auto& kept : {std::vector<unsigned char>(), some}) {
            Points own = mixing.leftCols(keys);
            for (std::size_t j = 0; j < kept.size(); ++j)
                if (kept[j] == 0) own.col(static_cast<Index>(j)).setZero();
            const Points mixed_keys = own * k, mixed_values = own * v;
            const Points expected = softmax_weights(q, mixed_keys, seen(50, 12, Visible::all)) * mixed_values;
            Rows<TestType> out;
            CHECK(linformer(mixing, s.inputs(kept), out).nonpositive == 0);
            // Beyond softmax itself: one and L' ulps of what is added up in keys, by |q| / sqrt d, and in values.
            const double added = 2 * static_cast<double>(keys + 1) * epsilon_of<TestType>;
            const Points key_terms = own.cwiseAbs() * k.cwiseAbs();
            const Points value_terms = own.cwiseAbs() * v.cwiseAbs();
            const double scores = added * (q.cwiseAbs() * key_terms.transpose()).maxCoeff() / std::sqrt(6.0);
            const double tolerance = softmax_tolerance(q, mixed_keys, mixed_values, epsilon_of<TestType>) +
                                     2 * scores * mixed_values.cwiseAbs().maxCoeff() + added * value_terms.maxCoeff();
            CHECK((out.template cast<double>() - expected).cwiseAbs().maxCoeff() <= tolerance);
        }
    }
}

TEST_CASE("Linformer that compresses nothing is exact attention") {
    const Sequence s = sequence(80, 120, 6, 3, 1.0, 3);
    Points expected, out;
    exact<double>({s.queries, s.keys, s.values}, Visible::all, expected);
    linformer<double>(Projections::Identity(120, 120), {s.queries, s.keys, s.values}, out);
    CHECK((out - expected).cwiseAbs().maxCoeff() <= softmax_tolerance(s.queries, s.keys, s.values));
}

TEST_CASE("the compression's entries have variance 1/k and do not depend on the length") {
    const Index k = 40, length = 1000;
    const Projections mixing = random_compression(k, length, Stream(4));
    CHECK(random_compression(k, 300, Stream(4)) == mixing.leftCols(300));
    // k sum of squares is chi^2 of k L degrees: six standard errors.
    const double degrees = static_cast<double>(k * length);
    CHECK(std::abs(mixing.squaredNorm() * static_cast<double>(k) / degrees - 1) < 6 * std::sqrt(2 / degrees));
    CHECK(std::abs(mixing.sum() * std::sqrt(static_cast<double>(k))) < 6 * std::sqrt(degrees));
}

TEST_CASE("Linformer refuses what it cannot do") {
    const Sequence s = sequence(3, 4, 6, 2, 1.0, 5);
    Points out;
    CHECK(contains(refusal([] { random_compression(0, 4, Stream(1)); }), "k = 0"));
    const auto attend = [&](const Projections& mixing) {
        return refusal([&] { linformer<double>(mixing, {s.queries, s.keys, s.values}, out); });
    };
    CHECK(contains(attend(Projections(0, 4)), "0 x 4"));
    CHECK(contains(attend(Projections::Zero(2, 3)), "2 x 3"));
    CHECK(refusal([] { random_compression(4, -1, Stream(1)); }) ==
          "linformer: -1 keys; their number must not be negative");
    Projections bad = Projections::Zero(2, 4);
    bad(1, 2) = std::numeric_limits<double>::infinity();
    CHECK(attend(bad) == "linformer: the compression has inf at row 1, column 2; all entries must be finite");
}
