#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/random/elementary.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench {
namespace {

void check_dimension(Index d) {
    if (d < 1) throw std::invalid_argument("chi: d is " + std::to_string(d) + ", but must be at least 1");
}

// Marsaglia and Tsang (2000), "A simple method for generating gamma variables": for shape a = d/2 >= 1, with
// b = a - 1/3, c = 1/sqrt(9 b), v = (1 + c x)^3, x normal and u uniform, b v is gamma(a) once
// log u < x^2/2 + b - b v + b log v. Twice that is chi-squared. Exact for every d >= 2; accepts more than 95 %.
struct MarsagliaTsang {
    double b, c;

    explicit MarsagliaTsang(Index d) : b(0.5 * static_cast<double>(d) - 1.0 / 3), c(1 / std::sqrt(9 * b)) {}

    // The length, or a negative number when (x, u) is rejected.
    double length(double x, double u) const {
        const double root = 1 + c * x;
        if (root <= 0) return -1;
        const double v = root * root * root, square = x * x;
        const bool certain = u < 1 - 0.0331 * square * square;
        if (!certain && elementary::log(u) >= 0.5 * square + b * (1 - v + elementary::log(v))) return -1;
        return std::sqrt(2 * b * v);
    }
};

}  // namespace

double Stream::chi(Index d) {
    check_dimension(d);
    if (d == 1) return std::abs(normal());

    const MarsagliaTsang law(d);
    double length = -1;
    while (length < 0) {
        const double x = normal();
        length = law.length(x, uniform());
    }
    return length;
}

void fill_chi(Stream stream, Index d, Eigen::Ref<Vector> out) {
    check_dimension(d);
    fill_normal(stream.child("chi normal"), out);
    if (d == 1) {
        out = out.cwiseAbs();
        return;
    }

    // The first attempt of all entries at once; the few that are rejected go on alone, each with its own stream.
    const MarsagliaTsang law(d);
    Vector uniforms(out.size());
    fill_uniform(stream.child("chi uniform"), uniforms);
    for (Index k = 0; k < out.size(); ++k) {
        const double length = law.length(out[k], uniforms[k]);
        out[k] = length >= 0 ? length : stream.child(static_cast<std::uint64_t>(k)).chi(d);
    }
}

}  // namespace rfbench
