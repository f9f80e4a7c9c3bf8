#pragma once
// Several lines at once: one in every lane of the widest register, so that a transform never moves an entry from one
// lane to another.
#include <complex>
#include <utility>

#include "rfbench/matrix.hpp"

namespace rfbench::transforms {

#if defined(__AVX512F__)
inline constexpr Index register_bytes = 64;
#elif defined(__AVX__)
inline constexpr Index register_bytes = 32;
#else
inline constexpr Index register_bytes = 16;
#endif

/// How many lines are transformed at once.
template <class Scalar>
inline constexpr Index lanes = register_bytes / static_cast<Index>(sizeof(Scalar));

template <class Scalar>
struct LaneRegister {
    typedef Scalar type __attribute__((vector_size(register_bytes)));
};
template <class Scalar>
using Lanes = typename LaneRegister<Scalar>::type;

/// One real entry of each line.
template <class Scalar>
struct RealLanes {
    Lanes<Scalar> values;
};

/// One complex entry of each line.
template <class Scalar>
struct ComplexLanes {
    Lanes<Scalar> real, imaginary;

    friend ComplexLanes operator+(const ComplexLanes& a, const ComplexLanes& b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
    friend ComplexLanes operator-(const ComplexLanes& a, const ComplexLanes& b) {
        return {a.real - b.real, a.imaginary - b.imaginary};
    }
    ComplexLanes operator-() const { return {-real, -imaginary}; }
    friend ComplexLanes operator*(Scalar a, const ComplexLanes& b) { return {a * b.real, a * b.imaginary}; }
    /// Every line's entry meets the same factor.
    friend ComplexLanes operator*(const std::complex<Scalar>& a, const ComplexLanes& b) {
        return {a.real() * b.real - a.imag() * b.imaginary, a.real() * b.imaginary + a.imag() * b.real};
    }
    ComplexLanes times_i() const { return {-imaginary, real}; }
    ComplexLanes swapped() const { return {imaginary, real}; }
};

/// The sum of all lines' entries, halves of a register added to each other until one entry is left.
template <class Scalar>
std::complex<Scalar> sum_of_lanes(const ComplexLanes<Scalar>& entry) {
    constexpr Index n = lanes<Scalar>;
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        // Real parts in the first half, imaginary ones in the second.
        Lanes<Scalar> both = __builtin_shufflevector(entry.real, entry.imaginary, (i < n / 2 ? i : i + n / 2)...) +
                             __builtin_shufflevector(entry.real, entry.imaginary, (i < n / 2 ? i + n / 2 : i + n)...);
        const auto fold = [&]<std::size_t distance>(std::integral_constant<std::size_t, distance>) {
            both = both + __builtin_shufflevector(both, both, (i ^ distance)...);
        };
        // Lane i meets lane i ^ distance, in its own half.
        if constexpr (n > 8) fold(std::integral_constant<std::size_t, 4>());
        if constexpr (n > 4) fold(std::integral_constant<std::size_t, 2>());
        if constexpr (n > 2) fold(std::integral_constant<std::size_t, 1>());
        return std::complex<Scalar>(both[0], both[n / 2]);
    }
    (std::make_index_sequence<n>());
}

}  // namespace rfbench::transforms
