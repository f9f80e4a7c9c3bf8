#include "rfbench/networks/recall.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

namespace rfbench::networks {
namespace {

Sequence<double> example(const Recall& recall, Stream stream) {
    const Pairs pairs = drawn_pairs(recall.pairs, recall.keys, recall.values, stream);
    Points tokens = Points::Zero(recall.tokens(), recall.inputs());
    for (Index t = 0; t < recall.pairs; ++t) {
        const auto at = static_cast<std::size_t>(t);
        tokens(t, pairs.keys[at]) = tokens(t, recall.keys + pairs.values[at]) = 1;
    }
    const auto asked = static_cast<std::size_t>(stream.below(static_cast<std::uint64_t>(recall.pairs)));
    tokens(recall.pairs, pairs.keys[asked]) = tokens(recall.pairs, recall.inputs() - 1) = 1;
    return {.rows = std::move(tokens), .targets = {{0, pairs.values[asked]}}};
}

}  // namespace

Pairs drawn_pairs(Index pairs, Index keys, int values, Stream& stream) {
    Pairs drawn{std::vector<Index>(static_cast<std::size_t>(keys)), {}};
    std::iota(drawn.keys.begin(), drawn.keys.end(), Index{0});
    for (std::size_t t = 0; t < static_cast<std::size_t>(pairs); ++t) {
        // Fisher and Yates, as far as there are pairs.
        std::swap(drawn.keys[t], drawn.keys[t + stream.below(drawn.keys.size() - t)]);
        drawn.values.push_back(static_cast<int>(stream.below(static_cast<std::uint64_t>(values))));
    }
    return drawn;
}

std::vector<Sequence<double>> recall_examples(const Recall& recall, Index count, const Stream& stream) {
    if (recall.pairs < 1 || recall.keys < recall.pairs || recall.values < 2)
        throw std::invalid_argument("recall: " + std::to_string(recall.pairs) + " pairs, " +
                                    std::to_string(recall.keys) + " keys and " + std::to_string(recall.values) +
                                    " values; there must be a pair, a key for each and two values");
    std::vector<Sequence<double>> all;
    for (Index i = 0; i < count; ++i) all.push_back(example(recall, stream.child(static_cast<std::uint64_t>(i))));
    return all;
}

}  // namespace rfbench::networks
