#pragma once
// An elementwise mapping of a row, held over its largest entry, so that nothing overflows or vanishes in float.
#include <cmath>
#include <limits>

#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"

namespace rfbench::features {

/// Whether Scalar holds a row whole whose largest feature this is: it is neither so small that few digits are left of
/// it, of smaller ones beside it or of its inverse, nor beyond Scalar's range.
template <class Scalar>
bool held(double high) {
    constexpr double faint = std::numeric_limits<Scalar>::min() / std::numeric_limits<Scalar>::epsilon();
    return high >= faint && high <= static_cast<double>(std::numeric_limits<Scalar>::max());
}

/// Whether g is exp at the whole row z: its largest is taken out before anything can underflow.
template <class Row>
bool exponential(const Nonlinearity& g, const Row& z) {
    return static_cast<double>(z.maxCoeff()) < g.exponential_below;
}

/// out = g(z) / max |g(z)|, the logarithm of that maximum being returned; -infinity, and zeros, where all are zero.
/// Entries too small for Scalar, or too large, are computed in double.
template <class Scalar>
double scaled_values(const Nonlinearity& g, const RowRef<Scalar>& z, RowRef<Scalar> out) {
    if (exponential(g, z)) {
        const Scalar shift = largest(z);
        exponentiate(z, shift, out);
        return static_cast<double>(shift);
    }
    g.apply(z, out);
    double high = static_cast<double>(out.abs().maxCoeff());
    if (held<Scalar>(high)) {
        out /= static_cast<Scalar>(high);
        return std::log(high);
    }
    Eigen::Array<double, 1, Eigen::Dynamic> wide = z.template cast<double>();
    g.apply(wide, wide);
    high = wide.abs().maxCoeff();
    if (high > 0) wide /= high;
    out = wide.template cast<Scalar>();
    return high > 0 ? std::log(high) : -std::numeric_limits<double>::infinity();
}

/// out = g'(z) / exp(log_scale) of a row whose values and scale scaled_values() gave; the largest Scalar where that is
/// larger. out may be z.
template <class Scalar, class Values>
void scaled_slopes(const Nonlinearity& g, const RowRef<Scalar>& z, const Values& values, double log_scale,
                   RowRef<Scalar> out) {
    const double high = std::exp(log_scale);
    if (exponential(g, z)) {
        out = values;
    } else if (held<Scalar>(high)) {
        g.slope(z, out);
        out *= static_cast<Scalar>(1 / high);
    } else {
        constexpr double largest = std::numeric_limits<Scalar>::max();
        Eigen::Array<double, 1, Eigen::Dynamic> wide = z.template cast<double>();
        g.slope(wide, wide);
        out = (wide / high).max(-largest).min(largest).template cast<Scalar>();
    }
}

}  // namespace rfbench::features
