// Gradients of causal attention slice by slice.
#include <omp.h>

#include "catch.hpp"
#include "maps.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/causal_block.hpp"
#include "rfbench/attention/linear.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

template <class Scalar>
Inputs<Scalar> cut(const Inputs<Scalar>& in, Index first, Index n) {
    Inputs<Scalar> own{in.queries.middleRows(first, n), in.keys.middleRows(first, n), in.values.middleRows(first, n)};
    if (!in.kept.empty()) own.kept = in.kept.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
    return own;
}

/// Outputs and gradients of a sequence from slices of so many tokens.
template <class Scalar>
struct Slices {
    Rows<Scalar> out;
    Gradients<Scalar> gradients;
    Index nonpositive = 0;

    Slices(const features::FeatureMap& map, const Inputs<Scalar>& in, const Rows<Scalar>& sent, Index size) {
        const Index length = in.queries.rows();
        FeatureSums<Scalar> state(map.columns(), in.values.cols()), later = state;
        std::vector<FeatureSums<Scalar>> before;
        out.resize(length, in.values.cols());
        gradients = {Rows<Scalar>(length, in.queries.cols()), Rows<Scalar>(length, in.queries.cols()),
                     Rows<Scalar>(length, in.values.cols())};
        for (Index first = 0; first < length; first += size) {
            const Index n = std::min(size, length - first);
            Rows<Scalar> rows;
            before.push_back(state);
            nonpositive += causal<Scalar>(map, cut(in, first, n), state, rows).nonpositive;
            out.middleRows(first, n) = rows;
        }
        for (Index p = static_cast<Index>(before.size()); p-- > 0;) {
            const Index first = p * size, n = std::min(size, length - first);
            Gradients<Scalar> own;
            backward_slice<Scalar>(map, cut(in, first, n), before[static_cast<std::size_t>(p)], later,
                                   sent.middleRows(first, n), own);
            gradients.queries.middleRows(first, n) = own.queries;
            gradients.keys.middleRows(first, n) = own.keys;
            gradients.values.middleRows(first, n) = own.values;
            gradients.left_out += own.left_out;
        }
    }
};

template <class Scalar>
bool alike(const Rows<Scalar>& a, const Rows<Scalar>& b) {
    return (a.array() == b.array()).all();
}

}  // namespace

TEMPLATE_TEST_CASE("slices of whole blocks give the bits of the whole sequence, whatever keys weigh", "", double,
                   float) {
    const Index block = CausalBlock<TestType>::length, length = 5 * block + 17;
    for (const double scale : {0.5, 4.0}) {
        const SequenceOf<TestType> s(sequence(length, length, 3, 2, scale, 1));
        const Rows<TestType> sent = normal_points(length, 2, Stream(2)).template cast<TestType>();
        const std::vector<unsigned char> kept = padding(length);
        auto maps = softmax_maps(s.wide(), 8, has_gradient);
        for (NamedMap& map : generalized_maps(3, 8)) maps.push_back(std::move(map));
        for (const auto& [name, map] : maps)
            for (const Index size : {block, 2 * block, length}) {
                INFO(name << ", slices of " << size);
                Rows<TestType> out;
                Gradients<TestType> whole;
                const Outcome outcome = linear<TestType>(*map, s.inputs(kept), Visible::causal, out);
                backward<TestType>(*map, s.inputs(kept), Visible::causal, sent, whole);
                const Slices<TestType> slices(*map, s.inputs(kept), sent, size);
                CHECK(alike(slices.out, out));
                CHECK(alike(slices.gradients.queries, whole.queries));
                CHECK(alike(slices.gradients.keys, whole.keys));
                CHECK(alike(slices.gradients.values, whole.values));
                CHECK(slices.gradients.left_out == whole.left_out);
                CHECK(slices.nonpositive == outcome.nonpositive);
            }
    }
}

TEST_CASE("slices of any size give the gradients of the whole sequence, on any number of threads") {
    const Index length = 190;
    const SequenceOf<double> s(sequence(length, length, 3, 2, 0.7, 3));
    const Points sent = normal_points(length, 2, Stream(4));
    // Blocks begin elsewhere: sums of positive terms are rounded in another order, 190 terms by 2^-53 each at most.
    const double rounding = 190 * std::ldexp(1.0, -53);
    for (const auto& [name, map] :
         softmax_maps(s.wide(), 8, [](const auto& info) { return info.name == "positive"; })) {
        Gradients<double> whole;
        backward<double>(*map, s.inputs(), Visible::causal, sent, whole);
        for (const Index size : {1, 7, 61, 189}) {
            const Slices<double> slices(*map, s.inputs(), sent, size);
            INFO(name << ", slices of " << size);
            CHECK((slices.gradients.queries - whole.queries).norm() < rounding * whole.queries.norm());
            CHECK((slices.gradients.keys - whole.keys).norm() < rounding * whole.keys.norm());
            CHECK((slices.gradients.values - whole.values).norm() < rounding * whole.values.norm());
            for (const int threads : {1, 3}) {
                omp_set_num_threads(threads);
                CHECK(alike(Slices<double>(*map, s.inputs(), sent, size).gradients.keys, slices.gradients.keys));
            }
            omp_set_num_threads(omp_get_num_procs());
        }
    }
}

TEST_CASE("what was added to sums can be taken back, but for rounding; floats in double come back to the bit") {
    const Sequence s = sequence(120, 120, 3, 2, 0.7, 5);
    const SequenceOf<float> f(s);
    const SoftmaxMap map = map_of("positive", s, 8);
    FeatureSums<float> first(map.columns(), 2), second(first);
    Rows<float> out;
    causal<float>(map, cut(f.inputs(), 0, 60), first, out);
    causal<float>(map, cut(f.inputs(), 60, 60), second, out);
    FeatureSums<float> both(first);
    both.add(second);
    FeatureSums<float> left(both);
    left.subtract(second);
    // Two roundings of the sum.
    const double eps = 2 * epsilon_of<float> * both.numerators().cwiseAbs().maxCoeff();
    const auto at = [&](const FeatureSums<float>& sums) -> Points {
        return sums.numerators().cast<double>() * std::ldexp(1.0, sums.exponent() - both.exponent());
    };
    CHECK(left.exponent() == both.exponent());
    CHECK((at(left) - at(first)).cwiseAbs().maxCoeff() <= eps);
    CHECK((at(left) - at(both)).cwiseAbs().maxCoeff() > 1e3 * eps);

    const FeatureSums<float> again{FeatureSums<double>(first)};
    CHECK((again.numerators().array() == first.numerators().array()).all());
    CHECK((again.denominators().array() == first.denominators().array()).all());
    CHECK(again.exponent() == first.exponent());
    const FeatureSums<double> huge(Points::Constant(2, 1, 1e300), Vector::Ones(2), 0);
    CHECK(refusal([&] { FeatureSums<float> none(huge); }) ==
          "attention: the state's numerators have inf at row 0, column 0; all entries must be finite");
}

TEST_CASE("a slice whose sums are of other shapes is refused") {
    const Sequence s = sequence(5, 5, 3, 2, 1.0, 1);
    const SoftmaxMap map = map_of("positive", s, 4);
    Gradients<double> out;
    FeatureSums<double> right(map.columns(), 2), features(3, 2), values(map.columns(), 1);
    const auto answer = [&](const FeatureSums<double>& past, FeatureSums<double> later) {
        return refusal([&] { backward_slice<double>(map, {s.queries, s.keys, s.values}, past, later, s.values, out); });
    };
    CHECK(answer(right, right) == "accepted");
    CHECK(answer(features, right) ==
          "attention: the state has 3 features and 2 value columns, the map has 4 and the values have 2");
    CHECK(answer(right, values) ==
          "attention: the state has 4 features and 1 value columns, the map has 4 and the values have 2");
}
