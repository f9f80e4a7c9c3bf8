#pragma once
#include <type_traits>

#include "rfbench/products/matrix_units.hpp"

namespace rfbench::products {

/// B, K x N, ready to be multiplied with by one arithmetic or the other; double by vectors alone.
template <class Scalar>
class Factor {
public:
    Factor() = default;
    /// Nothing packed yet. Throws as check() does (arithmetic.hpp).
    explicit Factor(const Arithmetic& arithmetic) : arithmetic_(arithmetic) { check(arithmetic); }
    /// Packs B.
    explicit Factor(const Strided<Scalar>& b, const Arithmetic& arithmetic = {}) : Factor(arithmetic) { pack(b); }

    /// Takes the entries of B; memory of an earlier B is used again.
    void pack(const Strided<Scalar>& b) {
        if constexpr (std::is_same_v<Scalar, float>)
            if (!arithmetic_.on_vectors()) return units_.pack(b, arithmetic_);
        panels_.pack(b);
    }

    Index rows() const { return on_vectors() ? panels_.rows() : units_.rows(); }           ///< K
    Index columns() const { return on_vectors() ? panels_.columns() : units_.columns(); }  ///< N
    /// Whether panels() has it, not matrix units.
    bool on_vectors() const { return std::is_same_v<Scalar, double> || arithmetic_.on_vectors(); }
    /// B in vector registers' order, where on_vectors().
    const Panels<Scalar>& panels() const { return panels_; }
    /// Rows that callers which go on to work on a product take at a time.
    Index rows_at_once() const { return on_vectors() ? products::rows_at_once : unit_rows_at_once; }

    /// out = start + A B (Panels::multiply()). Matrix units leave nothing out of triangles.
    void multiply(const Strided<Scalar>& a, const Scalar* start, Index start_stride, Scalar* out, Index out_stride,
                  Triangle triangle = Triangle::none) const {
        if constexpr (std::is_same_v<Scalar, float>)
            if (!arithmetic_.on_vectors()) return units_.multiply(a, start, start_stride, out, out_stride);
        panels_.multiply(a, start, start_stride, out, out_stride, triangle);
    }
    /// out = A B.
    void multiply(const Strided<Scalar>& a, Scalar* out, Index out_stride, Triangle triangle = Triangle::none) const {
        if constexpr (std::is_same_v<Scalar, float>)
            if (!arithmetic_.on_vectors()) return units_.multiply(a, out, out_stride);
        panels_.multiply(a, out, out_stride, triangle);
    }

private:
    Arithmetic arithmetic_;
    Panels<Scalar> panels_;
    MatrixFactor units_;
};

}  // namespace rfbench::products
