// Causal linear attention with parts in half precision.
#include "rfbench/attention/rounded_linear.hpp"

#include <cmath>

#include "catch.hpp"
#include "maps.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/errors.hpp"

using namespace rfbench;
using namespace rfbench::attention;

namespace {

/// One feature, exp(log_scale), of every row.
class ConstantMap final : public features::FeatureMapOf<ConstantMap> {
public:
    explicit ConstantMap(double log_scale) : log_scale_(log_scale) {}
    Index columns() const override { return 1; }

    template <class Scalar>
    void evaluate_rows(features::Side, const RowsView<Scalar>& rows, features::FeatureBlock<Scalar>& out) const {
        out.values = Rows<Scalar>::Ones(rows.rows(), 1);
        out.log_scale = Vector::Constant(rows.rows(), log_scale_);
        out.vanished = 0;
    }

private:
    double log_scale_;
};

struct Tokens {
    Points queries, keys, values;
    Inputs<double> inputs() const { return {queries, keys, values}; }
};

/// Values are 0 for the first `zeros` tokens, then 1.
Tokens tokens(Index length, Index zeros) {
    Tokens all{Points::Zero(length, 2), Points::Zero(length, 2), Points::Ones(length, 1)};
    all.values.topRows(zeros).setZero();
    return all;
}

}  // namespace

TEST_CASE("without rounding it is causal linear attention, to rounding") {
    const Sequence drawn = sequence(70, 70, 4, 3, 1.5, 31);
    const SequenceOf<double> s(drawn);
    for (const char* name : {"positive", "trigonometric"}) {
        const auto map = map_of(name, drawn, 24);
        Points whole, out;
        const Outcome expected = linear<double>(map, s.inputs(), Visible::causal, whole);
        for (const bool row_scales : {true, false}) {
            const RoundedOutcome outcome = causal_rounded(map, s.inputs(), {.row_scales = row_scales}, out);
            CHECK(outcome.nonpositive == expected.nonpositive);
            CHECK(outcome.nonfinite == 0);
            // Sums of 70 x 24 products, divided: denominators of signed features may be small.
            CHECK((out - whole).cwiseAbs().maxCoeff() < 1e-10 * std::max(1.0, whole.cwiseAbs().maxCoeff()));
        }
    }
}

TEST_CASE("a sum of ones in bfloat16 stops at 256") {
    // Eight bits: 256 + 1 is a tie, which goes to the even 256. Numerators and denominators stop there.
    const Tokens all = tokens(1024, 256);
    const NumberFormat& format = number_format("bfloat16");
    Points out;
    causal_rounded(ConstantMap(0), all.inputs(), {.state = &format}, out);
    CHECK(out(255, 0) == 0);
    CHECK(out(256 + 127, 0) == 128.0 / 256);
    CHECK(out(1023, 0) == 1);  // the mean of the values is 3/4
    causal_rounded(ConstantMap(0), all.inputs(), {.features = &format}, out);
    CHECK(out(1023, 0) == 0.75);
}

TEST_CASE("features beyond a format are not finite unless rows have scales") {
    const Tokens all = tokens(8, 2);
    const NumberFormat& format = number_format("float16");
    // e^12 is above 65504.
    Points out;
    const Rounding plain{&format, &format, &format, false}, scaled{&format, &format, &format, true};
    CHECK(causal_rounded(ConstantMap(12), all.inputs(), plain, out).nonfinite == 8);
    CHECK(causal_rounded(ConstantMap(12), all.inputs(), scaled, out).nonfinite == 0);
    CHECK(out(7, 0) == 0.75);
}

TEST_CASE("scales of keys beyond all exponents count as the largest, entries beyond those of the map are refused") {
    // Keys with entries of 1e5 in 64 dimensions have such scales.
    Points out;
    for (const double scale : {-5.8e10, 5.8e10}) {
        CHECK(causal_rounded(ConstantMap(scale), tokens(8, 2).inputs(), {}, out).nonpositive == 0);
        CHECK(out(7, 0) == 0.75);
    }
    const Sequence drawn = sequence(3, 3, 4, 3, 1.5, 31);
    const Points far = 1e200 * drawn.keys;
    CHECK_THROWS_AS(causal_rounded(map_of("positive", drawn, 24), {drawn.queries, far, drawn.values}, {}, out),
                    NotFinite);
}
