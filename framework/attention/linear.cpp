#include "rfbench/attention/linear.hpp"

#include <omp.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/parts.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using products::Panels;
using products::strided;

template <class Scalar>
Outcome see_all(const FeatureMap& map, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    const FeatureSums<Scalar> sums = sum_all_keys(map, in);
    const Panels<Scalar> numerators(strided(sums.numerators()));
    const Index length = in.queries.rows(), tiles = (length + tile - 1) / tile;
    Index nonpositive = 0;
#pragma omp parallel reduction(+ : nonpositive) proc_bind(spread)
    {
        FeatureBlock<Scalar> queries;
        Eigen::Matrix<Scalar, Eigen::Dynamic, 1> denominators;
#pragma omp for schedule(static)
        for (Index at = 0; at < tiles; ++at) {
            const Index first = at * tile;
            map.evaluate(Side::query, in.queries.middleRows(first, std::min(tile, length - first)), queries);
            numerators.multiply(strided(queries.values), &out(first, 0), out.cols());
            denominators.noalias() = queries.values * sums.denominators();
            nonpositive += divide(denominators, out, first).nonpositive;
        }
    }
    return {nonpositive};
}

/// Causal attention by blocks of running sums (Likhosherstov 2022, Appendix 5.B, with the corrected index of the
/// block's own queries): within a block by the masked matrix of estimates, before it through the sums.
template <class Scalar>
class CausalPart {
public:
    CausalPart(const FeatureMap& map, const Inputs<Scalar>& in)
        : map_(map), in_(in), own_(map.columns(), in.values.cols()), before_(own_) {}

    /// Attends rows first .. end - 1, which come after the keys in `prefix`; returns the sums of their own keys.
    const FeatureSums<Scalar>& attend(const FeatureSums<Scalar>& prefix, Index first, Index end, Rows<Scalar>& out,
                                  Outcome& outcome) {
        own_ = FeatureSums<Scalar>(map_.columns(), in_.values.cols());
        for (Index at = first; at < end; at += block) {
            before_.assign_sum(prefix, own_);
            outcome += attend_block(at, std::min(block, end - at), out);
            own_.add_keys(keys_, weights_, in_, at);
        }
        return own_;
    }

private:
    Outcome attend_block(Index at, Index n, Rows<Scalar>& out) {
        map_.evaluate(Side::query, in_.queries.middleRows(at, n), queries_);
        map_.evaluate(Side::key, in_.keys.middleRows(at, n), keys_);
        weights_.assign(keys_, in_, at);
        estimates_.resize(n, n);
        factor_.pack(strided(keys_.values).transposed());
        factor_.multiply(strided(queries_.values), estimates_.data(), n);
        factor_.pack(strided(before_.numerators()));
        factor_.multiply(strided(queries_.values), &out(at, 0), out.cols());
        denominators_.noalias() = queries_.values * before_.denominators();
        weigh(at, n, out);
        factor_.pack(strided(RowsView<Scalar>(in_.values.middleRows(at, n))));
        factor_.multiply(strided(estimates_), &out(at, 0), out.cols(), &out(at, 0), out.cols());
        return divide(denominators_, out, at);
    }

    /// Gives row i of the estimates and what came before the block one scale: that of the largest key that i sees.
    void weigh(Index at, Index n, Rows<Scalar>& out) {
        int scale = before_.exponent();
        own_weights_.resize(n);
        for (Index i = 0; i < n; ++i) {
            const int exponent = weights_.exponents[i];
            if (exponent > scale) {
                own_weights_.head(i) *= power_of_two<Scalar>(scale, exponent);
                scale = exponent;
            }
            own_weights_[i] = weights_.mantissas[i] * power_of_two<Scalar>(exponent, scale);
            auto seen = estimates_.row(i).head(i + 1).array();
            seen *= own_weights_.head(i + 1).transpose().array();
            estimates_.row(i).tail(n - i - 1).setZero();
            const Scalar shrink = power_of_two<Scalar>(before_.exponent(), scale);
            out.row(at + i) *= shrink;
            denominators_[i] = denominators_[i] * shrink + seen.sum();
        }
    }

    const FeatureMap& map_;
    const Inputs<Scalar>& in_;
    FeatureSums<Scalar> own_, before_;
    FeatureBlock<Scalar> queries_, keys_;
    Rows<Scalar> estimates_;
    Panels<Scalar> factor_;
    KeyWeights<Scalar> weights_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> own_weights_, denominators_;
};

/// Threads take parts, of which they must know what came before.
template <class Scalar>
Outcome causal_in_parts(const FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar>& state, Rows<Scalar>& out) {
    const Parts parts(in.keys.rows());
    const std::vector<FeatureSums<Scalar>> prefixes = prefix_sums(map, in, state);
    Index nonpositive = 0;
#pragma omp parallel reduction(+ : nonpositive) proc_bind(spread)
    {
        CausalPart<Scalar> own(map, in);
        Outcome outcome;
#pragma omp for schedule(static)
        for (Index part = 0; part < parts.count; ++part)
            own.attend(prefixes[static_cast<std::size_t>(part)], parts.first(part), parts.first(part + 1), out, outcome);
        nonpositive += outcome.nonpositive;
    }
    state = prefixes.back();
    return {nonpositive};
}

/// The same sums in the same order, each taken once, as they come.
template <class Scalar>
Outcome causal_in_order(const FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar>& state, Rows<Scalar>& out) {
    const Parts parts(in.keys.rows());
    CausalPart<Scalar> own(map, in);
    Outcome outcome;
    for (Index part = 0; part < parts.count; ++part)
        state.add(own.attend(state, parts.first(part), parts.first(part + 1), out, outcome));
    return outcome;
}

}  // namespace

template <class Scalar>
Outcome causal(const FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar>& state, Rows<Scalar>& out) {
    check(in, Visible::causal);
    check_map(map, in);
    if (state.features() != map.columns() || state.numerators().cols() != in.values.cols())
        throw std::invalid_argument("attention: the state has " + std::to_string(state.features()) + " features and " +
                                    std::to_string(state.numerators().cols()) + " value columns, the map has " +
                                    std::to_string(map.columns()) + " and the values have " +
                                    std::to_string(in.values.cols()));
    out.resize(in.queries.rows(), in.values.cols());
    return omp_get_max_threads() > 1 ? causal_in_parts(map, in, state, out) : causal_in_order(map, in, state, out);
}

template <class Scalar>
Outcome linear(const FeatureMap& map, const Inputs<Scalar>& in, Visible visible, Rows<Scalar>& out) {
    check(in, visible);
    check_map(map, in);
    if (visible == Visible::causal) {
        FeatureSums<Scalar> state(map.columns(), in.values.cols());
        return causal(map, in, state, out);
    }
    out.resize(in.queries.rows(), in.values.cols());
    return see_all(map, in, out);
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template Outcome linear(const FeatureMap&, const Inputs<Scalar>&, Visible, Rows<Scalar>&);                         \
    template Outcome causal(const FeatureMap&, const Inputs<Scalar>&, FeatureSums<Scalar>&, Rows<Scalar>&);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
