#pragma once
// Lines to transform, the explicit sums, and how far a transform may be off.
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "rfbench/random/stream.hpp"
#include "rfbench/transforms/lanes.hpp"

namespace rfbench::transforms {

using Exact = std::complex<long double>;
template <class Scalar>
using Line = std::vector<ComplexLanes<Scalar>>;

/// Every lane has entries of its own, uniform in a square around 0.
template <class Scalar>
Line<Scalar> drawn_line(Index n, std::uint64_t seed) {
    Line<Scalar> line(static_cast<std::size_t>(n));
    Stream stream(seed);
    for (auto& entry : line)
        for (Index lane = 0; lane < lanes<Scalar>; ++lane) {
            entry.real[lane] = static_cast<Scalar>(stream.uniform() - 0.5);
            entry.imaginary[lane] = static_cast<Scalar>(stream.uniform() - 0.5);
        }
    return line;
}

template <class Scalar>
Exact entry_of(const Line<Scalar>& line, Index n, Index lane) {
    return {line[n].real[lane], line[n].imaginary[lane]};
}

template <class Scalar>
long double norm_of(const Line<Scalar>& line, Index lane) {
    long double squares = 0;
    for (std::size_t n = 0; n < line.size(); ++n) squares += std::norm(entry_of(line, static_cast<Index>(n), lane));
    return std::sqrt(squares);
}

/// e^(-2 pi i n / period), n = 0 .. period - 1.
inline std::vector<Exact> exact_roots(Index period) {
    std::vector<Exact> roots;
    for (Index n = 0; n < period; ++n)
        roots.push_back(std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(n) /
                                             static_cast<long double>(period)));
    return roots;
}

inline std::vector<Index> prime_factors(Index n) {
    std::vector<Index> primes;
    for (Index p = 2; n > 1; ++p)
        for (; n % p == 0; n /= p) primes.push_back(p);
    return primes;
}

/// How far F x may be off, over the 2-norm of F x, to first order in u = eps / 2 (Higham 2002, section 24.1). A prime
/// factor p stands for a step. Its p products are of factors rounded once, and p of them are added: p + 2 roundings of
/// |F_p| |x|, whose norm is sqrt(p) times that of F_p x at most. Then every entry meets a rounded factor: 2 sqrt 2 u
/// for the product and u for the factor. So the bound grows with log N where primes are small.
template <class Scalar>
double transform_error(Index n) {
    double roundings = 0;
    for (const Index prime : prime_factors(n)) {
        const double p = static_cast<double>(prime);
        roundings += (p + 2) * std::sqrt(p) + 4;
    }
    return roundings * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) / 2;
}

/// 1 .. 64, and all 2^a 3^b 5^c up to 8192.
inline std::vector<Index> lengths_in_use() {
    std::vector<Index> lengths;
    for (Index n = 1; n <= 8192; ++n) {
        const auto primes = prime_factors(n);
        if (n <= 64 || primes.back() <= 5) lengths.push_back(n);
    }
    return lengths;
}

}  // namespace rfbench::transforms
