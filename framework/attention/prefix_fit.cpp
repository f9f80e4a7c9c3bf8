#include "rfbench/attention/prefix_fit.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "rfbench/attention/parts.hpp"
#include "rfbench/features/maps/exponential_map.hpp"

namespace rfbench::attention {
namespace {

/// Features fitted to the queries and keys of the first `seen` places that are not padding.
template <class Scalar>
SoftmaxMap fitted_to(const PrefixFit& fit, const Inputs<Scalar>& in, Index seen) {
    const Index d = in.queries.cols();
    // Nothing to fit to: positive features have no parameters.
    if (seen == 0) return {features::positive_map(features::draw_normals(d, fit.count, *fit.sampling, fit.stream)), d};
    Points queries(seen, d), keys(seen, d);
    Index kept = 0;
    for (Index j = 0; j < seen; ++j) {
        if (!in.keeps(j)) continue;
        queries.row(kept) = in.queries.row(j).template cast<double>();
        keys.row(kept++) = in.keys.row(j).template cast<double>();
    }
    if (kept == 0) return fitted_to(fit, in, 0);
    const auto statistics =
        softmax_statistics(queries.topRows(kept), keys.topRows(kept), fit.mechanism->poisson_moments);
    return softmax_map(*features::fit(*fit.mechanism, statistics, fit.settings), d, fit.count, *fit.sampling,
                       fit.stream);
}

}  // namespace

void check(const PrefixFit& fit) {
    const auto refuse = [](const std::string& what) {
        throw std::invalid_argument("attention: the prefix fit" + what + " is needed");
    };
    if (fit.mechanism == nullptr) refuse(" has no mechanism; one of the catalogue");
    if (fit.sampling == nullptr) refuse(" has no sampling; one of the catalogue");
    if (fit.count < 1) refuse("'s count is " + std::to_string(fit.count) + "; at least 1");
    if (fit.first < 1) refuse("'s first is " + std::to_string(fit.first) + "; at least 1");
}

template <class Scalar>
Outcome causal_prefix_fitted(const PrefixFit& fit, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    check(in, Visible::causal, out);
    check(fit);
    const Index length = in.queries.rows();
    out.resize(length, in.values.cols());
    Outcome outcome;
    Rows<Scalar> rows;
    for (Index seen = 0; seen < length; seen = std::max(fit.first, 2 * seen)) {
        // Tokens seen .. end - 1, with features fitted from all before them. A state of other features is of no use to
        // these: it is summed again.
        const Index end = std::min(length, std::max(fit.first, 2 * seen));
        const SoftmaxMap map = fitted_to(fit, in, seen);
        FeatureSums<Scalar> state(map.columns(), in.values.cols());
        if (seen > 0) state = sum_all_keys(map, part_of(in, 0, seen));
        outcome += causal(map, part_of(in, seen, end - seen), state, rows);
        out.middleRows(seen, end - seen) = rows;
    }
    return outcome;
}

template Outcome causal_prefix_fitted(const PrefixFit&, const Inputs<float>&, Rows<float>&);
template Outcome causal_prefix_fitted(const PrefixFit&, const Inputs<double>&, Rows<double>&);

}  // namespace rfbench::attention
