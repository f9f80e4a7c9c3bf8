#include "rfbench/theory/log_factorial.hpp"

#include <array>

#include "rfbench/theory/special.hpp"

namespace rfbench::theory {

namespace {

using Table = std::array<double, 1024>;

/// log Gamma(shift), log Gamma(1 + shift), ...
Table log_gammas(double shift) {
    Table result;
    for (std::size_t n = 0; n < result.size(); ++n) result[n] = log_gamma(static_cast<double>(n) + shift);
    return result;
}

double look_up(const Table& table, double k, double shift) {
    return k < static_cast<double>(table.size()) ? table[static_cast<std::size_t>(k)] : log_gamma(k + shift);
}

}  // namespace

double log_factorial(double k) {
    static const Table table = log_gammas(1);
    return look_up(table, k, 1);
}

double log_half_gamma(double k) {
    static const Table table = log_gammas(0.5);
    return look_up(table, k, 0.5);
}

}  // namespace rfbench::theory
