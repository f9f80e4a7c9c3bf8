#pragma once
// How projections are drawn. A scheme fills a d x M matrix whose columns are each N(0, I_d), jointly coupled as the
// scheme says; schemes built from uniforms also serve the discrete laws, through their quantile functions.
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::sampling {

/// Dependence between columns, as far as exact variances know it (theory/coupling.hpp). orthogonal and simplex couple
/// blocks of d columns, antithetic the pairs of columns (0, 1), (2, 3), ...
enum class Coupling { independent, orthogonal, simplex, antithetic, unknown };

/// A way to draw M projections together.
struct Scheme {
    std::string name;       ///< as in YAML and on the command line
    std::string summary;    ///< one line
    std::string reference;  ///< author year, equation or algorithm
    Coupling coupling;      ///< of columns, for exact variances
    bool exact_marginals;   ///< every column is exactly N(0, I_d); otherwise estimates are biased, docs say how much

    /// omega: d x M, filled.
    void (*normals)(const Stream&, Eigen::Ref<Projections> omega);
    /// u: d x M, filled with coupled uniforms on (0, 1); null when the scheme lives on directions and cannot do that.
    void (*uniforms)(const Stream&, Eigen::Ref<Projections> u);
};

/// iid, orthogonal, simplex, antithetic, sobol, halton, hadamard, sphere-points, dct, dct-columns, dct-rotated.
const std::vector<Scheme>& catalogue();

/// Throws InputError naming the nearest scheme when there is none of that name.
const Scheme& find(std::string_view name);

}  // namespace rfbench::sampling
