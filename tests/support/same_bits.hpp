#pragma once
// Numbers that are the same to the bit: 0 and -0 are not, and NaN is where its bits are.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace rfbench::tests {

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
inline bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same_bits(x, y); });
}

/// Matrices of Eigen's, which need not be known here.
template <class A, class B>
requires requires(const A& a, const B& b) { a.rows() == b.rows(); }
bool same_bits(const A& a, const B& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
    for (decltype(a.rows()) i = 0; i < a.rows(); ++i)
        for (decltype(a.cols()) j = 0; j < a.cols(); ++j)
            if (!same_bits(a(i, j), b(i, j))) return false;
    return true;
}

}  // namespace rfbench::tests
