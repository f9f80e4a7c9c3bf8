#include "rfbench/attention/masked_backward.hpp"

#include <omp.h>

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "mask_examples.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/masked_exact.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"
#include "support/gradients.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

struct Case {
    MaskShape shape;
    bool causal, class_token;
    std::string name() const { return text(shape) + (causal ? ", causal" : "") + (class_token ? ", class token" : ""); }
    ToeplitzMask mask() const {
        const ToeplitzMask whole(shape, arbitrary, class_token ? std::optional(0.7) : std::nullopt);
        return causal ? causal_mask(whole) : whole;
    }
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{{{1}, false, false},      {{7}, false, false},       {{7}, true, false},
                                       {{3, 4}, false, false},   {{3, 4}, true, false},     {{3, 4}, false, true},
                                       {{2, 3, 2}, false, true}, {{5, 1}, false, true},     {{9}, false, true},
                                       {{13, 11}, false, true},  {{2, 9, 7}, false, false}, {{130}, true, false}};
    return all;
}

/// The gradients by their definition, in double, of features that are the rows themselves; and how far rounding may
/// move them: first sums of products in any order, then transforms.
struct Definition {
    Points queries, keys, values;
    Vector numbers;
    double of_queries, of_keys, of_values, of_numbers;  ///< largest sums of absolute terms
    double rounding;                                    ///< of a sum, over that of its absolute terms
};

Definition definition(const ToeplitzMask& mask, const Sequence& s, const std::vector<unsigned char>& kept,
                      const Points& g) {
    const Index length = mask.length();
    Points entries(length, length);
    mask.tile(0, length, 0, length, entries);
    Points weights = s.queries * s.keys.transpose();
    for (Index j = 0; j < length; ++j)
        if (!kept.empty() && kept[static_cast<std::size_t>(j)] == 0) weights.col(j).setZero();
    const Points seen = weights.cwiseProduct(entries);
    const Vector sums = seen.rowwise().sum();
    Vector inverse = sums.cwiseInverse();
    for (Index i = 0; i < length; ++i)
        if (sums[i] == 0) inverse[i] = 0;
    const Points out = inverse.asDiagonal() * (seen * s.values), scaled = inverse.asDiagonal() * g;
    const Vector c = -scaled.cwiseProduct(out).rowwise().sum();
    const Points slopes = (scaled * s.values.transpose()).colwise() + c;
    const Points sizes = (scaled.cwiseAbs() * s.values.cwiseAbs().transpose()).colwise() +
                         Vector(scaled.cwiseAbs().cwiseProduct(out.cwiseAbs()).rowwise().sum());
    Points by_weights = slopes.cwiseProduct(entries), sizes_of_weights = sizes.cwiseProduct(entries);
    for (Index j = 0; j < length; ++j)
        if (!kept.empty() && kept[static_cast<std::size_t>(j)] == 0) {
            by_weights.col(j).setZero();
            sizes_of_weights.col(j).setZero();
        }
    Definition d;
    d.queries = by_weights * s.keys;
    d.keys = by_weights.transpose() * s.queries;
    d.values = seen.transpose() * scaled;
    d.numbers = Vector::Zero(mask.numbers());
    for (Index i = 0; i < length; ++i)
        for (Index j = 0; j < length; ++j) {
            Index number = mask.numbers() - 1;
            if (!mask.class_token() || (i > 0 && j > 0)) {
                // Found by its offset, not by how offsets are counted.
                const Index a = i - mask.before(), b = j - mask.before();
                const auto& n = mask.lengths();
                const ToeplitzMask::Offset offset{a / (n[1] * n[2]) - b / (n[1] * n[2]),
                                                  a / n[2] % n[1] - b / n[2] % n[1], a % n[2] - b % n[2]};
                for (Index k = 0; k < mask.numbers() - mask.before(); ++k)
                    if (mask.offset(k) == offset) number = k;
            }
            if (!mask.causal() || j <= i) d.numbers[number] += weights(i, j) * slopes(i, j);
        }
    d.of_queries = (sizes_of_weights * s.keys).maxCoeff();
    d.of_keys = (sizes_of_weights.transpose() * s.queries).maxCoeff();
    d.of_values = (seen.transpose() * scaled.cwiseAbs()).maxCoeff();
    d.of_numbers = weights.cwiseProduct(sizes).sum();
    // A product of three sums, of e + 1, R and L terms, and a quotient whose denominator is a sum, twice.
    d.rounding = static_cast<double>(3 * (length + s.queries.cols()) + 2 * s.values.cols() + 20);
    return d;
}

Sequence positive_rows(Index length, Index d, Index e, std::uint64_t seed) {
    Sequence s = sequence(length, length, d, e, 1.0, seed);
    s.queries = s.queries.cwiseAbs();
    s.keys = s.keys.cwiseAbs();
    return s;
}

}  // namespace

TEMPLATE_TEST_CASE("gradients of masked attention are those of its definition on both paths", "", double, float) {
    const GeneralizedMap rows(features::nonlinearity("identity"), 5);
    for (const Case& one : cases()) {
        const ToeplitzMask mask = one.mask();
        const Index length = mask.length();
        const SequenceOf<TestType> s(positive_rows(length, 5, 3, 8));
        const Rows<TestType> g = normal_points(length, 3, Stream(9)).cast<TestType>();
        std::vector<unsigned char> kept(static_cast<std::size_t>(length), 1);
        for (std::size_t j = 2; j < kept.size(); j += 3) kept[j] = 0;
        for (const auto& padding : {std::vector<unsigned char>(), kept})
            for (const MaskPath path : {MaskPath::dense, MaskPath::fft}) {
                INFO(one.name() << (padding.empty() ? "" : ", padded") << (path == MaskPath::fft ? ", fft" : ""));
                const Definition expected = definition(mask, s.wide(), padding, g.template cast<double>());
                MaskedGradients<TestType> found;
                const MaskedOutcome outcome = masked_backward<TestType>(rows, mask, s.inputs(padding), g, found, path);
                CHECK(outcome.path == path);
                // Through transforms errors are those of the largest lines: their number of roundings is
                // product_error() of a line of 2-norm one, against all terms of all tokens.
                const double epsilon = epsilon_of<TestType>;
                double roundings = expected.rounding * epsilon;
                if (path == MaskPath::fft)
                    roundings += static_cast<double>(length) * 2 * product_error(mask, mask_blocks(mask), 1, epsilon) /
                                 std::max(1e-3, mask.at({0, 0, 0}));
                const auto off = [](const auto& a, const auto& b) {
                    return (a.template cast<double>() - b).cwiseAbs().maxCoeff();
                };
                CHECK(off(found.queries, expected.queries) <= roundings * expected.of_queries);
                CHECK(off(found.keys, expected.keys) <= roundings * expected.of_keys);
                CHECK(off(found.values, expected.values) <= roundings * expected.of_values);
                CHECK(off(found.numbers, expected.numbers) <= roundings * expected.of_numbers);
            }
    }
}

TEST_CASE("gradients of masked attention are those of finite differences, of the mask too, on both paths") {
    const auto mechanism = features::fit(features::find("positive"), {});
    const auto map = softmax_map(*mechanism, 3, 6, sampling::find("iid"), Stream(3));
    for (const Case& one : {Case{{6}, true, false}, Case{{3, 2}, false, false}, Case{{2, 3}, false, true}}) {
        const ToeplitzMask mask = one.mask();
        const Index length = mask.length();
        const Sequence s = sequence(length, length, 3, 2, 0.7, 4);
        const Points weights = normal_points(length, 2, Stream(5));
        Vector numbers(mask.numbers());
        for (Index k = 0; k < numbers.size() - mask.before(); ++k) numbers[k] = mask.at(mask.offset(k));
        if (mask.class_token()) numbers[numbers.size() - 1] = *mask.class_token();
        for (const MaskPath path : {MaskPath::dense, MaskPath::fft}) {
            INFO(one.name() << (path == MaskPath::fft ? ", fft" : ""));
            const auto loss = [&](const Points& q, const Points& k, const Points& v, const ToeplitzMask& with) {
                Points out;
                masked<double>(map, with, {q, k, v}, out, path);
                return out.cwiseProduct(weights).sum();
            };
            MaskedGradients<double> found;
            masked_backward<double>(map, mask, {s.queries, s.keys, s.values}, weights, found, path);
            const auto flat = [](const Points& rows) { return Vector(rows.reshaped<Eigen::RowMajor>()); };
            const auto shaped = [&](const Vector& x, Index columns) {
                return Points(x.reshaped<Eigen::RowMajor>(length, columns));
            };
            check_gradient([&](const Vector& x) { return loss(shaped(x, 3), s.keys, s.values, mask); }, flat(s.queries),
                           flat(found.queries));
            check_gradient([&](const Vector& x) { return loss(s.queries, shaped(x, 3), s.values, mask); }, flat(s.keys),
                           flat(found.keys));
            check_gradient([&](const Vector& x) { return loss(s.queries, s.keys, shaped(x, 2), mask); }, flat(s.values),
                           flat(found.values));
            check_gradient(
                [&](const Vector& x) {
                    // Offsets that a causal mask hides stay zero.
                    const Vector given = (numbers.array() == 0).select(0, x);
                    return loss(s.queries, s.keys, s.values, ToeplitzMask(one.shape, one.class_token, given));
                },
                numbers, found.numbers);
        }
    }
}

TEST_CASE("masked softmax attention is that of scores plus log mask; its gradients are those of finite differences") {
    for (const Case& one :
         {Case{{6}, true, false}, Case{{3, 2}, false, false}, Case{{2, 3}, false, true}, Case{{12, 11}, false, true}}) {
        INFO(one.name());
        const ToeplitzMask mask = one.mask();
        const Index length = mask.length();
        const Sequence s = sequence(length, length, 3, 2, 0.7, 4);
        std::vector<unsigned char> kept(static_cast<std::size_t>(length), 1);
        kept[2] = 0;
        Points tile, out;
        mask.tile(0, length, 0, length, tile);
        Points weights = (s.queries * s.keys.transpose() / std::sqrt(3.0)).array().exp() * tile.array();
        weights.col(2).setZero();
        masked_exact<double>(mask, {s.queries, s.keys, s.values, kept}, out);
        const Points expected = weights.rowwise().sum().cwiseInverse().asDiagonal() * (weights * s.values);
        // Positive weights: sums of as many terms as there are tokens.
        CHECK((out - expected).cwiseAbs().maxCoeff() <=
              8 * static_cast<double>(length + 10) * epsilon_of<double> * s.values.cwiseAbs().maxCoeff());
        if (length > 20) continue;

        Vector numbers(mask.numbers());
        for (Index k = 0; k < numbers.size() - mask.before(); ++k) numbers[k] = mask.at(mask.offset(k));
        if (mask.class_token()) numbers[numbers.size() - 1] = *mask.class_token();
        const Points g = normal_points(length, 2, Stream(5));
        const Index d = 3 * length, all = 2 * d + 2 * length;
        Vector x(all + numbers.size());
        x << Vector(s.queries.reshaped<Eigen::RowMajor>()), Vector(s.keys.reshaped<Eigen::RowMajor>()),
            Vector(s.values.reshaped<Eigen::RowMajor>()), numbers;
        const auto loss = [&](const Vector& at) {
            const Points q = at.head(d).reshaped<Eigen::RowMajor>(length, 3);
            const Points k = at.segment(d, d).reshaped<Eigen::RowMajor>(length, 3);
            const Points v = at.segment(2 * d, 2 * length).reshaped<Eigen::RowMajor>(length, 2);
            const Vector given = (numbers.array() == 0).select(0, at.tail(numbers.size()));
            Points rows;
            masked_exact<double>(ToeplitzMask(one.shape, one.class_token, given), {q, k, v, kept}, rows);
            return rows.cwiseProduct(g).sum();
        };
        MaskedGradients<double> found;
        masked_exact_backward<double>(mask, {s.queries, s.keys, s.values, kept}, g, found);
        Vector flat(x.size());
        flat << Vector(found.queries.reshaped<Eigen::RowMajor>()), Vector(found.keys.reshaped<Eigen::RowMajor>()),
            Vector(found.values.reshaped<Eigen::RowMajor>()), found.numbers;
        check_gradient(loss, x, flat);
    }
    // A mask of ones changes nothing, in several tiles and in float.
    const SequenceOf<float> s(sequence(211, 211, 8, 4, 1.0, 6));
    const Rows<float> g = normal_points(211, 4, Stream(7)).cast<float>();
    const ToeplitzMask ones(
        {7, 30}, [](const ToeplitzMask::Offset&) { return 1.0; }, 1.0);
    Rows<float> out, plain;
    Column<float> log_sums;
    masked_exact<float>(ones, s.inputs(), out);
    exact<float>(s.inputs(), Visible::all, plain, log_sums);
    MaskedGradients<float> masked_gradients;
    Gradients<float> gradients;
    masked_exact_backward<float>(ones, s.inputs(), g, masked_gradients);
    exact_backward<float>(s.inputs(), Visible::all, plain, log_sums, g, gradients);
    // Weights of a row add up to one; of a column to no more than 211. Sums of 211 terms, values and gradients below 5.
    const float bound = 211 * 211 * 25 * std::numeric_limits<float>::epsilon();
    CHECK((out - plain).cwiseAbs().maxCoeff() < bound);
    CHECK((masked_gradients.queries - gradients.queries).cwiseAbs().maxCoeff() < bound);
    CHECK((masked_gradients.keys - gradients.keys).cwiseAbs().maxCoeff() < bound);
    CHECK((masked_gradients.values - gradients.values).cwiseAbs().maxCoeff() < bound);
}

TEMPLATE_TEST_CASE("a mask that hides a large score has its whole gradient, up to the bound of the precision", "",
                   double, float) {
    // Query 1 sees key 1 alone, of score 0; of key 0, which offset 1 hides, the gradient is exp(score) (2 - 1).
    const ToeplitzMask mask({2}, [](const ToeplitzMask::Offset& offset) { return offset[2] == 1 ? 0.0 : 1.0; });
    Rows<TestType> q(2, 1), k(2, 1), v(2, 1);
    q << 0, 1;
    v << 2, 1;
    constexpr bool wide = std::is_same_v<TestType, double>;
    for (const double score : {50.0, 100.0, 700.0}) {
        k << static_cast<TestType>(score), 0;
        MaskedGradients<TestType> found;
        masked_exact_backward<TestType>(mask, {q, k, v}, Rows<TestType>::Ones(2, 1), found);
        const double expected = std::exp(std::min(score, wide ? 600.0 : 60.0));
        for (Index number = 0; number < mask.numbers(); ++number)
            if (mask.offset(number)[2] == 1)
                CHECK(static_cast<double>(found.numbers[number]) ==
                      Approx(expected).epsilon(100 * epsilon_of<TestType>));
    }
}

TEST_CASE("gradients of masked attention have the same bits on any number of threads") {
    const auto map = linear_transformer_map(8);
    const Index length = 300;
    const Sequence s = sequence(length, length, 8, 5, 1.0, 15);
    const Points g = normal_points(length, 5, Stream(16));
    const ToeplitzMask mask({13, 23}, arbitrary, 0.5);
    for (const MaskPath path : {MaskPath::dense, MaskPath::fft}) {
        const int before = omp_get_max_threads();
        std::vector<MaskedGradients<double>> results(3);
        for (int threads = 1; threads <= 3; ++threads) {
            omp_set_num_threads(threads);
            masked_backward<double>(map, mask, {s.queries, s.keys, s.values}, g,
                                    results[static_cast<std::size_t>(threads - 1)], path);
        }
        omp_set_num_threads(before);
        for (const auto& other : results) {
            CHECK(same_bits(results[0].queries, other.queries));
            CHECK(same_bits(results[0].keys, other.keys));
            CHECK(same_bits(results[0].values, other.values));
            CHECK((results[0].numbers.array() == other.numbers.array()).all());
        }
    }
}

TEST_CASE("a class token's weight is that of all pairs it is in, on both paths, and numbers make a mask") {
    const ToeplitzMask mask({2, 3}, arbitrary, 0.25);
    REQUIRE(mask.length() == 7);
    CHECK(mask.numbers() == 3 * 5 + 1);
    Points tile;
    mask.tile(0, 7, 0, 7, tile);
    for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j < 7; ++j) {
            const double expected =
                i == 0 || j == 0 ? 0.25 : arbitrary({0, (i - 1) / 3 - (j - 1) / 3, (i - 1) % 3 - (j - 1) % 3});
            CHECK(tile(i, j) == expected);
            CHECK(mask(i, j) == expected);
            CHECK(transposed_mask(mask)(j, i) == expected);
        }
    CHECK_FALSE(mask.causal());
    Vector numbers(16);
    for (Index k = 0; k < 15; ++k) numbers[k] = mask.at(mask.offset(k));
    numbers[15] = 0.25;
    Points again;
    ToeplitzMask({2, 3}, true, numbers).tile(0, 7, 0, 7, again);
    CHECK(same_bits(tile, again));
    const Sequence s = positive_rows(7, 5, 2, 3);
    Points dense, fft;
    const GeneralizedMap rows(features::nonlinearity("identity"), 5);
    masked<double>(rows, mask, {s.queries, s.keys, s.values}, dense, MaskPath::dense);
    masked<double>(rows, mask, {s.queries, s.keys, s.values}, fft, MaskPath::fft);
    const Points weights = tile.cwiseProduct(s.queries * s.keys.transpose());
    const Points expected = weights.rowwise().sum().cwiseInverse().asDiagonal() * (weights * s.values);
    // Weights are positive and sums short.
    CHECK((dense - expected).cwiseAbs().maxCoeff() < 1e-14);
    CHECK((fft - expected).cwiseAbs().maxCoeff() < 1e-13);

    CHECK(contains(refusal([&] { ToeplitzMask({2, 3}, false, numbers); }), "given 16 numbers; it is made of 15"));
    CHECK(contains(refusal([&] {
                       ToeplitzMask({2, 3}, true, numbers.head(15));
                   }),
                   "given 15 numbers; it is made of 16"));
    CHECK(contains(refusal([&] { ToeplitzMask({2}, arbitrary, -1.0); }), "for the class token"));
    CHECK(contains(refusal([&] { causal_mask(mask); }), "a class token, before all others"));
    MaskedGradients<double> out;
    const Points g = normal_points(7, 2, Stream(1));
    CHECK(contains(refusal([&] {
                       masked_backward<double>(rows, mask, {s.queries, s.keys, s.values}, g.topRows(6), out);
                   }),
                   "the output gradient is 6 x 2"));
    CHECK(contains(
        refusal([&] {
            masked_backward<double>(rows, ToeplitzMask({7}, arbitrary, 1.0), {s.queries, s.keys, s.values}, g, out);
        }),
        "the mask is for 8 tokens, given 7"));
}
