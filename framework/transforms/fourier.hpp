#pragma once
#include <array>
#include <memory>

#include "rfbench/transforms/lanes.hpp"

namespace rfbench::transforms {

/// Discrete Fourier transforms of as many lines at once as a register has lanes, each a grid of n_1 x n_2 x n_3 complex
/// entries, the last coordinate's beside each other. Frequencies are left in an order of the transform's own, which
/// products of spectra need not know. Errors are some ulps of a line's 2-norm, their number growing with log N (and
/// with primes above 5 in the lengths). The bits of a lane depend on the entries of that lane only, not on threads,
/// addresses or timings. Immutable.
template <class Scalar>
class Fourier {
public:
    using Grid = std::array<Index, 3>;

    /// Lengths are at least 1.
    explicit Fourier(const Grid&);
    ~Fourier();
    Fourier(const Fourier&) = delete;
    Fourier& operator=(const Fourier&) = delete;

    Index points() const;                      ///< N = n_1 n_2 n_3
    Index place(const Grid& frequency) const;  ///< of the coefficient of a frequency after forward()

    /// X_f = sum_t x_t e^(-2 pi i sum_l f_l t_l / n_l), in place; N entries, aligned as their type is.
    void forward(ComplexLanes<Scalar>* entries) const;
    /// N times the inverse of forward(), in place, from the order that forward() leaves.
    void back(ComplexLanes<Scalar>* entries) const;

private:
    struct Plan;
    std::unique_ptr<Plan> plan_;
};

extern template class Fourier<float>;
extern template class Fourier<double>;

}  // namespace rfbench::transforms
