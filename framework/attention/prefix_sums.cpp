#include "rfbench/attention/prefix_sums.hpp"

#include <algorithm>
#include <vector>

#include "rfbench/attention/backward_tile.hpp"
#include "rfbench/attention/parts.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using parallel::Loop;
using parallel::Share;

/// Features whose sums a thread forms at a time.
constexpr Index features_at_once = 8;

Index tiles_of(Index rows) { return (rows + rows_at_once - 1) / rows_at_once; }

template <class Scalar>
SumTerms<Scalar> empty_terms(const FeatureMap& map, const Inputs<Scalar>& in) {
    const Index length = in.keys.rows();
    return {Rows<Scalar>(length, map.columns()), Rows<Scalar>(length, in.values.cols()), Column<Scalar>(length),
            Eigen::VectorXi(length)};
}

/// Terms of keys and values.
template <class Scalar>
SumTerms<Scalar> terms_of_keys(const FeatureMap& map, const Inputs<Scalar>& in) {
    SumTerms<Scalar> all = empty_terms(map, in);
    struct Own {
        FeatureBlock<Scalar> keys;
        KeyWeights<Scalar> weights;
    };
    Loop(tiles_of(in.keys.rows()), Share::evenly)
        .run([] { return Own(); },
             [&](Own& own, Index tile) {
                 const Index first = tile * rows_at_once, n = std::min(rows_at_once, in.keys.rows() - first);
                 map.evaluate(Side::key, in.keys.middleRows(first, n), own.keys);
                 own.weights.assign(own.keys, in, first);
                 all.features.middleRows(first, n) = own.keys.values;
                 all.numerators.middleRows(first, n) =
                     own.weights.mantissas.asDiagonal() * in.values.middleRows(first, n);
                 all.denominators.segment(first, n) = own.weights.mantissas;
                 all.exponents.segment(first, n) = own.weights.exponents;
             });
    return all;
}

/// Rows n_i and D_i of queries whose features are these, from row `first`.
template <class Scalar>
void attend(const PrefixSums<Scalar>& sums, const FeatureBlock<Scalar>& queries, Index first,
            Eigen::Ref<Rows<Scalar>> out, Column<Scalar>& denominators) {
    denominators.resize(queries.values.rows());
    for (Index i = 0; i < queries.values.rows(); ++i) {
        out.row(i).noalias() = queries.values.row(i) * sums.numerators(first + i);
        denominators[i] = queries.values.row(i).dot(sums.denominators(first + i));
    }
}

/// A tile of rows, of queries and then of keys.
template <class Scalar>
class PrefixTile : BackwardTile<Scalar> {
public:
    using BackwardTile<Scalar>::BackwardTile;
    using BackwardTile<Scalar>::take_by_parameters;

    /// Writes what queries have, and what they send back.
    Counts queries(Index first, Index n, const PrefixSums<Scalar>& sums, Norm norm, SumTerms<Scalar>& sent_back) {
        this->map_.evaluate(Side::query, this->in_.queries.middleRows(first, n), features_);
        Rows<Scalar>& numerators = this->products_;
        numerators.resize(n, this->in_.values.cols());
        attend<Scalar>(sums, features_, first, numerators, denominators_);
        auto& quotient = this->quotient_;
        const Counts counts = quotient.assign(numerators, denominators_, this->gradient_.middleRows(first, n), norm);
        this->back_.resize(n, this->map_.columns());
        for (Index i = 0; i < n; ++i) {
            this->through(sums, first + i, i, quotient.numerators.row(i), quotient.denominators[i]);
            // Row i was made relative to 2^exponent, so what it sends back counts 2^-exponent.
            sent_back.exponents[first + i] = opposite<Scalar>(sums.exponent(first + i));
        }
        this->out_.queries.middleRows(first, n) = this->pulled_back(Side::query, this->in_.queries, features_, first);
        sent_back.features.middleRows(first, n) = features_.values;
        sent_back.numerators.middleRows(first, n) = quotient.numerators;
        sent_back.denominators.segment(first, n) = quotient.denominators;
        return counts;
    }

    /// Writes what keys and values have from the sums of what was sent back.
    void keys(Index first, Index n, const PrefixSums<Scalar>& sums) {
        this->map_.evaluate(Side::key, this->in_.keys.middleRows(first, n), features_);
        weights_.assign(features_, this->in_, first);
        this->back_.resize(n, this->map_.columns());
        for (Index j = 0; j < n; ++j) {
            // Powers of a key and of what rows after it sent back make at most one together.
            const Scalar factor =
                weights_.mantissas[j] * power_of_two<Scalar>(weights_.exponents[j], -sums.exponent(first + j));
            this->through(sums, first + j, j, factor * this->in_.values.row(first + j), factor);
            this->out_.values.row(first + j).noalias() =
                factor * (features_.values.row(j) * sums.numerators(first + j));
        }
        this->out_.keys.middleRows(first, n) = this->pulled_back(Side::key, this->in_.keys, features_, first);
    }

private:
    /// Row `row` of back_: g S' + c s', the gradient of features that meet the sums S, s of a token.
    void through(const PrefixSums<Scalar>& sums, Index token, Index row,
                 const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>& g, Scalar c) {
        this->back_.row(row).noalias() = g * sums.numerators(token).transpose();
        this->back_.row(row) += c * sums.denominators(token).transpose();
    }

    FeatureBlock<Scalar> features_;
    KeyWeights<Scalar> weights_;
    Column<Scalar> denominators_;
};

}  // namespace

template <class Scalar>
PrefixSums<Scalar>::PrefixSums(const SumTerms<Scalar>& terms, SumOrder order, FeatureSums<Scalar>& state) {
    const Index length = terms.features.rows(), features = terms.features.cols();
    if (length == 0) return;
    numerators_.resize(length, features * terms.numerators.cols());
    denominators_.resize(length, features);
    exponents_.resize(length);
    int highest = state.exponent();
    for (Index t = 0; t < length; ++t) {
        const Index i = order == SumOrder::forwards ? t : length - 1 - t;
        highest = std::max(highest, terms.exponents[i]);
        exponents_[i] = highest;
    }
    Loop((features + features_at_once - 1) / features_at_once, Share::evenly).run([&](Index part) {
        const Index first = part * features_at_once;
        sum(terms, order, state, first, std::min(features_at_once, features - first));
    });
    const Index last = order == SumOrder::forwards ? length - 1 : 0;
    state = FeatureSums<Scalar>(Rows<Scalar>(numerators(last)), denominators(last), exponent(last));
}

template <class Scalar>
void PrefixSums<Scalar>::sum(const SumTerms<Scalar>& terms, SumOrder order, const FeatureSums<Scalar>& before,
                             Index first, Index n) {
    const Index length = terms.features.rows(), columns = terms.numerators.cols();
    Index earlier = -1;
    for (Index t = 0; t < length; ++t) {
        const Index i = order == SumOrder::forwards ? t : length - 1 - t;
        const Scalar shrink = power_of_two<Scalar>(t == 0 ? before.exponent() : exponents_[earlier], exponents_[i]);
        const Scalar weight = power_of_two<Scalar>(terms.exponents[i], exponents_[i]);
        for (Index r = first; r < first + n; ++r) {
            const Scalar feature = weight * terms.features(i, r);
            auto own = numerators_.row(i).segment(r * columns, columns);
            if (t == 0)
                own = shrink * before.numerators().row(r);
            else
                own = shrink * numerators_.row(earlier).segment(r * columns, columns);
            own += feature * terms.numerators.row(i);
            const Scalar denominator = t == 0 ? before.denominators()[r] : denominators_(earlier, r);
            denominators_(i, r) = shrink * denominator + feature * terms.denominators[i];
        }
        earlier = i;
    }
}

template <class Scalar>
Outcome causal_by_prefix_sums(const FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar>& state,
                              PrefixSums<Scalar>& made, Rows<Scalar>& out, Norm norm) {
    check(in, Visible::causal, out);
    check_map(map, in);
    check_state(map, in, state);
    made = PrefixSums<Scalar>(terms_of_keys(map, in), SumOrder::forwards, state);
    const Index length = in.queries.rows();
    out.resize(length, in.values.cols());
    struct Own {
        FeatureBlock<Scalar> queries;
        Column<Scalar> denominators;
    };
    const auto tile = [&](Own& own, Index number) {
        const Index first = number * rows_at_once, n = std::min(rows_at_once, length - first);
        map.evaluate(Side::query, in.queries.middleRows(first, n), own.queries);
        attend<Scalar>(made, own.queries, first, out.middleRows(first, n), own.denominators);
        return normalise(norm, own.denominators, out, first).nonpositive;
    };
    return {Loop(tiles_of(length), Share::evenly).run([] { return Own(); }, tile)};
}

template <class Scalar>
Outcome backward_by_prefix_sums(const FeatureMap& map, const Inputs<Scalar>& in, const PrefixSums<Scalar>& made,
                                FeatureSums<Scalar>& later, const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                                Norm norm) {
    begin_gradients(map, in, Visible::causal, gradient, out);
    check_state(map, in, later);
    const Index length = in.queries.rows(), tiles = tiles_of(length);
    // Added up in the tiles' order, whoever made them.
    std::vector<Vector> by_parameters(static_cast<std::size_t>(2 * tiles));
    const auto pass = [&] { return PrefixTile<Scalar>(map, in, gradient, out); };
    SumTerms<Scalar> sent_back = empty_terms(map, in);
    const Counts counts = Loop(tiles, Share::evenly).run(pass, [&](PrefixTile<Scalar>& own, Index number) {
        const Index first = number * rows_at_once, n = std::min(rows_at_once, length - first);
        const Counts of_tile = own.queries(first, n, made, norm, sent_back);
        by_parameters[static_cast<std::size_t>(number)] = own.take_by_parameters();
        return of_tile;
    });
    const PrefixSums<Scalar> back(sent_back, SumOrder::backwards, later);
    Loop(tiles, Share::evenly).run(pass, [&](PrefixTile<Scalar>& own, Index number) {
        const Index first = number * rows_at_once;
        own.keys(first, std::min(rows_at_once, length - first), back);
        by_parameters[static_cast<std::size_t>(tiles + number)] = own.take_by_parameters();
    });
    for (const Vector& part : by_parameters) out.parameters += part;
    out.left_out = counts.left_out;
    return {counts.nonpositive};
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template class PrefixSums<Scalar>;                                                                                 \
    template Outcome causal_by_prefix_sums(const FeatureMap&, const Inputs<Scalar>&, FeatureSums<Scalar>&,             \
                                           PrefixSums<Scalar>&, Rows<Scalar>&, Norm);                                  \
    template Outcome backward_by_prefix_sums(const FeatureMap&, const Inputs<Scalar>&, const PrefixSums<Scalar>&,      \
                                             FeatureSums<Scalar>&, const RowsView<Scalar>&, Gradients<Scalar>&, Norm);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
