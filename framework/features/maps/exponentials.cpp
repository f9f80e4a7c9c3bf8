// exp(x) = 2^n exp(r), n the whole number nearest x / log 2, |r| <= log(2) / 2. Rows' largest entries and sums are made
// here too, since Eigen's take as long as the exponentials.
#include "rfbench/features/maps/exponentials.hpp"

#if defined(__FMA__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "rfbench/transforms/lanes.hpp"

namespace rfbench::features {
namespace {

constexpr Index size = transforms::lanes<float>;
using Lane = transforms::Lanes<float>;
typedef std::int32_t WholeLane __attribute__((vector_size(transforms::register_bytes)));

/// a b + c, rounded once where the processor can. It is not left to the compiler, whose choice might be another for the
/// last entries of a row.
Lane multiply_add(Lane a, Lane b, Lane c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

Lane all(float x) { return Lane{} + x; }

/// The greater, and the less, of both; b where either is NaN.
Lane greater(Lane a, Lane b) {
#if defined(__AVX512F__)
    return _mm512_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}
Lane less(Lane a, Lane b) {
#if defined(__AVX512F__)
    return _mm512_min_ps(a, b);
#else
    return a < b ? a : b;
#endif
}

/// The whole number nearest x, for |x| below 2^22.
Lane nearest(Lane x) {
#if defined(__AVX512F__)
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT);
#else
    constexpr float no_fraction = 0x1.8p23f;
    return (x + no_fraction) - no_fraction;
#endif
}

/// a 2^n for whole n from -152 to 129, rounded once: to subnormal numbers, zero and infinity, too.
Lane scaled(Lane a, Lane n) {
#if defined(__AVX512F__)
    return _mm512_scalef_ps(a, n);
#else
    // By two factors, both of them normal numbers.
    const WholeLane power = __builtin_convertvector(n, WholeLane), half = power >> 1;
    const WholeLane exponents[2] = {(half + 127) << 23, (power - half + 127) << 23};
    Lane factors[2];
    std::memcpy(factors, exponents, sizeof factors);
    return a * factors[0] * factors[1];
#endif
}

Lane exponential(Lane x) {
    // Beyond these bounds the result is zero, or infinite.
    x = less(all(89), greater(all(-105), x));
    const Lane n = nearest(x * 0x1.715476p+0f);
    // log 2 = 0x1.63p-1 and a rest: whole multiples of the first part are exact, and so is what they leave of x.
    Lane r = multiply_add(n, all(-0x1.63p-1f), x);
    r = multiply_add(n, all(0x1.bd0106p-13f), r);
    // exp(r) = 1 + r + r^2 q(r), whose largest relative error is the least for a q of degree 4: 3.8e-9 in these digits.
    const Lane square = r * r;
    const Lane low = multiply_add(all(0x1.555492p-3f), r, all(0x1.fffffcp-2f));
    const Lane high =
        multiply_add(all(0x1.6a2466p-10f), square, multiply_add(all(0x1.1239e2p-7f), r, all(0x1.5558f2p-5f)));
    const Lane q = multiply_add(high, square, low);
    return scaled(multiply_add(square, q, r) + 1, n);
}

Lane load(const float* from) {
    Lane entries;
    std::memcpy(&entries, from, sizeof entries);
    return entries;
}

void store(Lane entries, float* to) { std::memcpy(to, &entries, sizeof entries); }

/// The same of fewer entries than a register has; the others are -infinity, and their exponentials zero.
Lane load(const float* from, Index count) {
    const Lane padding = all(-std::numeric_limits<float>::infinity());
#if defined(__AVX512F__)
    return _mm512_mask_loadu_ps(padding, static_cast<__mmask16>((1u << count) - 1), from);
#else
    Lane entries = padding;
    std::memcpy(&entries, from, static_cast<std::size_t>(count) * sizeof(float));
    return entries;
#endif
}

void store(Lane entries, float* to, Index count) {
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), entries);
#else
    std::memcpy(to, &entries, static_cast<std::size_t>(count) * sizeof(float));
#endif
}

/// Whether whole registers from this address on may be streamed.
bool aligned(const float* to) { return reinterpret_cast<std::uintptr_t>(to) % sizeof(Lane) == 0; }

void stream(Lane entries, float* to) {
#if defined(__AVX512F__)
    _mm512_stream_ps(to, entries);
#elif defined(__FMA__)
    _mm256_stream_ps(to, entries);
#else
    store(entries, to);
#endif
}

/// The sum, or the largest, of all entries: each step combines those that are so far apart.
template <std::size_t distance = static_cast<std::size_t>(size) / 2, class Combine>
float folded(Lane entries, Combine combine) {
    entries = [&]<std::size_t... i>(std::index_sequence<i...>) {
        return combine(entries, __builtin_shufflevector(entries, entries, (i ^ distance)...));
    }
    (std::make_index_sequence<size>());
    if constexpr (distance == 1)
        return entries[0];
    else
        return folded<distance / 2>(entries, combine);
}

}  // namespace

void exponentials(const float* x, Index n, float shift, float* out, Store how) {
    Index j = 0;
    if (how == Store::streamed && aligned(out))
        for (; j + size <= n; j += size) stream(exponential(load(x + j) - shift), out + j);
    for (; j + size <= n; j += size) store(exponential(load(x + j) - shift), out + j);
    if (j < n) store(exponential(load(x + j, n - j) - shift), out + j, n - j);
}

float sum_exponentials(const float* x, Index n, float shift, float* out) {
    Lane sums{};
    Index j = 0;
    for (; j + size <= n; j += size) {
        const Lane entries = exponential(load(x + j) - shift);
        store(entries, out + j);
        sums += entries;
    }
    if (j < n) {
        const Lane entries = exponential(load(x + j, n - j) - shift);
        store(entries, out + j, n - j);
        sums += entries;
    }
    return folded(sums, [](Lane a, Lane b) { return a + b; });
}

float largest(const float* x, Index n) {
    // Several at once: each waits for its last result.
    constexpr Index chains = 4;
    const Lane nothing = all(-std::numeric_limits<float>::infinity());
    Lane high[chains] = {nothing, nothing, nothing, nothing};
    Index j = 0;
    for (; j + chains * size <= n; j += chains * size)
        for (Index c = 0; c < chains; ++c) high[c] = greater(high[c], load(x + j + c * size));
    for (; j + size <= n; j += size) high[0] = greater(high[0], load(x + j));
    if (j < n) high[1] = greater(high[1], load(x + j, n - j));
    return folded(greater(greater(high[0], high[1]), greater(high[2], high[3])), greater);
}

void finish_streams() {
#if defined(__FMA__)
    _mm_sfence();
#endif
}

}  // namespace rfbench::features
