// Decoding token by token against attention of the whole sequence.
#include "rfbench/attention/decoding.hpp"

#include <omp.h>

#include "catch.hpp"
#include "maps.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/window.hpp"
#include "rfbench/errors.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

/// Outputs of tokens `prompt`, prompt + 1, ... of a sequence, those before being remembered in two pieces.
template <class Scalar>
Rows<Scalar> decoded(Decoder<Scalar>& decoder, const SequenceOf<Scalar>& s, Index prompt) {
    const Index length = s.queries.rows(), half = prompt / 2;
    decoder.remember(s.keys.topRows(half), s.values.topRows(half));
    decoder.remember(s.keys.middleRows(half, prompt - half), s.values.middleRows(half, prompt - half));
    Rows<Scalar> all(length - prompt, s.values.cols()), one;
    for (Index i = prompt; i < length; ++i) {
        decoder.step(s.queries.middleRows(i, 1), s.keys.middleRows(i, 1), s.values.middleRows(i, 1), one);
        all.row(i - prompt) = one.row(0);
    }
    return all;
}

/// Both are means of values with positive weights that are sums of n products, whose relative errors are at most
/// (n + terms) ulps and what scores are off: twice that for a quotient, twice again for two ways.
template <class Scalar>
double tolerance(const SequenceOf<Scalar>& s, Index terms, double score_error) {
    const double n = static_cast<double>(s.keys.rows() + terms);
    return 4 * (n * epsilon_of<Scalar> + score_error) * static_cast<double>(s.values.cwiseAbs().maxCoeff());
}

/// Sums of d products, a factor and a difference; the largest score is at most |q| |k| / sqrt d.
template <class Scalar>
double score_error(const SequenceOf<Scalar>& s) {
    const auto d = static_cast<double>(s.queries.cols());
    const double largest = static_cast<double>(s.queries.rowwise().norm().maxCoeff()) *
                           static_cast<double>(s.keys.rowwise().norm().maxCoeff()) / std::sqrt(d);
    return (d + 3) * epsilon_of<Scalar> * largest;
}

}  // namespace

TEMPLATE_TEST_CASE("decoding with a cache is causal softmax attention of the whole, to rounding", "", float, double) {
    // Within a block, up to its end and beyond it, into several blocks.
    for (const auto& [length, prompt] : {std::pair<Index, Index>{40, 0}, {520, 505}, {1600, 1500}}) {
        INFO(length << " tokens, a prompt of " << prompt);
        const SequenceOf<TestType> s(sequence(length, length, 5, 3, 2.0, 21));
        Rows<TestType> whole;
        exact<TestType>(s.inputs(), Visible::causal, whole);
        const auto decoder = exact_decoder<TestType>(5, 3);
        const Rows<TestType> out = decoded(*decoder, s, prompt);
        CHECK((out - whole.bottomRows(length - prompt)).cwiseAbs().maxCoeff() < tolerance(s, 16, score_error(s)));
        CHECK(decoder->bytes() == static_cast<std::size_t>(length * 8) * sizeof(TestType));
    }
}

TEMPLATE_TEST_CASE("decoding with feature sums is causal linear attention of the whole, to rounding", "", float,
                   double) {
    const Sequence wide = sequence(200, 200, 4, 3, 1.0, 22);
    const SequenceOf<TestType> s(wide);
    const std::shared_ptr<const features::FeatureMap> map = std::make_shared<SoftmaxMap>(map_of("positive", wide, 16));
    Rows<TestType> whole;
    linear<TestType>(*map, s.inputs(), Visible::causal, whole);
    std::size_t bytes = 0;
    for (const Index prompt : {Index(0), Index(1), Index(150)}) {
        const auto decoder = linear_decoder<TestType>(map, 3);
        const Rows<TestType> out = decoded(*decoder, s, prompt);
        // Features of a row are the same bits in both.
        CHECK((out - whole.bottomRows(200 - prompt)).cwiseAbs().maxCoeff() < tolerance(s, map->columns() + 16, 0));
        if (bytes == 0) bytes = decoder->bytes();
        CHECK(decoder->bytes() == bytes);
    }
    CHECK(bytes >= static_cast<std::size_t>(map->columns() * 4) * sizeof(TestType));
}

TEST_CASE("decoding a heavy key after light ones and light keys after it loses neither") {
    // Weights e^-18 of one another, as exponential features of long keys have them.
    Sequence wide = sequence(60, 60, 4, 3, 1.0, 23);
    wide.keys.row(20) *= 6;
    const SequenceOf<float> s(wide);
    const std::shared_ptr<const features::FeatureMap> map = std::make_shared<SoftmaxMap>(map_of("positive", wide, 16));
    Rows<float> whole;
    linear<float>(*map, s.inputs(), Visible::causal, whole);
    const Rows<float> out = decoded(*linear_decoder<float>(map, 3), s, 0);
    CHECK((out - whole).cwiseAbs().maxCoeff() < tolerance(s, map->columns() + 16, 0));
}

TEST_CASE("decoding has the same bits for any number of threads") {
    const SequenceOf<float> s(sequence(6003, 6003, 8, 8, 1.0, 24));
    const int before = omp_get_max_threads();
    std::vector<Rows<float>> outs;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        outs.push_back(decoded(*exact_decoder<float>(8, 8), s, 6000));
    }
    omp_set_num_threads(before);
    CHECK(same_bits(outs[0], outs[1]));
    CHECK(same_bits(outs[0], outs[2]));
    Rows<float> whole;
    exact<float>(s.inputs(), Visible::causal, whole);
    CHECK((outs[0] - whole.bottomRows(3)).cwiseAbs().maxCoeff() < tolerance(s, 16, score_error(s)));
}

TEST_CASE("decoding refuses what does not fit") {
    const SequenceOf<double> s(sequence(4, 4, 4, 3, 1.0, 25));
    CHECK(refusal([] { exact_decoder<double>(0, 3); }) ==
          "decoding: keys of 0 and values of 3 columns; both need at least 1");
    CHECK(refusal([] { linear_decoder<double>(nullptr, 3); }) == "decoding: there is no feature map");
    const auto decoder = exact_decoder<double>(5, 3);
    CHECK(refusal([&] { decoder->remember(s.keys, s.values); }) ==
          "decoding: keys are 4 x 4 and values 4 x 3; they must have 5 and 3 columns and as many rows");
    Points out;
    CHECK(refusal([&] { exact_decoder<double>(4, 3)->step(s.queries, s.keys, s.values, out); }) ==
          "decoding: a step takes one token, not 4 x 4");
    // Values of another width than those remembered would be written where there is no memory for them.
    const std::shared_ptr<const features::FeatureMap> map =
        std::make_shared<SoftmaxMap>(map_of("positive", sequence(4, 4, 4, 3, 1.0, 25), 16));
    for (const Index columns : {2, 4}) {
        const auto other = linear_decoder<double>(map, columns);
        const std::string said = "decoding: values have 3 columns; those remembered have " + std::to_string(columns);
        CHECK(refusal([&] { other->remember(s.keys, s.values); }) == said);
        CHECK(refusal([&] { other->step(s.queries.topRows(1), s.keys.topRows(1), s.values.topRows(1), out); }) == said);
    }
    // Scores beyond the numbers are refused, and nothing is remembered.
    const auto far = exact_decoder<double>(4, 3);
    const Points far_query = 1e200 * s.queries.topRows(1), far_key = 1e200 * s.keys.topRows(1);
    const std::size_t before = far->bytes();
    CHECK_THROWS_AS(far->step(far_query, far_key, s.values.topRows(1), out), NotFinite);
    CHECK(far->bytes() == before);
    Points keys = s.keys;
    keys(2, 1) = std::nan("");
    CHECK(refusal([&] {
              exact_decoder<double>(4, 3)->remember(keys, s.values);
          }).find("decoding: keys have nan at row 2") == 0);
}

TEST_CASE("tokens that are refused are not remembered") {
    const Sequence s = sequence(131, 131, 4, 3, 1.0, 26);
    const std::shared_ptr<const features::FeatureMap> map = std::make_shared<SoftmaxMap>(map_of("positive", s, 16));
    const auto step = [&](Decoder<double>& decoder, double factor) {
        Points out;
        // Its own key, so that a token that were remembered would have the largest weight.
        decoder.step(factor * s.queries.topRows(1), factor * s.queries.topRows(1), factor * s.values.topRows(1), out);
        return out;
    };
    const auto check = [&](std::unique_ptr<Decoder<double>> decoder, std::unique_ptr<Decoder<double>> fresh) {
        CHECK_THROWS_AS(step(*decoder, 1e200), NotFinite);
        CHECK(same_bits(step(*decoder, 1), step(*fresh, 1)));
    };
    check(linear_decoder<double>(map, 3), linear_decoder<double>(map, 3));
    check(window_decoder<double>({.width = 2, .sinks = 1}, 4, 3), window_decoder<double>({.width = 2}, 4, 3));

    // An entry beyond the largest, in the second tile of a prompt.
    Points keys = s.keys;
    keys(125, 0) = 1e200;
    const auto decoder = linear_decoder<double>(map, 3), fresh = linear_decoder<double>(map, 3);
    CHECK_THROWS_AS(decoder->remember(keys, s.values), NotFinite);
    CHECK(same_bits(step(*decoder, 1), step(*fresh, 1)));

    // Keys that have left the window count no longer.
    const auto window = window_decoder<double>({.width = 1}, 4, 3);
    window->remember(1e300 * s.keys.topRows(1), s.values.topRows(1));
    Points out;
    window->step(1e100 * s.queries.topRows(1), s.keys.topRows(1), s.values.topRows(1), out);
    CHECK(same_bits(out, Points(s.values.topRows(1))));
}
