#include "rfbench/attention/parts.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;

template <class Scalar>
void check_map(const FeatureMap& map, const Inputs<Scalar>& in) {
    if (map.columns() == 0)
        throw std::invalid_argument("attention: the feature map has no columns; M must be positive");
    // Maps say themselves, even for no rows, that their dimension is another.
    FeatureBlock<Scalar> none;
    map.evaluate(Side::query, in.queries.topRows(0), none);
    check_entries(map, in);
}

template <class Scalar>
void check_entries(const FeatureMap& map, const Inputs<Scalar>& in) {
    const double allowed = map.largest_entry().in<Scalar>();
    const auto check = [&](const char* which, const RowsView<Scalar>& rows) {
        const auto largest = static_cast<double>(max_magnitude(rows));
        if (largest > allowed)
            throw NotFinite(std::string("attention: ") + which + " have entries of nearly 2^" +
                            std::to_string(std::ilogb(largest) + 1) + "; features of entries above 2^" +
                            std::to_string(std::ilogb(allowed)) + " may not be finite");
    };
    check("queries", in.queries);
    check("keys", in.keys);
}

template <class Scalar>
void check_state(const FeatureMap& map, const Inputs<Scalar>& in, const FeatureSums<Scalar>& state) {
    if (state.features() != map.columns() || state.numerators().cols() != in.values.cols())
        throw std::invalid_argument("attention: the state has " + std::to_string(state.features()) + " features and " +
                                    std::to_string(state.numerators().cols()) + " value columns, the map has " +
                                    std::to_string(map.columns()) + " and the values have " +
                                    std::to_string(in.values.cols()));
}

template <class Scalar>
FeatureSums<Scalar> sum_all_keys(const FeatureMap& map, const Inputs<Scalar>& in) {
    const Parts parts(in.keys.rows());
    // A part is summed tile after tile by one thread; then the parts are added in their order. Neither order depends on
    // the number of threads, so the bits do not.
    std::vector<FeatureSums<Scalar>> sums(static_cast<std::size_t>(parts.count), FeatureSums<Scalar>(0, 0));
    parallel::Loop(parts.count, parallel::Share::evenly).run([&](Index part) {
        FeatureSums<Scalar> own(map.columns(), in.values.cols(), map.arithmetic());
        FeatureBlock<Scalar> keys;
        KeyWeights<Scalar> weights;
        const Index end = parts.first(part + 1);
        for (Index at = parts.first(part); at < end; at += rows_at_once) {
            map.evaluate(Side::key, in.keys.middleRows(at, std::min(rows_at_once, end - at)), keys);
            weights.assign(keys, in, at);
            own.add_keys(keys, weights, in, at);
        }
        sums[static_cast<std::size_t>(part)] = std::move(own);
    });
    FeatureSums<Scalar> all(map.columns(), in.values.cols());
    for (const auto& part : sums) all.add(part);
    return all;
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template void check_map(const FeatureMap&, const Inputs<Scalar>&);                                                 \
    template void check_entries(const FeatureMap&, const Inputs<Scalar>&);                                             \
    template void check_state(const FeatureMap&, const Inputs<Scalar>&, const FeatureSums<Scalar>&);                   \
    template FeatureSums<Scalar> sum_all_keys(const FeatureMap&, const Inputs<Scalar>&);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
