#include "rfbench/attention/linear.hpp"

#include <omp.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using products::Panels;
using products::strided;

/// Rows whose features are in memory at a time; in causal attention, whose work within a block grows with its length.
constexpr Index tile = 120, block = 60;

/// The keys in parts of equal length, whose sums are added up in their order whoever made them.
Index part_length(Index length) { return std::max<Index>(8 * tile, (length + 31) / 32); }

void check_map(const FeatureMap& map) {
    if (map.columns() == 0) throw std::invalid_argument("attention: the feature map has no columns; M must be positive");
}

template <class Scalar>
KeySums<Scalar> sum_keys(const FeatureMap& map, const Inputs<Scalar>& in, Index first, Index end, Index step) {
    KeySums<Scalar> sums(map.columns(), in.values.cols());
    FeatureBlock<Scalar> keys;
    for (Index at = first; at < end; at += step) {
        map.evaluate(Side::key, in.keys.middleRows(at, std::min(step, end - at)), keys);
        sums.add(keys, in, at);
    }
    return sums;
}

template <class Scalar>
KeySums<Scalar> sum_all_keys(const FeatureMap& map, const Inputs<Scalar>& in) {
    const Index length = in.keys.rows(), step = part_length(length), parts = (length + step - 1) / step;
    std::vector<KeySums<Scalar>> sums(static_cast<std::size_t>(parts), KeySums<Scalar>(0, 0));
#pragma omp parallel for schedule(static) proc_bind(spread)
    for (Index part = 0; part < parts; ++part)
        sums[static_cast<std::size_t>(part)] = sum_keys(map, in, part * step, std::min(length, (part + 1) * step), tile);
    KeySums<Scalar> all(map.columns(), in.values.cols());
    for (const auto& part : sums) all.add(part);
    return all;
}

template <class Scalar>
Outcome see_all(const FeatureMap& map, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    const KeySums<Scalar> sums = sum_all_keys(map, in);
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

/// Causal attention by blocks of running sums (Likhosherstov 2022, Appendix 5.B, with the corrected index of the block's own
/// queries): within a block by the masked matrix of estimates, before it through the sums.
template <class Scalar>
class CausalPart {
public:
    CausalPart(const FeatureMap& map, const Inputs<Scalar>& in)
        : map_(map), in_(in), own_(map.columns(), in.values.cols()), before_(own_) {}

    /// Attends rows first .. end - 1, which come after the keys in `prefix`; returns the sums of their own keys.
    const KeySums<Scalar>& attend(const KeySums<Scalar>& prefix, Index first, Index end, Rows<Scalar>& out,
                                  Outcome& outcome) {
        own_ = KeySums<Scalar>(map_.columns(), in_.values.cols());
        for (Index at = first; at < end; at += block) {
            before_.assign_sum(prefix, own_);
            outcome += attend_block(at, std::min(block, end - at), out);
            own_.add(keys_, in_, at);
        }
        return own_;
    }

private:
    Outcome attend_block(Index at, Index n, Rows<Scalar>& out) {
        map_.evaluate(Side::query, in_.queries.middleRows(at, n), queries_);
        map_.evaluate(Side::key, in_.keys.middleRows(at, n), keys_);
        before_.raise(highest_scale(keys_, in_, at));
        key_weights(keys_, in_, at, before_.log_scale(), weights_);

        estimates_.resize(n, n);
        factor_.pack(strided(keys_.values).transposed());
        factor_.multiply(strided(queries_.values), estimates_.data(), n);
        denominators_.noalias() = queries_.values * before_.denominators();
        for (Index i = 0; i < n; ++i) {
            auto seen = estimates_.row(i).head(i + 1).array();
            seen *= weights_.head(i + 1).transpose().array();
            denominators_[i] += seen.sum();
            estimates_.row(i).tail(n - i - 1).setZero();
        }
        factor_.pack(strided(before_.numerators()));
        factor_.multiply(strided(queries_.values), &out(at, 0), out.cols());
        factor_.pack(strided(RowsView<Scalar>(in_.values.middleRows(at, n))));
        factor_.multiply(strided(estimates_), &out(at, 0), out.cols(), &out(at, 0), out.cols());
        return divide(denominators_, out, at);
    }

    const FeatureMap& map_;
    const Inputs<Scalar>& in_;
    KeySums<Scalar> own_, before_;
    FeatureBlock<Scalar> queries_, keys_;
    Rows<Scalar> estimates_;
    Panels<Scalar> factor_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> weights_, denominators_;
};

/// Threads take parts: first the sums of their keys, then, with what came before each part known, the outputs.
template <class Scalar>
Outcome causal_in_parts(const FeatureMap& map, const Inputs<Scalar>& in, KeySums<Scalar>& state, Rows<Scalar>& out) {
    const Index length = in.queries.rows(), step = part_length(length), parts = (length + step - 1) / step;
    const auto end = [&](Index part) { return std::min(length, (part + 1) * step); };
    std::vector<KeySums<Scalar>> sums(static_cast<std::size_t>(parts), KeySums<Scalar>(0, 0));
#pragma omp parallel for schedule(static) proc_bind(spread)
    for (Index part = 0; part < parts; ++part)
        sums[static_cast<std::size_t>(part)] = sum_keys(map, in, part * step, end(part), block);
    std::vector<KeySums<Scalar>> prefixes;
    for (const auto& part : sums) {
        prefixes.push_back(state);
        state.add(part);
    }
    Index nonpositive = 0;
#pragma omp parallel reduction(+ : nonpositive) proc_bind(spread)
    {
        CausalPart<Scalar> own(map, in);
        Outcome outcome;
#pragma omp for schedule(static)
        for (Index part = 0; part < parts; ++part)
            own.attend(prefixes[static_cast<std::size_t>(part)], part * step, end(part), out, outcome);
        nonpositive += outcome.nonpositive;
    }
    return {nonpositive};
}

/// The same sums in the same order, each taken once, as they come.
template <class Scalar>
Outcome causal_in_order(const FeatureMap& map, const Inputs<Scalar>& in, KeySums<Scalar>& state, Rows<Scalar>& out) {
    const Index length = in.queries.rows(), step = part_length(length);
    CausalPart<Scalar> own(map, in);
    Outcome outcome;
    for (Index first = 0; first < length; first += step)
        state.add(own.attend(state, first, std::min(length, first + step), out, outcome));
    return outcome;
}

}  // namespace

template <class Scalar>
Outcome causal(const FeatureMap& map, const Inputs<Scalar>& in, KeySums<Scalar>& state, Rows<Scalar>& out) {
    check(in, Visible::causal);
    check_map(map);
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
    check_map(map);
    if (visible == Visible::causal) {
        KeySums<Scalar> state(map.columns(), in.values.cols());
        return causal(map, in, state, out);
    }
    out.resize(in.queries.rows(), in.values.cols());
    return see_all(map, in, out);
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template Outcome linear(const FeatureMap&, const Inputs<Scalar>&, Visible, Rows<Scalar>&);                         \
    template Outcome causal(const FeatureMap&, const Inputs<Scalar>&, KeySums<Scalar>&, Rows<Scalar>&);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
