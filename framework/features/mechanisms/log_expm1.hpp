#pragma once
#include <cmath>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// log(exp(g) - 1), g >= 0: a variance from the logarithm of a second moment over a squared mean. -infinity at 0.
inline double log_expm1(double g) {
    if (g > 37) return g;  // exp(-g) is below half an ulp of g
    return g > 1 ? g + std::log1p(-std::exp(-g)) : std::log(std::expm1(g));
}

/// The same for every entry of g, in vector instructions, to a few ulps: g + log(1 - u), u = exp(-g), where near u = 1
/// the difference 1 - u is corrected by g / -log(u) (Kahan's expm1).
inline void log_expm1(Eigen::Ref<Eigen::ArrayXd> g) {
    Eigen::ArrayXd u = (-g).exp();
    const Eigen::ArrayXd log_u = u.log();
    for (Index j = 0; j < g.size(); ++j) {
        const double rest = 1 - u[j];
        u[j] = rest > 0.5 ? rest : (rest == 0 ? g[j] : rest * g[j] / -log_u[j]);
    }
    g += u.log();
}

}  // namespace rfbench::features
