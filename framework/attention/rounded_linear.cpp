#include "rfbench/attention/rounded_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/attention/parts.hpp"

namespace rfbench::attention {
namespace {

double rounded(const NumberFormat* format, double x) { return format ? format->rounded(x) : x; }

/// Features of one side in the format, L x R. With row scales the scale is left out.
Points features_in(const features::FeatureMap& map, features::Side side, const PointsView& rows,
                   const Rounding& rounding, Vector& log_scales) {
    features::FeatureBlock<double> block;
    map.evaluate(side, rows, block);
    log_scales = block.log_scale;
    if (!rounding.row_scales) block.values.array().colwise() *= log_scales.array().exp();
    if (rounding.features) rounding.features->round(block.values);
    return block.values;
}

/// Sums over the keys so far: R x (e + 1), the last column for denominators, times 2^exponent.
class State {
public:
    State(Index features, Index values, const Rounding& rounding)
        : sums_(Points::Zero(features, values + 1)), rounding_(rounding) {}

    /// Adds 2^exponent weight phi [v, 1].
    void add(const Eigen::RowVectorXd& phi, const Eigen::RowVectorXd& value, double weight, int exponent) {
        raise(exponent);
        const double own = std::ldexp(weight, exponent - exponent_);
        for (Index r = 0; r < sums_.rows(); ++r)
            for (Index c = 0; c < sums_.cols(); ++c) {
                const double term = own * phi[r] * (c < value.size() ? value[c] : 1.0);
                sums_(r, c) = rounded(rounding_.state, sums_(r, c) + rounded(rounding_.state, term));
            }
    }

    const Points& sums() const { return sums_; }

private:
    /// Brings the sums to a larger exponent, which may take small ones below the format.
    void raise(int exponent) {
        if (exponent <= exponent_) return;
        if (exponent_ != nothing) sums_ *= std::ldexp(1.0, exponent_ - exponent);
        if (rounding_.state) rounding_.state->round(sums_);
        exponent_ = exponent;
    }

    static constexpr int nothing = std::numeric_limits<int>::min() / 2;
    Points sums_;
    const Rounding& rounding_;
    int exponent_ = nothing;
};

}  // namespace

RoundedOutcome causal_rounded(const features::FeatureMap& map, const Inputs<double>& in, const Rounding& rounding,
                              Points& out) {
    check(in, Visible::causal, out);
    check_map(map, in);
    Vector query_scales, key_scales;
    const Points queries = features_in(map, features::Side::query, in.queries, rounding, query_scales);
    const Points keys = features_in(map, features::Side::key, in.keys, rounding, key_scales);

    out.resize(in.queries.rows(), in.values.cols());
    State state(map.columns(), in.values.cols(), rounding);
    RoundedOutcome outcome;
    for (Index i = 0; i < out.rows(); ++i) {
        if (in.keeps(i)) {
            // exp(log scale) = weight 2^exponent with a weight from 1 to 2.
            constexpr double most = KeyWeights<double>::max_exponent - 1;
            const double binary = rounding.row_scales ? std::clamp(key_scales[i] / std::log(2.0), -most, most) : 0.0;
            const int exponent = static_cast<int>(std::floor(binary));
            state.add(keys.row(i), in.values.row(i), std::exp2(binary - exponent), exponent);
        }
        Eigen::RowVectorXd sums = queries.row(i) * state.sums();
        for (double& sum : sums) sum = rounded(rounding.output, sum);
        const double denominator = sums[out.cols()];
        outcome.nonpositive += denominator > 0 ? 0 : 1;
        for (Index c = 0; c < out.cols(); ++c)
            out(i, c) = denominator == 0 ? 0 : rounded(rounding.output, sums[c] / denominator);
        outcome.nonfinite += out.row(i).allFinite() ? 0 : 1;
    }
    return outcome;
}

}  // namespace rfbench::attention
