#include "rfbench/attention/linear.hpp"

#include <algorithm>

#include "rfbench/attention/causal_block.hpp"
#include "rfbench/attention/parts.hpp"
#include "rfbench/parallel/in_order.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using parallel::InOrder;
using parallel::Loop;
using parallel::Share;
using products::strided;

template <class Scalar>
Outcome see_all(const FeatureMap& map, const Inputs<Scalar>& in, Norm norm, Rows<Scalar>& out) {
    // All keys first, into R x e numerators and R denominators; then each query is one product with these.
    const FeatureSums<Scalar> sums = sum_all_keys(map, in);
    const products::Factor<Scalar> numerators(strided(sums.numerators()), map.arithmetic());
    const Index length = in.queries.rows(), tiles = (length + rows_at_once - 1) / rows_at_once;
    struct Own {
        FeatureBlock<Scalar> queries;
        Eigen::Matrix<Scalar, Eigen::Dynamic, 1> denominators;
    };
    const auto attend = [&](Own& own, Index at) {
        const Index first = at * rows_at_once;
        map.evaluate(Side::query, in.queries.middleRows(first, std::min(rows_at_once, length - first)), own.queries);
        numerators.multiply(strided(own.queries.values), &out(first, 0), out.cols());
        own.denominators.noalias() = own.queries.values * sums.denominators();
        return normalise(norm, own.denominators, out, first).nonpositive;
    };
    return {Loop(tiles, Share::evenly).run([] { return Own(); }, attend)};
}

/// Blocks in parallel: features and the block's own sums before its turn, the outputs after it; in turn only the state
/// of the past is handed on.
template <class Scalar>
Outcome see_past(const FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar>& state, Norm norm,
                 Rows<Scalar>& out) {
    const Index blocks = CausalBlock<Scalar>::count(in);
    InOrder turns;
    Loop loop(blocks, Share::in_order);
    const auto make = [&] { return CausalBlock<Scalar>(map, in); };
    return {loop.run(make, [&](CausalBlock<Scalar>& own, Index number) {
        own.evaluate(number);
        // In the order of the blocks, so that the state has the same bits whichever thread adds to it.
        turns.run(loop, number, [&] { own.follow(state); });
        own.attend(&out(own.first(), 0), out.cols());
        return normalise(norm, own.denominators(), out, own.first()).nonpositive;
    })};
}

}  // namespace

template <class Scalar>
Outcome causal(const FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar>& state, Rows<Scalar>& out,
               Norm norm) {
    check(in, Visible::causal, out);
    check_map(map, in);
    check_state(map, in, state);
    out.resize(in.queries.rows(), in.values.cols());
    return see_past(map, in, state, norm, out);
}

template <class Scalar>
Outcome linear(const FeatureMap& map, const Inputs<Scalar>& in, Visible visible, Rows<Scalar>& out, Norm norm) {
    check(in, visible, out);
    check_map(map, in);
    if (visible == Visible::causal) {
        FeatureSums<Scalar> state(map.columns(), in.values.cols());
        return causal(map, in, state, out, norm);
    }
    out.resize(in.queries.rows(), in.values.cols());
    return see_all(map, in, norm, out);
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template Outcome linear(const FeatureMap&, const Inputs<Scalar>&, Visible, Rows<Scalar>&, Norm);                   \
    template Outcome causal(const FeatureMap&, const Inputs<Scalar>&, FeatureSums<Scalar>&, Rows<Scalar>&, Norm);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
