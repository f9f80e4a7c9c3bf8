// Randomised quasi-Monte Carlo in any dimension: the first M points of the Halton sequence, coordinate i in the base of
// the i-th prime, every digit through a random permutation of its own, and through the inverse normal distribution
// function. Permutations of different bases are independent: one seed for all of them, as in SciPy 1.10, leaves
// coordinates correlated. Every point is exactly uniform on the cube, so estimates are unbiased. The first columns
// depend on M.
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

constexpr double smallest_step = 0x1p-52;  // between uniforms, which are odd multiples of 2^-53

std::vector<std::uint64_t> primes(std::size_t count) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t n = 2; found.size() < count; ++n) {
        bool prime = true;
        for (std::size_t i = 0; prime && i < found.size() && found[i] * found[i] <= n; ++i) prime = n % found[i] != 0;
        if (prime) found.push_back(n);
    }
    return found;
}

// One coordinate. `count` points differ in their first digits, as many as it takes; those after are simply random.
class Coordinate {
public:
    Coordinate(Stream stream, std::uint64_t base, std::uint64_t count) : base_(base) {
        while (range_ < count) {
            if (range_ > (std::uint64_t{1} << 52) / base)
                throw InputError("sampling 'halton': " + std::to_string(count) + " points are too many in base " +
                                 std::to_string(base));
            range_ *= base;
            digits_.push_back(permutation(stream));
        }
    }

    /// Point m, with what follows its permuted digits, a uniform, given.
    double operator()(std::uint64_t m, double rest) const {
        // The radical inverse: the last digit of m, permuted, is the first after the point.
        std::uint64_t leading = 0;
        for (const auto& permuted : digits_) {
            leading = leading * base_ + permuted[m % base_];
            m /= base_;
        }
        const double u = (static_cast<double>(leading) + rest) / static_cast<double>(range_);
        // To the middle of a step, which is neither 0 nor 1.
        return smallest_step * (std::min(std::floor(u / smallest_step), 0x1p52 - 1) + 0.5);
    }

private:
    std::vector<std::uint32_t> permutation(Stream& stream) const {
        std::vector<std::uint32_t> values(base_);
        std::iota(values.begin(), values.end(), 0u);
        // Fisher and Yates
        for (std::uint64_t i = base_; i > 1; --i) std::swap(values[i - 1], values[stream.below(i)]);
        return values;
    }

    std::uint64_t base_, range_ = 1;  // base to the number of digits
    std::vector<std::vector<std::uint32_t>> digits_;
};

void uniforms(const Stream& stream, Eigen::Ref<Projections> u) {
    const auto bases = primes(static_cast<std::size_t>(u.rows()));
    fill_uniform(stream.child("rest"), u);
    for (Index i = 0; i < u.rows(); ++i) {
        const Coordinate coordinate(stream.child("digits").child(static_cast<std::uint64_t>(i)),
                                    bases[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(u.cols()));
        for (Index m = 0; m < u.cols(); ++m) u(i, m) = coordinate(static_cast<std::uint64_t>(m), u(i, m));
    }
}

void normals(const Stream& stream, Eigen::Ref<Projections> omega) {
    uniforms(stream, omega);
    for (Index m = 0; m < omega.cols(); ++m)
        for (Index i = 0; i < omega.rows(); ++i) omega(i, m) = normal_quantile(omega(i, m));
}

}  // namespace

Scheme halton() {
    return {"halton",
            "Halton points with randomly permuted digits through the inverse normal distribution function",
            "Halton 1960; Owen 2017",
            Coupling::unknown,
            true,
            normals,
            uniforms};
}

}  // namespace rfbench::sampling
