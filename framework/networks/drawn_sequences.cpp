#include "rfbench/networks/drawn_sequences.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

#include "rfbench/networks/recall.hpp"

namespace rfbench::networks {
namespace {

/// `count` of 0 .. all - 1 without replacement, each time with probabilities in proportion to 1 / (n + 1).
std::vector<Index> mostly_small(Index count, Index all, Stream stream) {
    std::vector<double> weights;
    for (Index n = 0; n < all; ++n) weights.push_back(1 / static_cast<double>(n + 1));
    std::vector<Index> chosen;
    for (Index i = 0; i < count; ++i) {
        // The quantile of the weights that are left: what was chosen weighs nothing from then on.
        double left = stream.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
        Index at = -1;
        for (Index n = 0; n < all && (at < 0 || left >= 0); ++n) {
            const double weight = weights[static_cast<std::size_t>(n)];
            if (weight == 0) continue;
            at = n;  // rounding may leave a little of the sum: then it is the last
            left -= weight;
        }
        weights[static_cast<std::size_t>(at)] = 0;
        chosen.push_back(at);
    }
    return chosen;
}

}  // namespace

void check(const PairRecall& recall) {
    const Index others = recall.filling == Filling::other_keys ? 1 : 0;
    if (recall.pairs < 1 || recall.keys() < recall.pairs + others)
        throw std::invalid_argument("recall: " + std::to_string(recall.pairs) + " pairs of a vocabulary of " +
                                    std::to_string(recall.vocabulary) + ", which has " + std::to_string(recall.keys()) +
                                    " keys; there must be a pair, a key for each" +
                                    (others ? " and one to fill with" : ""));
    if (recall.length < 4 * recall.pairs)
        throw std::invalid_argument("recall: a sequence of " + std::to_string(recall.length) + " tokens; " +
                                    std::to_string(recall.pairs) + " pairs and as many questions need " +
                                    std::to_string(4 * recall.pairs));
}

Sequence<float> drawn_sequence(const PairRecall& recall, const Stream& stream) {
    check(recall);
    // Streams of their own: sequences that differ in their filling have the same pairs and questions.
    Stream own = stream.child("pairs");
    const Pairs pairs = drawn_pairs(recall.pairs, recall.keys(), static_cast<int>(recall.values()), own);
    Stream filling = stream.child("filling");
    Sequence<float> one;
    for (Index i = 0; i < recall.length; ++i) {
        // Keys after the first `pairs` have no value in this sequence; blanks need none of them.
        const auto other = [&] { return pairs.keys[recall.pairs + filling.below(pairs.keys.size() - recall.pairs)]; };
        one.tokens.push_back(recall.filling == Filling::blank ? 0 : 1 + static_cast<int>(other()));
    }
    // Behind the pairs every other token may be a question, whose answer stands nowhere but in its pair.
    const Index slots = recall.length / 2 - recall.pairs;
    const std::vector<Index> gaps = mostly_small(recall.pairs, slots, stream.child("gaps"));
    for (Index i = 0; i < recall.pairs; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const int key = 1 + static_cast<int>(pairs.keys[at]);
        const int value = static_cast<int>(recall.vocabulary / 2) + pairs.values[at];
        one.tokens[2 * at] = key;
        one.tokens[2 * at + 1] = value;
        const Index asked = 2 * (recall.pairs + gaps[at]);
        one.tokens[static_cast<std::size_t>(asked)] = key;
        one.targets.push_back({asked, value});
    }
    return one;
}

void check(const Copying& copying) {
    if (copying.length < 4 || copying.length % 2 != 0)
        throw std::invalid_argument("copying: a sequence of " + std::to_string(copying.length) +
                                    " tokens; 0 v 0 v has an even number, 4 at least");
    if (copying.vocabulary < 3)
        throw std::invalid_argument("copying: a vocabulary of " + std::to_string(copying.vocabulary) +
                                    "; 0 and two tokens to copy are needed at least");
}

Sequence<float> drawn_sequence(const Copying& copying, const Stream& stream) {
    check(copying);
    const Index half = copying.length / 2;
    Stream own = stream;
    Sequence<float> one;
    one.tokens.push_back(0);
    for (Index i = 1; i < half; ++i)
        one.tokens.push_back(1 + static_cast<int>(own.below(static_cast<std::uint64_t>(copying.vocabulary - 1))));
    for (Index i = 0; i < half; ++i) {
        one.tokens.push_back(one.tokens[static_cast<std::size_t>(i)]);
        if (i + 1 < half) one.targets.push_back({half + i, one.tokens[static_cast<std::size_t>(i + 1)]});
    }
    return one;
}

}  // namespace rfbench::networks
