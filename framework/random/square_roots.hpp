#pragma once
// Square roots of an array, correctly rounded. std::sqrt may set errno, which keeps loops over it from vectorising, and
// Eigen's packed version is an approximation on AVX-512.
#include <cmath>

#if defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rfbench {

/// In place; count must be a multiple of 4, values 64-byte aligned and non-negative.
inline void square_roots(double* values, int count) {
#if defined(__AVX__)
    for (int i = 0; i < count; i += 4) _mm256_store_pd(values + i, _mm256_sqrt_pd(_mm256_load_pd(values + i)));
#elif defined(__SSE2__)
    for (int i = 0; i < count; i += 2) _mm_store_pd(values + i, _mm_sqrt_pd(_mm_load_pd(values + i)));
#else
    for (int i = 0; i < count; ++i) values[i] = std::sqrt(values[i]);
#endif
}

}  // namespace rfbench
