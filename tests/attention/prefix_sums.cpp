// Causal attention by explicit prefix sums, beside blocks.
#include "rfbench/attention/prefix_sums.hpp"

#include <omp.h>

#include "catch.hpp"
#include "maps.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

/// Outputs and gradients of tokens after some and before others.
template <class Scalar>
struct Both {
    Rows<Scalar> out;
    Gradients<Scalar> gradients;
    Outcome outcome;
    FeatureSums<Scalar> state, later;
};

template <class Scalar>
Both<Scalar> by_blocks(const features::FeatureMap& map, const Inputs<Scalar>& in, const Rows<Scalar>& sent,
                       const FeatureSums<Scalar>& past, const FeatureSums<Scalar>& later, Norm norm) {
    Both<Scalar> all{{}, {}, {}, past, later};
    all.outcome = causal<Scalar>(map, in, all.state, all.out, norm);
    backward_slice<Scalar>(map, in, past, all.later, sent, all.gradients, norm);
    return all;
}

template <class Scalar>
Both<Scalar> by_prefix_sums(const features::FeatureMap& map, const Inputs<Scalar>& in, const Rows<Scalar>& sent,
                            const FeatureSums<Scalar>& past, const FeatureSums<Scalar>& later, Norm norm) {
    Both<Scalar> all{{}, {}, {}, past, later};
    PrefixSums<Scalar> made;
    all.outcome = causal_by_prefix_sums<Scalar>(map, in, all.state, made, all.out, norm);
    backward_by_prefix_sums<Scalar>(map, in, made, all.later, sent, all.gradients, norm);
    return all;
}

template <class Scalar>
bool near(const Rows<Scalar>& a, const Rows<Scalar>& b, double rounding) {
    return (a - b).norm() <= rounding * b.norm();
}

template <class Scalar>
bool near(const FeatureSums<Scalar>& a, const FeatureSums<Scalar>& b, double rounding) {
    return a.exponent() == b.exponent() && near<Scalar>(a.numerators(), b.numerators(), rounding) &&
           (a.denominators() - b.denominators()).norm() <= rounding * b.denominators().norm();
}

}  // namespace

TEMPLATE_TEST_CASE("equal entries of a group norm have no deviation, whatever rounding leaves of them", "", double,
                   float) {
    for (const Index size : {1, 3, 6, 7, 100}) {
        Eigen::Array<TestType, 1, Eigen::Dynamic> row =
            Eigen::Array<TestType, 1, Eigen::Dynamic>::Constant(size, TestType(0.1));
        CHECK(centre(row) == 0);
    }
    Eigen::Array<TestType, 1, Eigen::Dynamic> row(3);
    row << 1, 2, 6;
    CHECK(centre(row) == 3);
    CHECK(row[0] == -2);
}

TEMPLATE_TEST_CASE("prefix sums give outputs, gradients and states of blocks, to rounding", "", double, float) {
    const Index length = 190;
    for (const double scale : {0.7, 3.0}) {
        const SequenceOf<TestType> s(sequence(length, length, 3, 4, scale, 1)),
            before(sequence(90, 90, 3, 4, scale, 2));
        const Rows<TestType> sent = normal_points(length, 4, Stream(3)).template cast<TestType>();
        const std::vector<unsigned char> kept = padding(length);
        // Sums of 280 terms, each formed in another order, and what is divided by them: a rounding a term and a few.
        const double rounding = 4 * 280 * epsilon_of<TestType>;
        auto maps = softmax_maps(s.wide(), 8, [](const auto& info) { return info.name == "positive"; });
        for (NamedMap& map : generalized_maps(3, 8))
            if (map.name.find("square") != std::string::npos) maps.push_back(std::move(map));
        REQUIRE(maps.size() > 2);
        for (const auto& [name, map] : maps)
            for (const Norm norm : {Norm::quotient, Norm::group}) {
                INFO(name << ", scale " << scale << (norm == Norm::group ? ", group" : ""));
                FeatureSums<TestType> past(map->columns(), 4), none = past;
                Rows<TestType> out;
                causal<TestType>(*map, before.inputs(), past, out, norm);
                // Queries after the tokens send back through heavier keys: their own state, of the sign of gradients.
                FeatureSums<TestType> later = none;
                Gradients<TestType> ignored;
                FeatureSums<TestType> seen = past;
                causal<TestType>(*map, s.inputs(kept), seen, out, norm);
                backward_slice<TestType>(*map, before.inputs(), seen, later, Rows<TestType>(sent.topRows(90)), ignored,
                                         norm);
                const auto blocks = by_blocks<TestType>(*map, s.inputs(kept), sent, past, later, norm);
                const auto sums = by_prefix_sums<TestType>(*map, s.inputs(kept), sent, past, later, norm);
                CHECK(near<TestType>(sums.out, blocks.out, rounding));
                CHECK(near<TestType>(sums.gradients.queries, blocks.gradients.queries, rounding));
                CHECK(near<TestType>(sums.gradients.keys, blocks.gradients.keys, rounding));
                CHECK(near<TestType>(sums.gradients.values, blocks.gradients.values, rounding));
                CHECK(near<TestType>(sums.state, blocks.state, rounding));
                CHECK(near<TestType>(sums.later, blocks.later, rounding));
                CHECK(sums.outcome.nonpositive == blocks.outcome.nonpositive);
                CHECK(sums.gradients.left_out == blocks.gradients.left_out);
            }
    }
}

TEMPLATE_TEST_CASE("queries that see no key send nothing back, and leave a state that can be stored", "", double,
                   float) {
    const Index length = 70;
    const SequenceOf<TestType> s(sequence(length, length, 3, 4, 1.0, 1));
    const Rows<TestType> sent = normal_points(length, 4, Stream(3)).template cast<TestType>();
    const auto map = map_of("positive", s.wide(), 8);
    const FeatureSums<TestType> none(map.columns(), 4);
    for (const Index padded : {Index{1}, Index{66}, length}) {
        INFO(padded << " tokens of padding at the beginning");
        std::vector<unsigned char> kept(static_cast<std::size_t>(length), 1);
        std::fill(kept.begin(), kept.begin() + padded, 0);
        const auto blocks = by_blocks<TestType>(map, s.inputs(kept), sent, none, none, Norm::quotient);
        const auto sums = by_prefix_sums<TestType>(map, s.inputs(kept), sent, none, none, Norm::quotient);
        const double rounding = 4 * 70 * epsilon_of<TestType>;
        CHECK(near<TestType>(sums.gradients.queries, blocks.gradients.queries, rounding));
        CHECK(near<TestType>(sums.gradients.keys, blocks.gradients.keys, rounding));
        CHECK(near<TestType>(sums.gradients.values, blocks.gradients.values, rounding));
        CHECK((blocks.gradients.queries.topRows(padded).array() == 0).all());
        for (const FeatureSums<TestType>& later : {blocks.later, sums.later})
            CHECK(FeatureSums<double>(later).exponent() == later.exponent());
    }
}

TEST_CASE("prefix sums do not depend, by a bit, on the number of threads; parameters of features have their gradient") {
    const Index length = 400;
    const SequenceOf<float> s(sequence(length, length, 3, 2, 1.5, 4));
    const Rows<float> sent = normal_points(length, 2, Stream(5)).cast<float>();
    const auto map = map_of("positive", s.wide(), 20);
    const FeatureSums<float> none(map.columns(), 2);
    const auto once = [&](int threads) {
        omp_set_num_threads(threads);
        auto all = by_prefix_sums<float>(map, s.inputs(), sent, none, none, Norm::quotient);
        omp_set_num_threads(omp_get_num_procs());
        return all;
    };
    const auto one = once(1), three = once(3);
    CHECK((one.out.array() == three.out.array()).all());
    CHECK((one.gradients.queries.array() == three.gradients.queries.array()).all());
    CHECK((one.gradients.keys.array() == three.gradients.keys.array()).all());
    CHECK((one.gradients.values.array() == three.gradients.values.array()).all());
}

TEST_CASE("prefix sums take L R (e + 1) numbers, and as many again backwards, where blocks take none of them") {
    const Index length = 3000, columns = 16;
    const SequenceOf<float> s(sequence(length, length, 8, 8, 0.5, 6));
    const Rows<float> sent = normal_points(length, 8, Stream(7)).cast<float>();
    const auto map = map_of("positive", s.wide(), columns);
    const double sums = prefix_sum_bytes<float>(length, map.columns(), 8);
    CHECK(sums == 4.0 * 3000 * static_cast<double>(map.columns()) * 9);
    const FeatureSums<float> none(map.columns(), 8);
    const auto peak = [&](auto run) {
        const memory::HighWaterMark mark;
        run(map, s.inputs(), sent, none, none, Norm::quotient);
        return static_cast<double>(mark.bytes());
    };
    const double blocks = peak(by_blocks<float>), stored = peak(by_prefix_sums<float>);
    // Features and values of all tokens are stored beside the sums, a sixth of these.
    CHECK((stored - blocks) / sums > 1.9);
    CHECK((stored - blocks) / sums < 2.5);
}

TEST_CASE("prefix sums refuse states of other shapes") {
    const Sequence s = sequence(5, 5, 3, 2, 1.0, 1);
    const SoftmaxMap map = map_of("positive", s, 4);
    FeatureSums<double> features(3, 2);
    PrefixSums<double> made;
    Points out;
    CHECK(refusal([&] {
              causal_by_prefix_sums<double>(map, {s.queries, s.keys, s.values}, features, made, out);
          }) == "attention: the state has 3 features and 2 value columns, the map has 4 and the values have 2");
}
