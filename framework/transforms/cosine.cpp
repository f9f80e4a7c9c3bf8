#include "rfbench/transforms/cosine.hpp"

#include <cmath>
#include <numbers>

namespace rfbench::transforms {
namespace {

/// factor e^(-i pi n / m)
template <class Scalar>
std::complex<Scalar> turn(double factor, Index n, Index m) {
    const std::complex<double> exact =
        std::polar(factor, -std::numbers::pi * static_cast<double>(n) / static_cast<double>(m));
    return {static_cast<Scalar>(exact.real()), static_cast<Scalar>(exact.imag())};
}

/// Place of entry n: even entries in order, then odd ones backwards.
Index folded(Index n, Index d) { return n % 2 == 0 ? n / 2 : d - 1 - n / 2; }

}  // namespace

template <class Scalar>
Cosine<Scalar>::Cosine(Index d) : fourier_({1, 1, d}) {
    const double scale = 1 / std::sqrt(2 * static_cast<double>(d));
    for (Index k = 0; k < d; ++k) {
        places_.push_back(fourier_.place({0, 0, k}));
        quarters_.push_back(turn<Scalar>(scale, k, 2 * d));
        halves_.push_back(turn<Scalar>(1, k, d));
        odd_.push_back(turn<Scalar>(scale, 2 * k + 1, 4 * d));
    }
    // Factors are half of s_k, since each of two terms has them; s_0 is smaller by sqrt(2).
    quarters_[0] /= std::numbers::sqrt2_v<Scalar>;
}

// out_k = w_k V_k + conj(w_k) V_-k
template <class Scalar>
void Cosine<Scalar>::second(const Complex* in, Complex* work, Complex* out) const {
    const Index d = length();
    for (Index n = 0; n < d; ++n) work[folded(n, d)] = in[n];
    fourier_.forward(work);
    for (Index k = 0; k < d; ++k)
        out[k] = quarters_[k] * work[places_[k]] + std::conj(quarters_[k]) * work[places_[k == 0 ? 0 : d - k]];
}

// The transpose: conj(w_(d - k)) = i w_k, and at k = 0 both terms meet the same entry.
template <class Scalar>
void Cosine<Scalar>::third(const Complex* in, Complex* work, Complex* out) const {
    const Index d = length();
    work[0] = quarters_[0] * (in[0] + in[0]);
    for (Index k = 1; k < d; ++k) work[k] = quarters_[k] * (in[k] + in[d - k].times_i());
    fourier_.forward(work);
    for (Index n = 0; n < d; ++n) out[n] = work[places_[folded(n, d)]];
}

// With A_k = sum_n v_n e^(-i pi (4n + 1) (2k + 1) / (4d)): out_k = A_k + A_(-1-k), and A_(k + d) = -i A_k.
template <class Scalar>
void Cosine<Scalar>::fourth(const Complex* in, Complex* work, Complex* out) const {
    const Index d = length();
    for (Index n = 0; n < d; ++n) {
        // At the place n' of an odd entry its cosine is that of 4d - (4n' + 1), which is minus that of 4n' + 1: hence
        // the sign. The factor e^(-i pi n' / d) turns frequency 2k into 2k + 1.
        const Index to = folded(n, d);
        work[to] = halves_[to] * (n % 2 == 0 ? in[n] : -in[n]);
    }
    fourier_.forward(work);
    for (Index k = 0; k < d; ++k)
        out[k] = odd_[k] * work[places_[k]] + (odd_[d - 1 - k] * work[places_[d - 1 - k]]).times_i();
}

template class Cosine<float>;
template class Cosine<double>;

}  // namespace rfbench::transforms
