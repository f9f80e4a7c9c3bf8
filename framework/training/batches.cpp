#include "rfbench/training/batches.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rfbench::training {

Batches::Batches(Index count, const Stream& stream) : stream_(stream) {
    if (count < 1) throw std::invalid_argument("mini-batches: there is nothing to train on");
    order_.resize(static_cast<std::size_t>(count));
    std::iota(order_.begin(), order_.end(), Index{0});
    next_ = order_.size();
}

std::vector<Index> Batches::next(Index size) {
    std::vector<Index> batch;
    const auto wanted = std::min(static_cast<std::size_t>(std::max<Index>(size, 0)), order_.size());
    // If a round ends within a batch, the next one begins there: a number may then be in the batch twice.
    while (batch.size() < wanted) {
        if (next_ == order_.size()) shuffle();
        batch.push_back(order_[next_++]);
    }
    return batch;
}

void Batches::shuffle() {
    // From the order of the round before, by a stream of the round's own.
    Stream own = stream_.child(round_++);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[own.below(i)]);
    next_ = 0;
}

}  // namespace rfbench::training
