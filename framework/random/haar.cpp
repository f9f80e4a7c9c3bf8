#include "rfbench/random/haar.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench {
namespace {

// Sum of squares over eight running sums, so that the order does not depend on where the data lie.
double length_of(const double* x, Index n) {
    double sums[8] = {};
    Index i = 0;
    for (; i + 8 <= n; i += 8)
        for (Index l = 0; l < 8; ++l) sums[l] += x[i + l] * x[i + l];
    for (Index l = 0; i + l < n; ++l) sums[l] += x[i + l] * x[i + l];
    return std::sqrt(((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])));
}

}  // namespace

HaarSampler::HaarSampler(Index d)
    : d_(d), reflectors_(d * (d + 1) / 2), directions_(d * (d + 1) / 2), panel_(lanes, d) {}

// From a Gaussian vector x of n numbers: the direction a = x/|x|, and u = (a + s e1) / sqrt(1 + |a_1|), s = sign(a_1).
// I - u u' takes e1 to -s a, and -s (e1 to a) is the first column: the sign that makes the law Haar.
void HaarSampler::normalise_reflectors(Index v) {
    for (Index j = 0; j < v; ++j) {
        const Index n = d_ - j;
        double* a = directions_.data() + reflector(j);
        double* u = reflectors_.data() + reflector(j);

        const double inverse = 1 / length_of(a, n);
        for (Index i = 0; i < n; ++i) a[i] *= inverse;
        const double scale = 1 / std::sqrt(1 + std::abs(a[0]));
        for (Index i = 0; i < n; ++i) u[i] = scale * a[i];
        u[0] += std::copysign(scale, a[0]);
    }
}

// Column c of Q is H_0 H_1 ... H_{c-1} (0, ..., 0, a_c): reflections from the inside out, on `lanes` columns at a time
// so that the panel stays in the first cache and each column meets the same operations whatever its neighbours are.
void HaarSampler::reflect_panel(Index first, Index count) {
    using Column = Eigen::Array<double, lanes, 1>;
    panel_.setZero();
    for (Index l = 0; l < count; ++l) {
        const double* a = directions_.data() + reflector(first + l);
        for (Index i = first + l; i < d_; ++i) panel_(l, i) = a[i - first - l];
    }

    for (Index j = first + count - 2; j >= 0; --j) {
        const double* u = reflectors_.data() + reflector(j);
        const Index n = d_ - j;

        // Products u' q_l in two running sums.
        Column even = Column::Zero(), odd = Column::Zero();
        for (Index i = 0; i + 1 < n; i += 2) {
            even += u[i] * panel_.col(j + i).array();
            odd += u[i + 1] * panel_.col(j + i + 1).array();
        }
        if (n % 2 == 1) even += u[n - 1] * panel_.col(d_ - 1).array();
        even += odd;

        // H_j acts on the columns after j.
        for (Index l = 0; l <= j - first; ++l) even[l] = 0;
        for (Index i = 0; i < n; ++i) panel_.col(j + i).array() -= u[i] * even;
    }
}

void HaarSampler::operator()(const Stream& stream, Eigen::Ref<Eigen::MatrixXd> q) {
    const Index v = q.cols();
    if (q.rows() != d_ || v > d_)
        throw std::invalid_argument("Haar matrix: asked for " + std::to_string(q.rows()) + " x " + std::to_string(v) +
                                    ", but the sampler holds at most " + std::to_string(d_) + " x " +
                                    std::to_string(d_));

    fill_normal(stream, directions_.head(reflector(v)));
    normalise_reflectors(v);
    for (Index first = 0; first < v; first += lanes) {
        const Index count = std::min(lanes, v - first);
        reflect_panel(first, count);
        for (Index l = 0; l < count; ++l)
            for (Index i = 0; i < d_; ++i) q(i, first + l) = panel_(l, i);
    }
}

void fill_haar(const Stream& stream, Eigen::Ref<Eigen::MatrixXd> q) { HaarSampler(q.rows())(stream, q); }

}  // namespace rfbench
