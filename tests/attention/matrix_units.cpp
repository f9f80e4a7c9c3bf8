// Attention, features and gradients whose products are those of matrix units, by the emulation.
#include "rfbench/products/matrix_units.hpp"

#include <omp.h>

#include <cmath>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "maps.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/products/bfloat16.hpp"
#include "sequences.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using products::Arithmetic;
using products::Units;

namespace {

Arithmetic emulated(int parts) { return {Units::emulated, parts}; }

/// c of products' errors (products/matrix_units.hpp), and rounding to float of sums of up to `terms`, over the unit
/// roundoff of float.
double units_off(int parts, Index terms) {
    const double left_out = parts == 1 ? 0x1p17 : parts == 2 ? 0x1p9 : 1;
    return 1.01 * left_out + 19 + static_cast<double>(terms);
}

constexpr double unit = 0x1p-24;

/// |A - B| over |B|, both Frobenius.
template <class A>
double relative(const A& a, const Points& b) {
    return (a.template cast<double>() - b).norm() / b.norm();
}

}  // namespace

TEST_CASE("features by matrix units: the logarithm of each is as near as the products are") {
    const Index d = 24, count = 40, n = 70;
    const Sequence wide = sequence(n, n, d, 1, 0.7, 1);
    const SequenceOf<float> s(wide);
    for (const char* name : {"positive", "optimal-positive"}) {
        const SoftmaxMap map = map_of(name, wide, count);
        features::FeatureBlock<double> exact;
        map.evaluate(features::Side::query, Points(s.queries.cast<double>()), exact);
        for (const int parts : {1, 2, 3}) {
            INFO(name << ", " << parts << " parts");
            const auto own = map.with_arithmetic(emulated(parts));
            REQUIRE(own != nullptr);
            CHECK(own->arithmetic() == emulated(parts));
            CHECK(own->columns() == map.columns());
            features::FeatureBlock<float> block;
            own->evaluate(features::Side::query, s.queries, block);
            // |x_l w_l| add up to at most |x| |w|, each below these; a feature's logarithm has the error of its product
            // and of the largest one, which it is over, and roundings of both to float; exp adds a few ulps.
            const double lengths = s.queries.cast<double>().rowwise().norm().maxCoeff() * std::pow(d, -0.25) * 12;
            const double bound = 2 * (units_off(parts, d) * lengths + 8) * unit;
            const Points logs = block.values.cast<double>().array().log();
            const Points expected = exact.values.array().log();
            double largest = 0;
            for (Index i = 0; i < n; ++i)
                largest = std::max(largest, ((logs.row(i).array() + block.log_scale[i]) -
                                             (expected.row(i).array() + exact.log_scale[i]))
                                                .abs()
                                                .maxCoeff());
            CHECK(largest <= bound);
            // One part rounds rows and omegas: a fifth of the features are off by more than float ever is.
            if (parts == 1) CHECK(largest > 100 * unit);
        }
    }
}

TEST_CASE("features in double are the same bits whatever forms products of float") {
    const Sequence s = sequence(30, 30, 6, 1, 0.7, 1);
    for (const char* name : {"positive", "trigonometric"}) {
        const SoftmaxMap map = map_of(name, s, 20);
        features::FeatureBlock<double> vectors, units;
        map.evaluate(features::Side::key, s.keys, vectors);
        map.with_arithmetic(emulated(1))->evaluate(features::Side::key, s.keys, units);
        CHECK(units.values == vectors.values);
        CHECK(units.log_scale == vectors.log_scale);
    }
}

TEST_CASE("maps that leave products to vector registers say so, and those on units have no other forms") {
    const Sequence s = sequence(30, 30, 6, 1, 0.7, 1);
    CHECK(linear_transformer_map(6).with_arithmetic(emulated(3)) == nullptr);
    CHECK(map_of("poisson", s, 20).with_arithmetic(emulated(3)) == nullptr);
    const auto mechanism = features::fit(features::find("positive"), softmax_statistics(s.queries, s.keys));
    const auto map = mechanism->map(features::draw(*mechanism, 6, 20, sampling::find("iid"), Stream(1)));
    CHECK(map->logs() != nullptr);
    CHECK(map->with_arithmetic(emulated(3))->logs() == nullptr);
    CHECK(map->with_arithmetic(emulated(3))->with_arithmetic({})->logs() != nullptr);
}

TEST_CASE("softmax attention by matrix units is within the error of its products") {
    for (const Index length : {40, 97, 300}) {
        const SequenceOf<float> s(sequence(length, length, 24, 5, 1.0, 1));
        const Sequence wide = s.wide();
        for (const Visible visible : {Visible::all, Visible::causal})
            for (const auto& kept : {std::vector<unsigned char>(), padding(length)})
                for (const int parts : {1, 2, 3}) {
                    INFO("L = " << length << ", " << parts << " parts" << (kept.empty() ? "" : ", padded"));
                    const Points expected =
                        softmax_weights(wide.queries, wide.keys, seen(length, length, visible, kept)) * wide.values;
                    Rows<float> out;
                    exact(s.inputs(kept), visible, out, emulated(parts));
                    // A score is off by its product's error, weights by twice that; products with values once more.
                    const double score =
                        (wide.queries.cwiseAbs() * wide.keys.cwiseAbs().transpose()).maxCoeff() / std::sqrt(24.0);
                    const double bound = (2 * units_off(parts, 24) * (score + 1) + units_off(parts, 2 * length)) *
                                         unit * wide.values.cwiseAbs().maxCoeff();
                    CHECK((out.cast<double>() - expected).cwiseAbs().maxCoeff() <= bound);
                    if (parts == 1) CHECK((out.cast<double>() - expected).cwiseAbs().maxCoeff() > bound / 1000);
                }
    }
}

TEST_CASE("linear attention by matrix units loses 8 bits less with each part") {
    const Sequence wide = sequence(400, 400, 16, 8, 0.5, 1);
    const SequenceOf<float> s(wide);
    const SoftmaxMap map = map_of("positive", s.wide(), 64);
    for (const Visible visible : {Visible::all, Visible::causal}) {
        INFO((visible == Visible::all ? "all" : "causal"));
        Points expected;
        linear(map, SequenceOf<double>(s.wide()).inputs(), visible, expected);
        double error[4];
        for (const int parts : {1, 2, 3}) {
            Rows<float> out;
            linear(*map.with_arithmetic(emulated(parts)), s.inputs(), visible, out);
            error[parts] = relative(out, expected);
        }
        // Values are off by the products' errors, over the share of the values that is left of their means: outputs of
        // weights that add up to one are no smaller than 1 / sqrt(400) of values. Features have a product below the
        // exponential, of size |x| |w| at most, and sums another two.
        const double size = 20 * (2 + (s.queries.cast<double>().rowwise().norm().maxCoeff() / 2 * 10));
        for (const int parts : {1, 2, 3}) CHECK(error[parts] <= size * units_off(parts, 64) * unit);
        CHECK(error[1] > 0x1p-14);
        CHECK(error[2] < error[1] / 16);
        CHECK(error[3] < error[2] / 8);
    }
}

TEST_CASE("gradients by matrix units lose 8 bits less with each part") {
    const Index length = 250;
    const SequenceOf<float> s(sequence(length, length, 16, 8, 0.7, 5));
    const SequenceOf<double> wide(s.wide());
    const Rows<float> g = normal_points(length, 8, Stream(6)).cast<float>();
    const Points wide_g = g.cast<double>();
    const SoftmaxMap map = map_of("positive", s.wide(), 64);
    for (const bool softmax : {true, false})
        for (const Visible visible : {Visible::all, Visible::causal}) {
            INFO((softmax ? "softmax" : "linear") << (visible == Visible::all ? ", all" : ", causal"));
            const auto gradients = [&]<class Scalar>(const SequenceOf<Scalar>& in, const Rows<Scalar>& sent,
                                                     const Arithmetic& arithmetic) {
                Gradients<Scalar> to;
                if (softmax) {
                    Rows<Scalar> out;
                    Column<Scalar> log_sums;
                    exact<Scalar>(in.inputs(), visible, out, log_sums, arithmetic);
                    exact_backward<Scalar>(in.inputs(), visible, out, log_sums, sent, to, arithmetic);
                } else {
                    backward<Scalar>(*map.with_arithmetic(arithmetic), in.inputs(), visible, sent, to);
                }
                return to;
            };
            const Gradients<double> expected = gradients(wide, wide_g, Arithmetic{});
            double error[4];
            for (const int parts : {1, 2, 3}) {
                const Gradients<float> own = gradients(s, g, emulated(parts));
                error[parts] = std::max({relative(own.queries, expected.queries), relative(own.keys, expected.keys),
                                         relative(own.values, expected.values)});
            }
            const double float_error = relative(gradients(s, g, Arithmetic{}).queries, expected.queries);
            CHECK(error[1] > 0x1p-12);
            CHECK(error[1] < 0x1p-4);
            CHECK(error[2] < error[1] / 16);
            CHECK(error[3] < error[2] / 8);
            CHECK(error[3] < 16 * float_error);
        }
}

TEST_CASE("attention by matrix units has the same bits for any number of threads") {
    const SequenceOf<float> s(sequence(700, 700, 8, 4, 0.7, 1));
    const auto map = map_of("positive", s.wide(), 24).with_arithmetic(emulated(2));
    const int before = omp_get_max_threads();
    for (const Visible visible : {Visible::all, Visible::causal}) {
        Rows<float> one_exact, one_linear, exact_out, linear_out;
        omp_set_num_threads(1);
        exact(s.inputs(), visible, one_exact, emulated(2));
        linear(*map, s.inputs(), visible, one_linear);
        omp_set_num_threads(3);
        exact(s.inputs(), visible, exact_out, emulated(2));
        linear(*map, s.inputs(), visible, linear_out);
        CHECK(exact_out == one_exact);
        CHECK(linear_out == one_linear);
    }
    omp_set_num_threads(before);
}

TEST_CASE("one part rounds rows and omegas: the kernel is biased by the former") {
    // With rows x^, y^ rounded, products of features are exp(w^.(x^ + y^) - |x|^2 - |y|^2), whose mean over normal w is
    // exp(|x^ + y^|^2 / 2 - |x|^2 - |y|^2), no longer K(x, y). The rounding of omegas changes E w^2 by less than 2^-16,
    // which is no more than 2^-17 |x + y|^2 in the exponent. Draws are shared with features in double, which have no
    // bias.
    const Index d = 8, columns = 2000, repeats = 100;
    const SequenceOf<float> rows(sequence(1, 1, d, 1, 0.6, 3));
    const auto rounded = [](const Rows<float>& x) {
        return Points(x.unaryExpr([](float v) { return products::rounded_to_bfloat16(v); }).cast<double>());
    };
    const Points x = rows.queries.cast<double>(), y = rows.keys.cast<double>();
    const double norms = x.squaredNorm() + y.squaredNorm(), sum_norm = (x + y).squaredNorm();
    const double kernel = std::exp(0.5 * sum_norm - norms);
    const double biased = std::exp(0.5 * (rounded(rows.queries) + rounded(rows.keys)).squaredNorm() - norms);
    const auto mechanism = features::fit(features::find("positive"), features::statistics(x, y));
    const auto products_of = [&](const features::FeatureMap& map, const auto& own_x, const auto& own_y) {
        using Scalar = typename std::decay_t<decltype(own_x)>::Scalar;
        features::FeatureBlock<Scalar> fx, fy;
        map.evaluate(features::Side::query, own_x, fx);
        map.evaluate(features::Side::key, own_y, fy);
        const double scale = std::exp(fx.log_scale[0] + fy.log_scale[0]) * static_cast<double>(columns);
        return Eigen::ArrayXd(scale * fx.values.row(0).template cast<double>().array().transpose() *
                              fy.values.row(0).template cast<double>().array().transpose());
    };
    for (const int parts : {1, 2, 3}) {
        double sum = 0, squares = 0;
        for (Index repeat = 0; repeat < repeats; ++repeat) {
            const auto map = mechanism->map(features::draw(*mechanism, d, columns, sampling::find("iid"),
                                                           Stream(7).child(static_cast<std::uint64_t>(repeat))));
            const Eigen::ArrayXd off =
                products_of(*map->with_arithmetic(emulated(parts)), rows.queries, rows.keys) - products_of(*map, x, y);
            sum += off.sum();
            squares += off.square().sum();
        }
        const auto n = static_cast<double>(repeats * columns);
        const double bias = sum / n, error = std::sqrt((squares / n - bias * bias) / n);
        INFO(parts << " parts: bias " << bias << " +- " << error << ", of rounded rows " << biased - kernel);
        if (parts == 1) {
            CHECK(std::abs(bias - (biased - kernel)) < 4 * error + 0x1p-17 * sum_norm * kernel);
            CHECK(std::abs(bias) > 8 * error);
        } else {
            // No more than the errors of products: of both features, |w| |x| and |w| |y| in each exponent, |w| < 6.
            CHECK(std::abs(bias) < 2 * (units_off(parts, d) * 6 * std::sqrt(2 * norms) + 8) * unit * kernel);
        }
    }
}
