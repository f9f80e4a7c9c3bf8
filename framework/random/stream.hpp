#pragma once
// Counter-based random numbers, keyed by what they are for. A stream is a value: copying it copies its position, and
// two streams with different keys are independent whatever was drawn from either. So a result depends on its keys only,
// never on the order of the work or the number of threads. Only + - * / sqrt and integer operations stand between the
// key and the number, so the bits do not depend on the processor or the mathematical library either.
#include <array>
#include <cstdint>
#include <string_view>

#include "rfbench/matrix.hpp"

namespace rfbench {

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"): four 32-bit words
/// from a 128-bit counter and a 64-bit key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// The random numbers of one purpose. Not to be shared by threads: each takes a child or a copy.
class Stream {
public:
    /// The root of all that is drawn with this seed.
    explicit Stream(std::uint64_t seed);

    /// The stream for a purpose ("phase", "block", ...) or a number below this one. Depends on the keys on the way from
    /// the seed, not on how much was drawn.
    Stream child(std::string_view purpose) const;
    /// The same, by a number.
    Stream child(std::uint64_t index) const;

    /// The next 64 random bits.
    std::uint64_t bits();
    /// Uniform on the open interval (0, 1): an odd multiple of 2^-53, so that 1 - u is exact and has the same law.
    double uniform();
    /// Uniform on {0, ..., n - 1}, without modulo bias. Throws std::invalid_argument unless n > 0.
    std::uint64_t below(std::uint64_t n);
    /// N(0, 1), by Box and Muller (1958); takes 128 bits.
    double normal();
    /// The length of a N(0, I_d) vector. Throws std::invalid_argument unless d >= 1.
    double chi(Index d);

private:
    friend class Words;  // words.hpp: the same bits, many at a time

    Stream(std::array<std::uint32_t, 2> key, std::uint64_t stream) : key_(key), stream_(stream) {}

    std::array<std::uint32_t, 2> key_;
    std::uint64_t stream_;                     // the upper half of the counter: with key_, the identity of the stream
    std::uint64_t position_ = 0;               // in 64-bit words; two words a Philox block
    std::array<std::uint64_t, 2> block_ = {};  // the words of the current block, once its first has been taken
};

/// Fills a matrix with independent N(0, 1), column by column: faster than calling normal() for each entry. Entry
/// i + j d (d rows) depends on the stream and on that number only. The stream is read from its beginning, wherever it
/// stands: to go on with bits() or normal() on the same stream would repeat numbers, so take a child for each use.
void fill_normal(Stream stream, Eigen::Ref<Eigen::MatrixXd> out);

/// The same with independent uniforms on (0, 1).
void fill_uniform(Stream stream, Eigen::Ref<Eigen::MatrixXd> out);

/// Independent chi(d) lengths; entry k depends on the stream and on k only. Throws std::invalid_argument unless d >= 1.
void fill_chi(Stream stream, Index d, Eigen::Ref<Vector> out);

/// The smallest k with P(X <= k) >= u, for 0 < u < 1: inverse-transform sampling of the discrete laws.
/// poisson: mean > 0, at most 1e10; geometric: P(X = k) = q (1 - q)^k, 0 < q < 1. Quantiles beyond 2^62 are returned as
/// 2^62.
/// Both throw std::invalid_argument outside these ranges. For a matrix of uniforms with one mean, PoissonQuantile
/// (quantiles.hpp) is faster.
std::int64_t poisson_quantile(double mean, double u);
/// See poisson_quantile().
std::int64_t geometric_quantile(double q, double u);

}  // namespace rfbench
