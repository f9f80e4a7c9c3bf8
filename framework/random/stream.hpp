#pragma once
// Counter-based random numbers, keyed by what they are for. A stream is a value: copying it copies its position, and
// two streams with different keys are independent whatever was drawn from either. So a result depends on its keys only,
// never on the order of the work or the number of threads.
#include <array>
#include <cstdint>
#include <string_view>

#include "rfbench/matrix.hpp"

namespace rfbench {

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"): four 32-bit words
/// from a 128-bit counter and a 64-bit key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class Stream {
public:
    explicit Stream(std::uint64_t seed);

    /// The stream for a purpose ("phase", "block", ...) or a number below this one. Depends on the keys on the way from
    /// the seed, not on how much was drawn.
    Stream child(std::string_view purpose) const;
    Stream child(std::uint64_t index) const;

    /// The next 64 random bits.
    std::uint64_t bits();
    /// Uniform on the open interval (0, 1), a multiple of 2^-53 plus 2^-54.
    double uniform();
    /// Uniform on {0, ..., n - 1}, without modulo bias. Requires n > 0.
    std::uint64_t below(std::uint64_t n);
    /// N(0, 1).
    double normal();
    /// The length of a N(0, I_d) vector. Requires d >= 1.
    double chi(Index d);

private:
    // ... (implementation: key, counter, buffered words)
    std::array<std::uint32_t, 2> key_;
    std::uint64_t stream_;
    std::uint64_t position_ = 0;
};

/// Fills a matrix with independent N(0, 1), column by column: faster than calling normal() for each entry.
void fill_normal(Stream stream, Eigen::Ref<Eigen::MatrixXd> out);

/// The smallest k with P(X <= k) >= u, for 0 < u < 1: inverse-transform sampling of the discrete laws.
/// poisson: mean > 0; geometric: P(X = k) = q (1 - q)^k, 0 < q < 1.
std::int64_t poisson_quantile(double mean, double u);
std::int64_t geometric_quantile(double q, double u);

}  // namespace rfbench
