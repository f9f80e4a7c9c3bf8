#include "rfbench/features/maps/sin_cos.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace rfbench::features {
namespace {

template <class Scalar>
struct Angle;

/// pi / 2 = first + second + third to 100 bits; the first two have 33 bits: whole multiples up to 2^20 are exact.
template <>
struct Angle<double> {
    using Bits = std::uint64_t;
    static constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
    static constexpr double largest = 1e6, no_fraction = 0x1.8p52;
};

/// The same to 46 bits; the first two have 11 bits: whole multiples up to 2^13 are exact.
template <>
struct Angle<float> {
    using Bits = std::uint32_t;
    static constexpr float first = 0x1.92p+0f, second = 0x1.fb4p-12f, third = 0x1.4442d2p-24f;
    static constexpr float largest = 1e4f, no_fraction = 0x1.8p23f;
};

/// Taylor's series on [-pi/4, pi/4], z = r^2; the next terms are below 1e-18.
double sine_near_zero(double r, double z) {
    return r + r * z *
                   (-1. / 6 +
                    z * (1. / 120 +
                         z * (-1. / 5040 +
                              z * (1. / 362880 + z * (-1. / 39916800 +
                                                      z * (1. / 6227020800.0 + z * (-1. / 1307674368000.0 +
                                                                                    z * (1. / 355687428096000.0))))))));
}

double cosine_near_zero(double z) {
    return 1 - (0.5 * z -
                z * z *
                    (1. / 24 + z * (-1. / 720 +
                                    z * (1. / 40320 + z * (-1. / 3628800 + z * (1. / 479001600.0 +
                                                                                z * (-1. / 87178291200.0 +
                                                                                     z * (1. / 20922789888000.0))))))));
}

/// The next terms are below 2e-9.
float sine_near_zero(float r, float z) {
    return r + r * z * (-1.f / 6 + z * (1.f / 120 + z * (-1.f / 5040 + z * (1.f / 362880))));
}

float cosine_near_zero(float z) {
    return 1 - (0.5f * z - z * z * (1.f / 24 + z * (-1.f / 720 + z * (1.f / 40320 + z * (-1.f / 3628800)))));
}

template <class Scalar>
void both(const Scalar* angle, Index n, Scalar* sine, Scalar* cosine) {
    using Constants = Angle<Scalar>;
    using Array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;
    using Bits = typename Constants::Bits;
    constexpr int sign_from_second = 8 * sizeof(Bits) - 2;
    // Without a branch, so that it becomes vector instructions.
#pragma omp simd
    for (Index j = 0; j < n; ++j) {
        const Scalar shifted = angle[j] * static_cast<Scalar>(M_2_PI) + Constants::no_fraction;
        const Scalar quarters = shifted - Constants::no_fraction;
        const Scalar r =
            ((angle[j] - quarters * Constants::first) - quarters * Constants::second) - quarters * Constants::third;
        const Bits s = std::bit_cast<Bits>(sine_near_zero(r, r * r)), c = std::bit_cast<Bits>(cosine_near_zero(r * r));
        // The last bits of `shifted` are those of quarters. Modulo 4, 0 is s, c; 1: c, -s; 2: -s, -c; 3: -c, s.
        const Bits k = std::bit_cast<Bits>(shifted);
        const Bits odd = -(k & 1);
        sine[j] = std::bit_cast<Scalar>(((c & odd) | (s & ~odd)) ^ ((k & 2) << sign_from_second));
        cosine[j] = std::bit_cast<Scalar>(((s & odd) | (c & ~odd)) ^ (((k + 1) & 2) << sign_from_second));
    }
    // Multiples of pi / 2 are not exact beyond this; NaN is made again, too. Other angles keep their bits.
    if (n == 0 || Eigen::Map<const Array>(angle, n).abs().template maxCoeff<Eigen::PropagateNaN>() < Constants::largest)
        return;
    for (Index j = 0; j < n; ++j)
        if (!(std::abs(angle[j]) < Constants::largest)) {
            sine[j] = std::sin(angle[j]);
            cosine[j] = std::cos(angle[j]);
        }
}

}  // namespace

void sin_cos(const double* angle, Index n, double* sine, double* cosine) { both(angle, n, sine, cosine); }

void sin_cos(const float* angle, Index n, float* sine, float* cosine) { both(angle, n, sine, cosine); }

}  // namespace rfbench::features
