#include "rfbench/theory/log_factorial.hpp"

#include <array>

#include "rfbench/theory/special.hpp"

namespace rfbench::theory {

double log_factorial(double k) {
    static const auto table = [] {
        std::array<double, 1024> result;
        for (std::size_t n = 0; n < result.size(); ++n) result[n] = log_gamma(static_cast<double>(n) + 1);
        return result;
    }();
    return k < static_cast<double>(table.size()) ? table[static_cast<std::size_t>(k)] : log_gamma(k + 1);
}

}  // namespace rfbench::theory
