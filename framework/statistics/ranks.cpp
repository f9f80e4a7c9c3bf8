#include "rfbench/statistics/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::statistics {
namespace {

int sign(double x) { return (x > 0) - (x < 0); }

}  // namespace

std::vector<double> descending_ranks(const std::vector<double>& values) {
    std::vector<double> ranks;
    for (const double value : values) {
        // Equal values share the mean of the ranks that they take together.
        const auto larger = std::count_if(values.begin(), values.end(), [&](double other) { return other > value; });
        const auto equal = std::count(values.begin(), values.end(), value);
        ranks.push_back(static_cast<double>(larger) + 0.5 * static_cast<double>(equal + 1));
    }
    return ranks;
}

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size() || a.size() < 2)
        throw std::invalid_argument("kendall_tau: " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                                    " values; it takes equally many, two at least");
    double agreement = 0, pairs_of_a = 0, pairs_of_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            // A tie has the sign 0: it agrees with nothing, and its own side does not count it (Kendall's tau-b).
            const int in_a = sign(a[i] - a[j]), in_b = sign(b[i] - b[j]);
            agreement += in_a * in_b;
            pairs_of_a += in_a * in_a;
            pairs_of_b += in_b * in_b;
        }
    return agreement / std::sqrt(pairs_of_a * pairs_of_b);
}

}  // namespace rfbench::statistics
