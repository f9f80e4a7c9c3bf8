#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "rfbench/random/elementary.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench {
namespace {

// Coefficients of AS 241, constant term first: numerator and denominator on |u - 1/2| <= 0.425, on r <= 5 and beyond,
// r = sqrt(-log min(u, 1 - u)).
using Coefficients = std::array<double, 8>;

constexpr Coefficients centre_above{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                    1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                    3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients centre_below{1.0,
                                    4.2313330701600911252e+1,
                                    6.8718700749205790830e+2,
                                    5.3941960214247511077e+3,
                                    2.1213794301586595867e+4,
                                    3.9307895800092710610e+4,
                                    2.8729085735721942674e+4,
                                    5.2264952788528545610e+3};
constexpr Coefficients near_above{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                  3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients near_below{1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
constexpr Coefficients far_above{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_below{1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};

double polynomial(const Coefficients& c, double x) {
    double value = c[7];
    for (std::size_t i = 7; i-- > 0;) value = c[i] + x * value;
    return value;
}

/// log x for x > 0, subnormal too.
double log_of(double x) {
    if (x >= std::numeric_limits<double>::min()) return elementary::log(x);
    return elementary::log(x * 0x1p60) - 60 * std::numbers::ln2;
}

}  // namespace

double normal_quantile(double u) {
    if (!(u > 0 && u < 1))
        throw std::invalid_argument("normal_quantile: u is " + shortest_text(u) +
                                    ", but must be between 0 and 1, both excluded");

    const double centred = u - 0.5;
    if (std::abs(centred) <= 0.425) {
        // 0.425^2 - (u - 1/2)^2.
        const double r = 0.180625 - centred * centred;
        return centred * polynomial(centre_above, r) / polynomial(centre_below, r);
    }

    // By the smaller tail; 1 - u is exact for u above one half.
    const double tail = centred < 0 ? u : 1 - u;
    const double r = std::sqrt(-log_of(tail));
    const double length = r <= 5 ? polynomial(near_above, r - 1.6) / polynomial(near_below, r - 1.6)
                                 : polynomial(far_above, r - 5) / polynomial(far_below, r - 5);
    return std::copysign(length, centred);
}

}  // namespace rfbench
