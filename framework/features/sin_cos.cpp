#include "rfbench/features/sin_cos.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::features {
namespace {

// pi / 2 = first + second + third to 100 bits; the first two have 33 bits: whole multiples up to 2^20 are exact.
constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
constexpr double largest = 1e6;

/// The nearest whole number, |x| < 2^51: the sum has no bits left behind the point.
double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/// floor(k / 2) of a whole number.
double halved(double k) { return nearest(0.5 * k - 0.25); }

/// Taylor's series on [-pi/4, pi/4], z = r^2; the next terms are below 1e-18.
double sine_near_zero(double r, double z) {
    return r + r * z *
                   (-1. / 6 + z * (1. / 120 + z * (-1. / 5040 + z * (1. / 362880 + z * (-1. / 39916800 +
                    z * (1. / 6227020800.0 + z * (-1. / 1307674368000.0 + z * (1. / 355687428096000.0))))))));
}

double cosine_near_zero(double z) {
    return 1 - (0.5 * z - z * z * (1. / 24 + z * (-1. / 720 + z * (1. / 40320 + z * (-1. / 3628800 +
                           z * (1. / 479001600.0 + z * (-1. / 87178291200.0 + z * (1. / 20922789888000.0))))))));
}

}  // namespace

void sin_cos(const double* angle, Index n, double* sine, double* cosine) {
    if (n > 0 && !(Eigen::Map<const Eigen::ArrayXd>(angle, n).abs().maxCoeff() < largest)) {
        for (Index j = 0; j < n; ++j) {
            sine[j] = std::sin(angle[j]);
            cosine[j] = std::cos(angle[j]);
        }
        return;
    }
    // Without a branch, so that it becomes vector instructions; multiplications by 0, 1 and -1 are exact.
#pragma omp simd
    for (Index j = 0; j < n; ++j) {
        const double quarters = nearest(angle[j] * M_2_PI);
        const double r = ((angle[j] - quarters * first) - quarters * second) - quarters * third;
        const double s = sine_near_zero(r, r * r), c = cosine_near_zero(r * r);
        // quarters mod 4 is 0: s, c; 1: c, -s; 2: -s, -c; 3: -c, s
        const double half = halved(quarters), next_half = halved(quarters + 1);
        const double odd = quarters - 2 * half;
        const double sine_sign = 1 - 2 * (half - 2 * halved(half));
        const double cosine_sign = 1 - 2 * (next_half - 2 * halved(next_half));
        sine[j] = sine_sign * ((1 - odd) * s + odd * c);
        cosine[j] = cosine_sign * ((1 - odd) * c + odd * s);
    }
}

void sin_cos(const float* angle, Index n, float* sine, float* cosine) {
    // Through blocks of whole vectors: on rows that begin anywhere Eigen would take the ends one by one from the
    // mathematical library.
    using Block = Eigen::Array<float, 16, 1>;
    constexpr Index size = Block::SizeAtCompileTime;
    const Index whole = n / size * size;
    for (Index j = 0; j < whole; j += size) {
        const Block angles = Eigen::Map<const Block>(angle + j);
        Eigen::Map<Block>(sine + j) = angles.sin();
        Eigen::Map<Block>(cosine + j) = angles.cos();
    }
    if (whole == n) return;
    Block angles = Block::Zero();
    std::copy(angle + whole, angle + n, angles.data());
    const Block sines = angles.sin(), cosines = angles.cos();
    std::copy_n(sines.data(), n - whole, sine + whole);
    std::copy_n(cosines.data(), n - whole, cosine + whole);
}

}  // namespace rfbench::features
