#pragma once
// The elementwise mappings of generalized attention: one line each in nonlinearity.cpp.
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// A row of n entries, read and written in place.
template <class Scalar>
using RowRef = Eigen::Ref<Eigen::Array<Scalar, 1, Eigen::Dynamic>>;

/// One elementwise mapping g.
struct Nonlinearity {
    std::string name;          ///< as in YAML and on the command line
    std::string formula;       ///< g(z)
    std::string derivative;    ///< g'(z), with what stands for it where g has none
    std::string reference;     ///< author year
    bool nonnegative;          ///< g(z) >= 0 for every z: denominators cannot cancel
    double exponential_below;  ///< g(z) = exp(z) up to rounding for z below this, which may be -infinity

    /// g = g(z), entry by entry; g may be z.
    void (*apply_double)(const RowRef<double>& z, RowRef<double> g);
    /// apply_double in single precision.
    void (*apply_float)(const RowRef<float>& z, RowRef<float> g);
    /// g = g'(z), entry by entry; g may be z.
    void (*slope_double)(const RowRef<double>& z, RowRef<double> g);
    /// slope_double in single precision.
    void (*slope_float)(const RowRef<float>& z, RowRef<float> g);

    /// g = g(z) in double, entry by entry; g may be z.
    void apply(const RowRef<double>& z, RowRef<double> g) const { apply_double(z, g); }
    /// g = g(z) in float.
    void apply(const RowRef<float>& z, RowRef<float> g) const { apply_float(z, g); }
    /// g = g'(z) in double, entry by entry; g may be z.
    void slope(const RowRef<double>& z, RowRef<double> g) const { slope_double(z, g); }
    /// g = g'(z) in float.
    void slope(const RowRef<float>& z, RowRef<float> g) const { slope_float(z, g); }
};

/// relu, elu+1, square, exp, abs, gelu, cos, tanh, sigmoid, identity.
const std::vector<Nonlinearity>& nonlinearities();

/// Throws std::invalid_argument naming the nearest nonlinearity when there is none of that name.
const Nonlinearity& nonlinearity(std::string_view name);

}  // namespace rfbench::features
