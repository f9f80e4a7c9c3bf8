#include "rfbench/regression/split.hpp"

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace rfbench::regression {

Split split_rows(Index n, Stream stream) {
    if (n < 20)
        throw std::invalid_argument("split: " + std::to_string(n) +
                                    " rows are too few for training, validation and test; 20 are needed");
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[stream.below(i + 1)]);
    const auto training = order.begin() + n * 9 / 10;
    const auto validation = training + (order.end() - training) / 2;
    return {{order.begin(), training}, {training, validation}, {validation, order.end()}};
}

}  // namespace rfbench::regression
