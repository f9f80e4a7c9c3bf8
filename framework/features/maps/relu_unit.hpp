#pragma once
// The gradient of one relu unit at many inputs, in vector registers: trainings of LUNA maps spend their time here.
#include <cstring>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// Inputs in a vector register. Buffers are filled with zeros up to a multiple of `count`.
template <class Scalar>
struct Lanes {
    typedef Scalar Vector __attribute__((vector_size(64)));
    static constexpr Index count = 64 / sizeof(Scalar);
    static Index round_up(Index entries) { return (entries + count - 1) / count * count; }
};

/// A unit a max(0, s u + t), or gradients of its parameters.
template <class Scalar>
struct ReluUnit {
    Scalar s, t, a;
};

/// For the loss sum_i gradient_i a max(0, s u_i + t), i < entries: gradients of s, t and a; those of the inputs are
/// added to `inputs`. All three arrays have a multiple of Lanes::count entries, and `gradient` is zero beyond the last
/// input.
template <class Scalar>
ReluUnit<Scalar> relu_pullback(const ReluUnit<Scalar>& unit, const Scalar* u, const Scalar* gradient, Index entries,
                               Scalar* inputs) {
    using Vector = typename Lanes<Scalar>::Vector;
    const Scalar through = unit.a * unit.s;
    // Sums of the gradient times max(0, z), z = s u + t, and over the inputs with z > 0 times u, and alone.
    const Vector zero{};
    Vector by_positive{}, by_u{}, alone{};
    for (Index i = 0; i < entries; i += Lanes<Scalar>::count) {
        Vector own, passed, to_inputs;
        std::memcpy(&own, u + i, sizeof own);
        std::memcpy(&passed, gradient + i, sizeof passed);
        std::memcpy(&to_inputs, inputs + i, sizeof to_inputs);
        const Vector z = unit.s * own + unit.t;
        // Not `passed` times z, which may be -infinity.
        by_positive += passed * (z > zero ? z : zero);
        passed = z > zero ? passed : zero;
        by_u += passed * own;
        alone += passed;
        to_inputs += through * passed;
        std::memcpy(inputs + i, &to_inputs, sizeof to_inputs);
    }
    const auto total = [](const Vector& lanes) {
        Eigen::Array<Scalar, 1, Lanes<Scalar>::count> copy;
        std::memcpy(copy.data(), &lanes, sizeof lanes);
        return copy.sum();
    };
    return {unit.a * total(by_u), unit.a * total(alone), total(by_positive)};
}

}  // namespace rfbench::features
