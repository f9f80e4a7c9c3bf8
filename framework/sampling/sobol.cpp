// Randomised quasi-Monte Carlo: the first M points of the Sobol sequence (direction numbers of Joe and Kuo 2008) with
// Owen's nested uniform scrambling, through the inverse normal distribution function. Every point is exactly uniform on
// the cube, so estimates are unbiased, and M = 2^k points still fill each of the M slices of every coordinate once.
// The first columns do depend on M.
#include <boost/random/sobol.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/sampling/schemes.hpp"

namespace rfbench::sampling {
namespace {

using Engine = boost::random::sobol_engine<std::uint32_t, 32>;
constexpr Index max_dimensions = boost::random::default_sobol_table::max_dimension;
constexpr Index max_points = Index{1} << 31;
constexpr int digits = 52;  // of a uniform, before its last digit, which is 1

void check_size(Index d, Index count) {
    if (d > max_dimensions)
        throw InputError("sampling 'sobol': dimension " + std::to_string(d) +
                         " is too high, direction numbers are known for at most " + std::to_string(max_dimensions) +
                         "; 'orthogonal' takes any dimension");
    if (count > max_points)
        throw InputError("sampling 'sobol': " + std::to_string(count) + " points are too many, at most " +
                         std::to_string(max_points) + " are possible");
}

// Nested uniform scrambling of one coordinate: digit l is flipped by a random bit that belongs to the digits before it,
// node 2^l + (those digits) of a binary tree.
class Scrambler {
public:
    Scrambler(Stream stream, int levels) : levels_(levels), flips_((std::size_t{1} << levels) / 64 + 1) {
        for (std::uint64_t& word : flips_) word = stream.bits();
    }

    /// The first `levels` digits of x, scrambled.
    std::uint64_t operator()(std::uint32_t x) const {
        std::uint64_t node = 1, scrambled = 0;
        for (int l = 0; l < levels_; ++l) {
            const std::uint64_t digit = x >> (31 - l) & 1;
            scrambled = scrambled << 1 | (digit ^ (flips_[node / 64] >> (node % 64) & 1));
            node = node << 1 | digit;
        }
        return scrambled;
    }

private:
    int levels_;
    std::vector<std::uint64_t> flips_;
};

void uniforms(const Stream& stream, Eigen::Ref<Projections> u) {
    const Index d = u.rows(), count = u.cols();
    check_size(d, count);
    if (u.size() == 0) return;

    // 2^levels >= count points differ in their first `levels` digits, in every coordinate: below that depth every point
    // has a branch of the tree to itself, and its digits are simply random.
    int levels = 0;
    while (Index{1} << levels < count) ++levels;
    std::vector<Scrambler> scramblers;
    for (Index i = 0; i < d; ++i)
        scramblers.emplace_back(stream.child("digits").child(static_cast<std::uint64_t>(i)), levels);
    fill_uniform(stream.child("rest"), u);

    // The engine leaves out the first point of the sequence, the origin.
    Engine engine(static_cast<std::size_t>(d));
    for (Index m = 0; m < count; ++m)
        for (Index i = 0; i < d; ++i) {
            const std::uint64_t leading = scramblers[static_cast<std::size_t>(i)](m == 0 ? 0 : engine());
            // 52 digits, the scrambled ones before the random ones; the last 1 keeps u away from 0 and 1.
            const auto rest = static_cast<std::uint64_t>(u(i, m) * 0x1p52);
            const std::uint64_t all = leading << (digits - levels) | rest >> levels;
            u(i, m) = static_cast<double>(2 * all + 1) * 0x1p-53;
        }
}

void normals(const Stream& stream, Eigen::Ref<Projections> omega) {
    uniforms(stream, omega);
    for (Index m = 0; m < omega.cols(); ++m)
        for (Index i = 0; i < omega.rows(); ++i) omega(i, m) = normal_quantile(omega(i, m));
}

}  // namespace

Scheme sobol() {
    return {"sobol",
            "scrambled Sobol points through the inverse normal distribution function, d <= 3667",
            "Joe and Kuo 2008; Owen 1995",
            Coupling::unknown,
            true,
            normals,
            uniforms};
}

}  // namespace rfbench::sampling
