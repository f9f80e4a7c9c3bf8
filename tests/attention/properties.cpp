// What must hold for attention through every mechanism.
#include <omp.h>

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "sequences.hpp"

using namespace rfbench;
using attention::Inputs;
using attention::FeatureSums;
using attention::SoftmaxMap;
using attention::Visible;

namespace {

SoftmaxMap map_of(const char* name, const Sequence& s, Index count, std::uint64_t seed = 9) {
    const auto mechanism = features::fit(features::find(name), attention::softmax_statistics(s.queries, s.keys));
    return attention::softmax_map(*mechanism, s.queries.cols(), count, sampling::find("iid"), Stream(seed));
}

template <class Scalar>
Rows<Scalar> attend(const SoftmaxMap& map, const Sequence& s, Visible visible) {
    Rows<Scalar> out;
    const Rows<Scalar> q = s.queries.cast<Scalar>(), k = s.keys.cast<Scalar>(), v = s.values.cast<Scalar>();
    attention::linear<Scalar>(map, {q, k, v}, visible, out);
    return out;
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

TEST_CASE("decoding in pieces of any length equals attention over the whole") {
    const Sequence s = sequence(700, 700, 6, 4, 1.0, 3);
    const SoftmaxMap map = map_of("positive", s, 24);
    const Points whole = attend<double>(map, s, Visible::causal);
    for (const Index piece : {1, 7, 60, 200, 699}) {
        INFO("pieces of " << piece);
        FeatureSums<double> state(map.columns(), 4);
        Points out, pieces(700, 4);
        for (Index at = 0; at < 700; at += piece) {
            const Index n = std::min(piece, 700 - at);
            attention::causal<double>(
                map, {s.queries.middleRows(at, n), s.keys.middleRows(at, n), s.values.middleRows(at, n)}, state, out);
            pieces.middleRows(at, n) = out;
        }
        // Positive weights: sums of at most 700 terms, of 24 features each, in any order.
        const double tolerance =
            4 * (700 + 24) * std::numeric_limits<double>::epsilon() * s.values.cwiseAbs().maxCoeff();
        CHECK((pieces - whole).cwiseAbs().maxCoeff() <= tolerance);
    }
}

TEST_CASE("padded keys are as if they were not there") {
    const Sequence s = sequence(200, 200, 5, 3, 1.0, 4);
    std::vector<unsigned char> kept(200, 1);
    std::vector<Index> left;
    for (Index j = 0; j < 200; ++j) {
        if (j % 3 == 1 || j < 4) kept[static_cast<std::size_t>(j)] = 0;
        else left.push_back(j);
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

TEST_CASE("no mechanism overflows at |q| = |k| = 50") {
    for (const Index d : {2, 64}) {
        Sequence s = sequence(150, 150, d, 3, 1.0, 8);
        s.queries.rowwise().normalize();
        s.keys.rowwise().normalize();
        s.queries *= 50;
        s.keys *= 50;
        for (const auto& info : features::catalogue()) {
            const SoftmaxMap map = map_of(info.name.c_str(), s, 16);
            for (const Visible visible : both) {
                INFO(info.name << ", d = " << d);
                CHECK(attend<double>(map, s, visible).allFinite());
                CHECK(attend<float>(map, s, visible).allFinite());
            }
        }
    }
}

TEST_CASE("the error against exact attention falls as M^(-1/2)") {
    const Sequence s = sequence(64, 64, 4, 3, 0.3, 10);
    Points exact;
    attention::exact<double>({s.queries, s.keys, s.values}, Visible::causal, exact);
    // Mean squared errors over 200 draws at two counts; the logarithm of their ratio has a standard error by the delta
    // method.
    const auto error = [&](Index count) {
        statistics::RunningMoments moments;
        for (std::uint64_t draw = 0; draw < 200; ++draw)
            moments.add((attend<double>(map_of("positive", s, count, draw), s, Visible::causal) - exact).squaredNorm());
        return moments;
    };
    const auto few = error(512), many = error(8192);
    const double log_ratio = std::log(few.mean() / many.mean());
    const double standard_error = std::hypot(few.standard_error() / few.mean(), many.standard_error() / many.mean());
    INFO("log ratio " << log_ratio << ", expected " << std::log(16.0) << ", standard error " << standard_error);
    CHECK(std::abs(log_ratio - std::log(16.0)) < 4 * standard_error);
}

TEST_CASE("attention refuses what it cannot answer, naming argument and row") {
    Sequence s = sequence(5, 5, 3, 2, 1.0, 11);
    const SoftmaxMap map = map_of("positive", s, 4);
    const auto message = [&](const Sequence& in, Visible visible, std::vector<unsigned char> kept = {}) {
        Points out;
        try {
            attention::linear<double>(map, {in.queries, in.keys, in.values, kept}, visible, out);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
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
