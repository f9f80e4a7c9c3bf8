#include "rfbench/attention/symbol_weights.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace rfbench::attention {

SymbolWeights::SymbolWeights(Index count, Index length) : count_(count), length_(length) {
    if (count < 1 || length < 1) throw std::invalid_argument("symbol weights: there must be symbols and tokens");
    sums_ = Points::Zero(count, count);
    total_ = Points::Zero(length, length);
}

template <class Weight>
void SymbolWeights::sum(const std::vector<int>& symbols, Points& into, const Weight& weight) const {
    for (Index i = 0; i < length_; ++i) {
        const int a = symbols[static_cast<std::size_t>(i)];
        if (a < 0) continue;
        for (Index j = 0; j < length_; ++j) {
            const int b = symbols[static_cast<std::size_t>(j)];
            if (b >= 0 && i != j) into(a, b) += weight(i, j);
        }
    }
}

void SymbolWeights::add(const std::vector<int>& symbols, const Points& weights) {
    if (static_cast<Index>(symbols.size()) != length_ || weights.rows() != length_ || weights.cols() != length_)
        throw std::invalid_argument("symbol weights: a sequence or its weights have another length");
    for (const int symbol : symbols)
        if (symbol >= count_) throw std::invalid_argument("symbol weights: there is no such symbol");
    sum(symbols, sums_, [&](Index i, Index j) { return weights(i, j); });
    total_ += weights;
    sequences_.push_back(symbols);
}

Points SymbolWeights::by_place() const {
    Points result = Points::Zero(count_, count_);
    const auto number = static_cast<double>(sequences_.size());
    for (const std::vector<int>& symbols : sequences_)
        sum(symbols, result, [&](Index i, Index j) { return total_(i, j) / number; });
    return result;
}

double alike_ratio(const Points& sums, const Points& by_place, const std::vector<int>& kinds) {
    const auto count = static_cast<Index>(kinds.size());
    if (sums.rows() != count || sums.cols() != count || by_place.rows() != count || by_place.cols() != count)
        throw std::invalid_argument("alike ratio: sums and kinds are of different numbers of symbols");
    // Pairs of one kind, then pairs of two.
    double weight[2] = {0, 0}, placed[2] = {0, 0};
    for (Index a = 0; a < count; ++a)
        for (Index b = 0; b < count; ++b) {
            if (a == b) continue;
            const bool differ = kinds[static_cast<std::size_t>(a)] != kinds[static_cast<std::size_t>(b)];
            weight[differ] += sums(a, b);
            placed[differ] += by_place(a, b);
        }
    if (!(placed[0] > 0 && placed[1] > 0 && weight[1] > 0)) return std::numeric_limits<double>::quiet_NaN();
    return (weight[0] / placed[0]) / (weight[1] / placed[1]);
}

}  // namespace rfbench::attention
