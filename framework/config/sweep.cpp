#include "rfbench/config/sweep.hpp"

#include <fmt/format.h>

#include "rfbench/config/error.hpp"

namespace rfbench::config {

std::size_t combinations(const std::vector<SweepAxis>& axes, std::size_t limit) {
    std::string factors;
    for (const SweepAxis& axis : axes) {
        if (axis.size == 0) throw Error(fmt::format("the sweep's axis {} has no values.", in_quotes(axis.name)));
        factors += fmt::format("{}{} {}", factors.empty() ? "" : " x ", axis.size, axis.name);
    }
    std::size_t total = 1;
    for (const SweepAxis& axis : axes) {
        // limit / size < total says total * size > limit without computing the product.
        if (total > limit / axis.size) {
            throw Error(fmt::format("the sweep has more than {} combinations: {}.", limit, factors));
        }
        total *= axis.size;
    }
    return total;
}

std::vector<std::vector<std::size_t>> product(const std::vector<SweepAxis>& axes, std::size_t limit) {
    const std::size_t total = combinations(axes, limit);
    std::vector<std::vector<std::size_t>> tuples;
    tuples.reserve(total);
    std::vector<std::size_t> tuple(axes.size(), 0);
    for (std::size_t i = 0; i < total; ++i) {
        tuples.push_back(tuple);
        // Count up as an odometer does.
        for (std::size_t axis = axes.size(); axis-- > 0 && ++tuple[axis] == axes[axis].size;) tuple[axis] = 0;
    }
    return tuples;
}

}  // namespace rfbench::config
