#include "rfbench/attention/masked.hpp"

#include <omp.h>

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "explicit_linear.hpp"
#include "explicit_softmax.hpp"
#include "maps.hpp"
#include "mask_examples.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/mask_product.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;
using features::FeatureBlock;
using features::Side;

namespace {

using Offset = ToeplitzMask::Offset;
using Shape = MaskShape;

const std::vector<Shape> shapes{{1},    {2},    {7},    {16},     {97},      {410},     {3, 5},
                                {8, 8}, {1, 9}, {9, 1}, {23, 11}, {2, 3, 4}, {5, 1, 3}, {7, 5, 11}};

Points explicit_mask(const Shape& shape, double (*psi)(const Offset&)) {
    std::vector<Offset> places;
    const Index planes = shape.size() > 2 ? shape[shape.size() - 3] : 1;
    const Index lines = shape.size() > 1 ? shape[shape.size() - 2] : 1;
    for (Index a = 0; a < planes; ++a)
        for (Index b = 0; b < lines; ++b)
            for (Index c = 0; c < shape.back(); ++c) places.push_back({a, b, c});
    const auto n = static_cast<Index>(places.size());
    Points mask(n, n);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
            const Offset &to = places[static_cast<std::size_t>(i)], &from = places[static_cast<std::size_t>(j)];
            mask(i, j) = psi({to[0] - from[0], to[1] - from[1], to[2] - from[2]});
        }
    return mask;
}

/// mask (first + i second), by parts.
template <class Scalar>
Eigen::MatrixX2d multiplied(const MaskProduct<Scalar>& product, Index length, const Vector& first,
                            const Vector& second) {
    typename MaskProduct<Scalar>::Workspace workspace(product);
    using Complex = std::complex<Scalar>;
    const auto size = static_cast<std::size_t>(product.size());
    std::vector<Complex> sum(size), twisted(size);
    std::vector<transforms::RealLanes<Scalar>> one(size);  // a line of ones in the first lane, zeros in all others
    for (auto& entry : one) entry.values[0] = 1;
    Eigen::MatrixX2d result = Eigen::MatrixX2d::Zero(length, 2);
    for (Index part = 0; part < product.parts(); ++part) {
        for (Index j = 0; j < length; ++j) {
            const Index at = product.place(j);
            twisted[static_cast<std::size_t>(at)] =
                product.twist(part)[at] * Complex(static_cast<Scalar>(first[j]), static_cast<Scalar>(second[j]));
        }
        product.multiply(part, workspace, 1, one.data(), one.data(), twisted.data(), sum.data());
        for (Index i = 0; i < length; ++i) {
            const Index at = product.place(i);
            const Complex entry = std::conj(product.twist(part)[at]) * sum[static_cast<std::size_t>(at)];
            result(i, 0) += static_cast<double>(entry.real());
            result(i, 1) += static_cast<double>(entry.imag());
        }
    }
    return result;
}

/// Masked attention against the definition, on both paths.
template <class Scalar>
void check_masked(const features::FeatureMap& map, const Shape& shape, bool causal, const SequenceOf<Scalar>& s,
                  const std::vector<unsigned char>& kept) {
    const ToeplitzMask whole(shape, arbitrary), mask = causal ? causal_mask(whole) : whole;
    const Seen pairs = seen(mask.length(), mask.length(), causal ? Visible::causal : Visible::all, kept);
    const Points entries = explicit_mask(shape, arbitrary).array() * pairs.cast<double>();
    Rows<Scalar> out;
    ExplicitSums sums = explicit_sums(map, s, entries);
    const MaskedOutcome dense = masked(map, mask, s.inputs(kept), out, MaskPath::dense);
    CHECK(dense.path == MaskPath::dense);
    check_quotients(out, dense.nonpositive, sums);

    const MaskedOutcome fft = masked(map, mask, s.inputs(kept), out, MaskPath::fft);
    CHECK(fft.path == MaskPath::fft);
    FeatureBlock<Scalar> q, k;
    map.evaluate(Side::query, s.queries, q);
    map.evaluate(Side::key, s.keys, k);
    Points keys =
        (k.log_scale.array() - k.log_scale.maxCoeff()).exp().matrix().asDiagonal() * k.values.template cast<double>();
    for (std::size_t j = 0; j < kept.size(); ++j)
        if (kept[j] == 0) keys.row(static_cast<Index>(j)).setZero();
    // Two columns share a transform, each between a half and one times a power of two.
    for (Index m = 0; m < map.columns(); ++m)
        sums.error +=
            q.values.col(m).cwiseAbs().template cast<double>() *
            product_error(mask, mask_blocks(mask), 2 * std::sqrt(2.0) * keys.col(m).norm(), epsilon_of<Scalar>);
    sums.largest = std::max(1.0, sums.largest);
    check_quotients(out, fft.nonpositive, sums);
}

features::FeatureBlock<double> evaluate(const features::FeatureMap& map, Side side, const Points& rows) {
    FeatureBlock<double> block;
    map.evaluate(side, rows, block);
    return block;
}

}  // namespace

TEST_CASE("a mask has psi of the difference of places in every level") {
    for (const Shape& shape : shapes) {
        INFO(text(shape));
        const ToeplitzMask mask(shape, arbitrary);
        const Points expected = explicit_mask(shape, arbitrary);
        REQUIRE(mask.length() == expected.rows());
        Points all(expected.rows(), expected.cols()), tile;
        for (Index i = 0; i < all.rows(); ++i)
            for (Index j = 0; j < all.cols(); ++j) all(i, j) = mask(i, j);
        CHECK(same_bits(all, expected));
        CHECK(mask.causal() == (mask.length() == 1));
        mask.tile(0, mask.length(), 0, mask.length(), tile);
        CHECK(same_bits(tile, expected));
        const Index from = mask.length() / 3, n = mask.length() - from;
        mask.tile(from, n, from / 2, n, tile);
        CHECK(same_bits(tile, Points(expected.block(from, from / 2, n, n))));

        const ToeplitzMask past = causal_mask(mask);
        CHECK(past.causal());
        past.tile(0, mask.length(), 0, mask.length(), tile);
        CHECK(same_bits(tile, Points(expected.triangularView<Eigen::Lower>())));
    }
    const ToeplitzMask decay = decaying_mask({4, 5}, 0.5);
    CHECK(decay(0, 19) == std::exp(-0.5 * 7));
    CHECK(decay(7, 7) == 1);
}

TEST_CASE("products by transforms of blocks are products with the mask") {
    for (const Shape& shape : shapes)
        for (const bool causal : {false, true})
            for (const Index largest : {1, 6, 40, 100'000}) {
                const ToeplitzMask whole(shape, arbitrary), mask = causal ? causal_mask(whole) : whole;
                const MaskBlocks blocks = mask_blocks(mask, largest);
                INFO(text(shape) << (causal ? ", causal, " : ", ") << blocks.count << " blocks");
                Points entries = explicit_mask(shape, arbitrary);
                if (causal) entries = Points(entries.triangularView<Eigen::Lower>());
                Eigen::MatrixX2d x(mask.length(), 2);
                x.col(0) = normal_points(mask.length(), 1, Stream(6));
                x.col(1) = normal_points(mask.length(), 1, Stream(7));
                const auto error = [&](auto scalar) {
                    using Scalar = decltype(scalar);
                    const MaskProduct<Scalar> product(mask, blocks);
                    CHECK(product.parts() == blocks.parts());
                    return (multiplied(product, mask.length(), x.col(0), x.col(1)) - entries * x).cwiseAbs().maxCoeff();
                };
                CHECK(error(0.0) <= product_error(mask, blocks, x.norm(), std::numeric_limits<double>::epsilon()));
                CHECK(error(0.0f) <= product_error(mask, blocks, x.norm(),
                                                   static_cast<double>(std::numeric_limits<float>::epsilon())));
            }
}

TEST_CASE("blocks hold all tokens, as few points as they may, and rows of the grid whole") {
    for (const Shape& shape : shapes) {
        const ToeplitzMask mask(shape, arbitrary);
        for (const Index largest : {1, 6, 40, 100'000}) {
            const MaskBlocks blocks = mask_blocks(mask, largest);
            INFO(text(shape) << ", at most " << largest);
            CHECK(blocks.grid[blocks.cut] * blocks.count >= mask.lengths()[blocks.cut]);
            CHECK(blocks.grid[blocks.cut] * (blocks.count - 1) < mask.lengths()[blocks.cut]);
            CHECK((blocks.points() <= largest || blocks.grid[blocks.cut] == 1));
            for (std::size_t level = 0; level < 3; ++level)
                if (level != blocks.cut) CHECK(blocks.grid[level] >= mask.lengths()[level]);
        }
    }
    // One transform of a short mask; blocks of a long one, in number far below its tokens.
    CHECK(mask_blocks(decaying_mask({256}, 1)).count == 1);
    const MaskBlocks many = mask_blocks(decaying_mask({1 << 20}, 1));
    CHECK(many.count > 1);
    CHECK(many.count < 1000);
}

TEST_CASE("plans may be made and used by many threads") {
    const ToeplitzMask mask({9, 10}, arbitrary);
    const Vector v = normal_points(90, 1, Stream(7));
    std::vector<Eigen::MatrixX2d> results(40);
#pragma omp parallel for num_threads(4)
    for (std::size_t k = 0; k < results.size(); ++k) {
        const MaskProduct<double> product(mask, mask_blocks(mask, 40));
        results[k] = multiplied(product, 90, v, v.reverse());
    }
    for (const auto& result : results) CHECK(result == results.front());
}

TEMPLATE_TEST_CASE("masked attention is the explicit masked matrix on both paths", "", double, float) {
    const auto mechanism = features::fit(features::find("positive"), {});
    const auto positive = softmax_map(*mechanism, 4, 6, sampling::find("iid"), Stream(9));
    const auto relu = generalized_map(features::nonlinearity("relu"), 4, 6, sampling::find("iid"), Stream(10));
    for (const Shape& shape : shapes)
        for (const bool causal : {false, true}) {
            const Index length = ToeplitzMask(shape, arbitrary).length();
            const SequenceOf<TestType> s(sequence(length, length, 4, 3, 1.0, 8));
            for (const auto& kept : {std::vector<unsigned char>(), padding(length)}) {
                INFO(text(shape) << (causal ? ", causal" : "") << (kept.empty() ? "" : ", padded"));
                check_masked(positive, shape, causal, s, kept);
                check_masked(relu, shape, causal, s, kept);
            }
        }
}

TEMPLATE_TEST_CASE("masked attention through any features is the explicit masked matrix on both paths", "", double,
                   float) {
    const Sequence all = sequence(60, 60, 4, 2, 1.0, 8);  // an even number of columns: ones have a transform alone
    const SequenceOf<TestType> s(all);
    for (const auto& [name, map] : every_map(all, 8))
        for (const Shape& shape : {Shape{60}, Shape{5, 12}, Shape{3, 4, 5}})
            for (const bool causal : {false, true}) {
                INFO(name << ", " << text(shape) << (causal ? ", causal" : ""));
                check_masked(*map, shape, causal, s, {});
            }
    // More features than any register has lanes, the last register not full.
    const auto many =
        softmax_map(*features::fit(features::find("positive"), {}), 4, 37, sampling::find("iid"), Stream(23));
    check_masked(many, {60}, false, s, {});
}

TEST_CASE("a mask of ones is linear attention, below the diagonal causal attention") {
    const Sequence s = sequence(500, 500, 8, 4, 1.0, 11);
    const auto mechanism = features::fit(features::find("positive"), {});
    const auto map = softmax_map(*mechanism, 8, 16, sampling::find("orthogonal"), Stream(12));
    const ToeplitzMask ones({500}, [](const Offset&) { return 1.0; });
    for (const Visible visible : {Visible::all, Visible::causal}) {
        Points expected;
        linear<double>(map, {s.queries, s.keys, s.values}, visible, expected);
        Points out;
        masked<double>(map, visible == Visible::causal ? causal_mask(ones) : ones, {s.queries, s.keys, s.values}, out,
                       MaskPath::dense);
        // All weights are positive: sums of L + R terms, twice, and a quotient.
        CHECK((out - expected).cwiseAbs().maxCoeff() <=
              4 * 530 * std::numeric_limits<double>::epsilon() * s.values.cwiseAbs().maxCoeff());
    }
}

TEST_CASE("later tokens leave no trace in earlier masked outputs on the dense path") {
    const Index length = 450, seen = 200;
    const Sequence s = sequence(length, length, 8, 4, 1.0, 13);
    Sequence other = s;
    other.keys.bottomRows(length - seen) *= 4;
    other.queries.bottomRows(length - seen) *= -3;
    other.values.bottomRows(length - seen).array() += 7;
    const auto mechanism = features::fit(features::find("positive"), {});
    const auto map = softmax_map(*mechanism, 8, 16, sampling::find("orthogonal"), Stream(14));
    for (const Shape& shape : {Shape{450}, Shape{15, 30}}) {
        const ToeplitzMask mask = causal_mask(decaying_mask(shape, 0.01));
        Points a, b;
        masked<double>(map, mask, {s.queries, s.keys, s.values}, a, MaskPath::dense);
        masked<double>(map, mask, {other.queries, other.keys, other.values}, b, MaskPath::dense);
        CHECK(same_bits(Points(a.topRows(seen)), Points(b.topRows(seen))));
        CHECK_FALSE(a.row(seen) == b.row(seen));
    }
}

TEST_CASE("masked attention has the same bits on any number of threads") {
    const Sequence s = sequence(700, 700, 8, 5, 1.0, 15);
    const auto map = linear_transformer_map(8);
    const ToeplitzMask mask = decaying_mask({28, 25}, 0.1);
    const Rows<float> q = s.queries.cast<float>(), k = s.keys.cast<float>(), v = s.values.cast<float>();
    for (const MaskPath path : {MaskPath::dense, MaskPath::fft}) {
        const int before = omp_get_max_threads();
        std::vector<Rows<float>> results(3);
        for (int threads = 1; threads <= 3; ++threads) {
            omp_set_num_threads(threads);
            masked<float>(map, mask, {q, k, v}, results[static_cast<std::size_t>(threads - 1)], path);
        }
        omp_set_num_threads(before);
        CHECK(same_bits(results[0], results[1]));
        CHECK(same_bits(results[0], results[2]));
    }
}

TEST_CASE("later blocks leave no trace in earlier masked outputs on the FFT path") {
    const Index length = 5000;
    const ToeplitzMask mask = causal_mask(decaying_mask({length}, 0.01));
    const MaskBlocks blocks = mask_blocks(mask);
    REQUIRE(blocks.count > 1);
    const Index seen = blocks.points();
    const Sequence s = sequence(length, length, 4, 3, 1.0, 20);
    Sequence other = s;
    other.keys.bottomRows(length - seen) *= 2;
    other.values.bottomRows(length - seen) *= -1;
    const auto mechanism = features::fit(features::find("positive"), {});
    const auto map = softmax_map(*mechanism, 4, 3, sampling::find("iid"), Stream(21));
    Points a, b;
    masked<double>(map, mask, {s.queries, s.keys, s.values}, a, MaskPath::fft);
    masked<double>(map, mask, {other.queries, other.keys, other.values}, b, MaskPath::fft);
    CHECK(same_bits(Points(a.topRows(seen)), Points(b.topRows(seen))));
    CHECK_FALSE(a.row(seen) == b.row(seen));
}

TEST_CASE("columns of values of any sizes are right on the FFT path") {
    const Index length = 300;
    Sequence s = sequence(length, length, 4, 4, 1.0, 22);
    const std::array<double, 4> sizes{0x1p120, 0x1p-120, 1e-30, 0};
    for (std::size_t c = 0; c < sizes.size(); ++c) s.values.col(static_cast<Index>(c)) *= sizes[c];
    const auto map = linear_transformer_map(4);
    const ToeplitzMask mask = decaying_mask({length}, 0.01);
    const Rows<float> q = s.queries.cast<float>(), k = s.keys.cast<float>(), v = s.values.cast<float>();
    Rows<float> fft;
    Points dense;
    masked<float>(map, mask, {q, k, v}, fft, MaskPath::fft);
    masked<double>(map, mask, {q.cast<double>(), k.cast<double>(), v.cast<double>()}, dense, MaskPath::dense);
    const auto queries = evaluate(map, Side::query, s.queries), keys = evaluate(map, Side::key, s.keys);
    const Vector denominators =
        explicit_mask({length}, [](const Offset& offset) { return std::exp(-0.01 * std::abs(double(offset[2]))); })
            .cwiseProduct(queries.values * keys.values.transpose())
            .rowwise()
            .sum();
    for (Index i = 0; i < length; ++i) {
        double error = 0;
        for (Index m = 0; m < 4; ++m)
            error += queries.values(i, m) * product_error(mask, mask_blocks(mask),
                                                          2 * std::sqrt(2.0) * keys.values.col(m).norm(),
                                                          static_cast<double>(std::numeric_limits<float>::epsilon()));
        // Errors of the numerator, and of the denominator times a mean of values.
        for (Index c = 0; c < 4; ++c)
            CHECK(std::abs(static_cast<double>(fft(i, c)) - dense(i, c)) <=
                  3 * error / denominators[i] * static_cast<double>(v.col(c).cwiseAbs().maxCoeff()));
    }
}

TEST_CASE("the path is chosen by size, and said") {
    // Measured (make bench): at M = d = 64 both take as long at 4096 tokens, and tiles nearly twice as long at 8192.
    const auto path = [](Index length) { return cheaper_path<float>(decaying_mask({length}, 1), 64, 64); };
    for (const Index length : {1, 256, 1024, 2048}) CHECK(path(length) == MaskPath::dense);
    for (const Index length : {8192, 16384, 32768, 131072}) CHECK(path(length) == MaskPath::fft);
    const Sequence s = sequence(30, 30, 4, 2, 1.0, 16);
    const auto map = linear_transformer_map(4);
    const ToeplitzMask mask({30}, arbitrary);
    Points chosen, forced;
    CHECK(masked<double>(map, mask, {s.queries, s.keys, s.values}, chosen).path == MaskPath::dense);
    masked<double>(map, mask, {s.queries, s.keys, s.values}, forced, MaskPath::dense);
    CHECK(same_bits(chosen, forced));
}

TEST_CASE("the path that is said is the path that is taken") {
    // Two ways to add the same terms: they differ by rounding. With one feature FFTs win from 1500 tokens on.
    const Sequence s = sequence(3000, 3000, 1, 1, 1.0, 19);
    const auto map = linear_transformer_map(1);
    const ToeplitzMask mask = decaying_mask({3000}, 0.01);
    Points chosen, fft, dense;
    CHECK(masked<double>(map, mask, {s.queries, s.keys, s.values}, chosen).path == MaskPath::fft);
    masked<double>(map, mask, {s.queries, s.keys, s.values}, fft, MaskPath::fft);
    masked<double>(map, mask, {s.queries, s.keys, s.values}, dense, MaskPath::dense);
    CHECK(same_bits(chosen, fft));
    CHECK_FALSE(same_bits(fft, dense));
}

TEST_CASE("masked attention of no tokens, and what it refuses") {
    const auto map = linear_transformer_map(4);
    const Sequence none = sequence(0, 0, 4, 2, 1.0, 17), s = sequence(6, 6, 4, 2, 1.0, 18);
    const std::vector<unsigned char> padding(6, 0);
    const ToeplitzMask six({2, 3}, arbitrary), five({5}, arbitrary), zero({0}, arbitrary);
    Points keys = s.keys;
    keys(4, 1) = std::numeric_limits<double>::quiet_NaN();
    for (const MaskPath path : {MaskPath::dense, MaskPath::fft}) {
        Points out;
        CHECK(masked<double>(map, zero, {none.queries, none.keys, none.values}, out, path).nonpositive == 0);
        CHECK(out.rows() == 0);
        CHECK(masked<double>(map, six, {s.queries, s.keys, s.values, padding}, out, path).nonpositive == 6);
        CHECK(out.isZero(0));
        CHECK(contains(refusal([&] { masked<double>(map, six, {s.queries, keys, s.values}, out, path); }), "row 4"));
        CHECK(contains(refusal([&] {
                           masked<double>(map, five, {s.queries, s.keys, s.values}, out, path);
                       }),
                       "5 tokens"));
        CHECK(contains(refusal([&] {
                           masked<double>(linear_transformer_map(3), six, {s.queries, s.keys, s.values}, out, path);
                       }),
                       "drawn for 3"));
    }
    CHECK(contains(refusal([] { ToeplitzMask({2, 2, 2, 2}, arbitrary); }), "4 levels"));
    CHECK(contains(refusal([] { ToeplitzMask({-1}, arbitrary); }), "-1"));
    CHECK(contains(refusal([] {
                       ToeplitzMask({3, 4}, [](const Offset& offset) { return offset[1] == 2 ? -1.0 : 1.0; });
                   }),
                   "(2, "));
}
