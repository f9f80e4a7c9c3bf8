// Properties of attention through every mechanism.
#include <omp.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "explicit_linear.hpp"
#include "explicit_softmax.hpp"
#include "maps.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/linformer.hpp"
#include "rfbench/attention/lsh.hpp"
#include "rfbench/attention/masked.hpp"
#include "rfbench/attention/nystrom.hpp"
#include "rfbench/attention/prefix_fit.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "sequences.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using attention::FeatureSums;
using attention::Inputs;
using attention::MaskPath;
using attention::SoftmaxMap;
using attention::ToeplitzMask;
using attention::Visible;

namespace {

template <class Scalar>
Rows<Scalar> attend(const SoftmaxMap& map, const Sequence& s, Visible visible) {
    Rows<Scalar> out;
    const Rows<Scalar> q = s.queries.cast<Scalar>(), k = s.keys.cast<Scalar>(), v = s.values.cast<Scalar>();
    attention::linear<Scalar>(map, {q, k, v}, visible, out);
    return out;
}

/// Queries and keys of length 50.
Sequence long_rows(Index d) {
    const Sequence s = sequence(150, 150, d, 3, 1.0, 8);
    return {50 * s.queries.rowwise().normalized(), 50 * s.keys.rowwise().normalized(), s.values};
}

constexpr Visible both[] = {Visible::all, Visible::causal};

}  // namespace

TEST_CASE("attention: the same bits for any number of threads") {
    const Sequence s = sequence(4000, 4000, 8, 6, 1.0, 1);
    const SoftmaxMap map = map_of("positive", s, 32);
    for (const Visible visible : both) {
        omp_set_num_threads(1);
        const Rows<float> one = attend<float>(map, s, visible);
        Points exact_one;
        attention::exact<double>({s.queries, s.keys, s.values}, visible, exact_one);
        for (const int threads : {2, 3}) {
            omp_set_num_threads(threads);
            CHECK(attend<float>(map, s, visible) == one);
            Points exact;
            attention::exact<double>({s.queries, s.keys, s.values}, visible, exact);
            CHECK(exact == exact_one);
        }
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("causal attention does not see the future: changing it leaves earlier outputs bit-equal") {
    for (const Index length : {1, 2, 59, 60, 61, 119, 121, 1000}) {
        const Sequence s = sequence(length, length, 4, 3, 1.0, 2);
        const SoftmaxMap map = map_of("optimal-positive", s, 8);
        const Points before = attend<double>(map, s, Visible::causal);
        Points exact_before, exact_after;
        attention::exact<double>({s.queries, s.keys, s.values}, Visible::causal, exact_before);
        for (const Index from : {Index(0), length / 3, length / 2, length - 1}) {
            Sequence other = s;
            other.queries.bottomRows(length - from) *= -3;
            other.keys.bottomRows(length - from) *= 4;
            other.values.bottomRows(length - from).array() += 2;
            const Points after = attend<double>(map, other, Visible::causal);
            CHECK(after.topRows(from) == before.topRows(from));
            CHECK(after.bottomRows(length - from) != before.bottomRows(length - from));
            // Nor how large the future is.
            other.keys.bottomRows(length - from) *= 100;
            CHECK(attend<double>(map, other, Visible::causal).topRows(from) == before.topRows(from));
            attention::exact<double>({other.queries, other.keys, other.values}, Visible::causal, exact_after);
            CHECK(exact_after.topRows(from) == exact_before.topRows(from));
        }
    }
}

TEMPLATE_TEST_CASE("decoding token by token or in pieces of any length is attention over the whole", "", double,
                   float) {
    const Index length = 130;
    const Sequence all = sequence(length, length, 4, 3, 1.0, 3);
    const SequenceOf<TestType> s(all);
    for (const auto& [name, map] : every_map(all, 16))
        for (const auto& kept : {std::vector<unsigned char>(), padding(length)}) {
            const Seen pairs = seen(length, length, Visible::causal, kept);
            const ExplicitSums sums = explicit_sums(*map, s, pairs.cast<double>());
            for (const Index piece : {1, 7, 60, 100, 129}) {
                INFO(name << ", pieces of " << piece << (kept.empty() ? "" : ", padded"));
                FeatureSums<TestType> state(map->columns(), 3);
                Rows<TestType> out, pieces(length, 3);
                Index nonpositive = 0;
                for (Index at = 0; at < length; at += piece) {
                    const Index n = std::min(piece, length - at);
                    Inputs<TestType> in{s.queries.middleRows(at, n), s.keys.middleRows(at, n),
                                        s.values.middleRows(at, n)};
                    if (!kept.empty())
                        in.kept = std::span(kept).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(n));
                    nonpositive += attention::causal(*map, in, state, out).nonpositive;
                    pieces.middleRows(at, n) = out;
                }
                check_quotients(pieces, nonpositive, sums);
            }
        }
}

TEST_CASE("padded keys are as if they were not there") {
    const Sequence s = sequence(200, 200, 5, 3, 1.0, 4);
    std::vector<unsigned char> kept(200, 1);
    std::vector<Index> left;
    for (Index j = 0; j < 200; ++j) {
        if (j % 3 == 1 || j < 4)
            kept[static_cast<std::size_t>(j)] = 0;
        else
            left.push_back(j);
    }
    Sequence loud = s;  // what padding holds must not matter, however large
    for (Index j = 0; j < 200; ++j)
        if (kept[static_cast<std::size_t>(j)] == 0) {
            loud.keys.row(j) *= 30;
            loud.values.row(j).setConstant(1e6);
        }
    const Points keys = s.keys(left, Eigen::all), values = s.values(left, Eigen::all);
    const SoftmaxMap map = map_of("positive", s, 16);
    const double tolerance = 4 * 300 * std::numeric_limits<double>::epsilon() * values.cwiseAbs().maxCoeff();

    Points padded, without;
    attention::linear<double>(map, {loud.queries, loud.keys, loud.values, kept}, Visible::all, padded);
    attention::linear<double>(map, {s.queries, keys, values}, Visible::all, without);
    CHECK((padded - without).cwiseAbs().maxCoeff() <= tolerance);
    attention::exact<double>({loud.queries, loud.keys, loud.values, kept}, Visible::all, padded);
    attention::exact<double>({s.queries, keys, values}, Visible::all, without);
    CHECK((padded - without).cwiseAbs().maxCoeff() <= tolerance);

    // Causally the first queries see nothing: zeros, counted.
    const auto outcome =
        attention::linear<double>(map, {loud.queries, loud.keys, loud.values, kept}, Visible::causal, padded);
    CHECK(outcome.nonpositive == 5);
    CHECK(padded.topRows(5).cwiseAbs().maxCoeff() == 0);
    const auto exact = attention::exact<double>({loud.queries, loud.keys, loud.values, kept}, Visible::causal, padded);
    CHECK(exact.nonpositive == 5);
    CHECK(padded.topRows(5).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("cross-attention, and sequences that are empty or of one token") {
    const Sequence s = sequence(7, 130, 5, 2, 1.0, 5);
    const SoftmaxMap map = map_of("positive", s, 8);
    CHECK(attend<double>(map, s, Visible::all).rows() == 7);
    for (const Visible visible : both) {
        const Sequence one = sequence(1, 1, 5, 2, 1.0, 6), none = sequence(0, 0, 5, 2, 1.0, 6);
        const double tolerance = 16 * std::numeric_limits<double>::epsilon();
        CHECK((attend<double>(map, one, visible) - one.values).cwiseAbs().maxCoeff() <= tolerance);
        CHECK(attend<double>(map, none, visible).rows() == 0);
        Points out;
        attention::exact<double>({one.queries, one.keys, one.values}, visible, out);
        CHECK((out - one.values).cwiseAbs().maxCoeff() <= tolerance);
        attention::exact<double>({none.queries, none.keys, none.values}, visible, out);
        CHECK(out.rows() == 0);
    }
    // Queries without a single key: nothing to average.
    const Sequence keyless = sequence(3, 0, 5, 2, 1.0, 7);
    Points out;
    CHECK(attention::linear<double>(map, {keyless.queries, keyless.keys, keyless.values}, Visible::all, out)
              .nonpositive == 3);
    CHECK(out.cwiseAbs().maxCoeff() == 0);
    CHECK(attention::exact<double>({keyless.queries, keyless.keys, keyless.values}, Visible::all, out).nonpositive ==
          3);
}

TEMPLATE_TEST_CASE("nothing overflows at |q| = |k| = 50, whatever the features", "", double, float) {
    for (const Index d : {2, 64}) {
        const Sequence all = long_rows(d);
        const SequenceOf<TestType> s(all);
        const ToeplitzMask mask = attention::decaying_mask({150}, 0.01);
        for (const auto& [name, map] : every_map(all, 16))
            for (const Visible visible : both) {
                INFO(name << ", d = " << d << (visible == Visible::causal ? ", causal" : ""));
                Rows<TestType> out;
                attention::linear(*map, s.inputs(), visible, out);
                CHECK(out.allFinite());
                for (const MaskPath path : {MaskPath::dense, MaskPath::fft}) {
                    attention::masked(*map, visible == Visible::causal ? causal_mask(mask) : mask, s.inputs(), out,
                                      path);
                    CHECK(out.allFinite());
                }
            }
    }
}

TEMPLATE_TEST_CASE("nothing overflows at |q| = |k| = 50, whatever the method", "", double, float) {
    for (const Index d : {2, 64}) {
        const SequenceOf<TestType> s(long_rows(d));
        INFO("d = " << d);
        Rows<TestType> out;
        for (const Visible visible : both) {
            attention::exact(s.inputs(), visible, out);
            CHECK(out.allFinite());
            for (const auto keys : {attention::LshKeys::separate, attention::LshKeys::queries}) {
                attention::lsh(attention::draw_hashing(d, 8, 3, Stream(1), keys), s.inputs(), visible, out);
                CHECK(out.allFinite());
            }
        }
        attention::linformer(attention::random_compression(16, 150, Stream(1)), s.inputs(), out);
        CHECK(out.allFinite());
        for (const Index landmarks : {1, 8, 150}) {
            attention::nystrom(landmarks, s.inputs(), out);
            CHECK(out.allFinite());
        }
        for (const features::MechanismInfo& info : features::catalogue()) {
            INFO(info.name);
            const attention::PrefixFit fit{&info, {}, 16, &sampling::find("iid"), Stream(1), 32};
            attention::causal_prefix_fitted(fit, s.inputs(), out);
            CHECK(out.allFinite());
        }
    }
}

TEST_CASE("the error against exact attention falls as M^(-1/2)") {
    const Sequence s = sequence(32, 32, 4, 3, 0.3, 10);
    const Inputs<double> in{s.queries, s.keys, s.values};
    constexpr std::array<Index, 5> counts{256, 512, 1024, 2048, 4096};
    const auto statistics = attention::softmax_statistics(s.queries, s.keys);
    for (const Visible visible : both)
        for (const auto& [name, scheme] : {std::pair{"trigonometric", "iid"},
                                           {"positive", "iid"},
                                           {"optimal-positive", "iid"},
                                           {"trigonometric", "orthogonal"},
                                           {"positive", "orthogonal"}}) {
            const auto mechanism = features::fit(features::find(name), statistics);
            Points exact, out;
            attention::exact(in, visible, exact);
            Eigen::Array<double, 5, 1> log_counts, log_errors, variances;
            for (std::size_t at = 0; at < counts.size(); ++at) {
                statistics::RunningMoments squares;
                for (std::uint64_t draw = 0; draw < 40; ++draw) {
                    const auto map = attention::softmax_map(*mechanism, 4, counts[at], sampling::find(scheme),
                                                            Stream(at).child(draw));
                    attention::linear(map, in, visible, out);
                    squares.add((out - exact).squaredNorm());
                }
                const auto row = static_cast<Index>(at);
                log_counts[row] = std::log(static_cast<double>(counts[at]));
                // Half the logarithm of a mean of squares, with its variance by the delta method.
                log_errors[row] = 0.5 * std::log(squares.mean());
                variances[row] = std::pow(0.5 * squares.standard_error() / squares.mean(), 2);
            }
            // By least squares. What falls faster, as 1 / M, is a hundredth of the errors and bends the line by less.
            const Eigen::Array<double, 5, 1> weights =
                (log_counts - log_counts.mean()) / (log_counts - log_counts.mean()).square().sum();
            const double slope = (weights * log_errors).sum();
            const double standard_error = std::sqrt((weights.square() * variances).sum());
            INFO(name << ", " << scheme << ": exponent " << slope << ", standard error " << standard_error);
            CHECK(std::abs(slope + 0.5) < 4 * standard_error);
            CHECK(standard_error < 0.5 / 8);  // M^(-1), or a floor, would be seen
        }
}

TEST_CASE("attention refuses what it cannot answer, naming argument and row") {
    Sequence s = sequence(5, 5, 3, 2, 1.0, 11);
    const SoftmaxMap map = map_of("positive", s, 4);
    const auto message = [&](const Sequence& in, Visible visible, std::vector<unsigned char> kept = {}) {
        Points out;
        return tests::refusal<std::invalid_argument>([&] {
            attention::linear<double>(map, {in.queries, in.keys, in.values, kept}, visible, out);
        });
    };
    Sequence bad = s;
    bad.keys(3, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(message(bad, Visible::all) == "attention: keys have nan at row 3, column 1; all entries must be finite");
    bad = s;
    bad.values(4, 0) = std::numeric_limits<double>::infinity();
    CHECK(message(bad, Visible::all) == "attention: values have inf at row 4, column 0; all entries must be finite");
    bad = s;
    bad.keys = Points::Zero(5, 4);
    CHECK(message(bad, Visible::all) ==
          "attention: keys are 5 x 4 and queries 5 x 3; both need the same number of columns");
    bad = s;
    bad.values = Points::Zero(4, 2);
    CHECK(message(bad, Visible::all) == "attention: values are 4 x 2 and keys 5 x 3; there must be one value a key");
    CHECK(message(sequence(4, 5, 3, 2, 1.0, 1), Visible::causal) ==
          "attention: causal attention needs as many queries as keys, given 4 and 5");
    CHECK(message(s, Visible::all, {1, 1}) == "attention: the padding mask has 2 entries for 5 keys");
    CHECK(message(sequence(4, 5, 2, 2, 1.0, 1), Visible::all) ==
          "features: the rows have 2 coordinates, the mechanism was drawn for 3");
    CHECK_THROWS_WITH(map_of("positive", s, 0), "draw: the count is 0; at least 1 is needed");
}
