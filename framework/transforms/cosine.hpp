#pragma once
#include <complex>
#include <vector>

#include "rfbench/transforms/fourier.hpp"

namespace rfbench::transforms {

/// Orthonormal cosine transforms of length d, of complex entries of as many lines at once as there are lanes. Each is
/// one Fourier transform of length d: even entries, then odd ones backwards, turn cosines of (2n + 1) into exponentials
/// of n (Makhoul 1980). `in` is left as it is; `work` and `out` hold d entries, and none of the three overlap.
/// Immutable.
template <class Scalar>
class Cosine {
public:
    using Complex = ComplexLanes<Scalar>;

    explicit Cosine(Index d);

    Index length() const { return fourier_.points(); }
    /// DCT-II: out_k = s_k sum_n in_n cos(pi (2n + 1) k / (2d)), s_k^2 = 2 / d, of k = 0 half of it.
    void second(const Complex* in, Complex* work, Complex* out) const;
    /// DCT-III, its transpose: out_n = sum_k s_k in_k cos(pi (2n + 1) k / (2d)).
    void third(const Complex* in, Complex* work, Complex* out) const;
    /// DCT-IV: out_k = sqrt(2/d) sum_n in_n cos(pi (2n + 1) (2k + 1) / (4d)), its own transpose.
    void fourth(const Complex* in, Complex* work, Complex* out) const;

private:
    Fourier<Scalar> fourier_;
    std::vector<Index> places_;                   // of frequencies
    std::vector<std::complex<Scalar>> quarters_;  // e^(-i pi k / (2d)) / sqrt(2d)
    std::vector<std::complex<Scalar>> halves_;    // e^(-i pi n / d)
    std::vector<std::complex<Scalar>> odd_;       // e^(-i pi (2k + 1) / (4d)) / sqrt(2d)
};

extern template class Cosine<float>;
extern template class Cosine<double>;

}  // namespace rfbench::transforms
