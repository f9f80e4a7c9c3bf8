#pragma once
// One function a scheme, each in a file of its own; scheme.cpp lists them.
#include "rfbench/sampling/scheme.hpp"

namespace rfbench::sampling {

Scheme iid();            ///< independent N(0, I_d)
Scheme orthogonal();     ///< blocks of d orthogonal directions, chi(d) lengths
Scheme simplex();        ///< blocks of d directions of a regular simplex, chi(d) lengths
Scheme antithetic();     ///< pairs w and -w
Scheme sobol();          ///< scrambled Sobol points through the normal quantile, d <= 3667
Scheme hadamard();       ///< rows of Hadamard-sign products, chi(d) lengths; not exactly uniform
Scheme halton();         ///< Halton points with permuted digits through the normal quantile
Scheme sphere_points();  ///< fixed quasi-Monte Carlo directions, chi(d) lengths; biased
Scheme dct();            ///< rows of cosine transforms, signed chi(d) lengths; fixed, so biased
Scheme dct_columns();    ///< columns of cosine transforms; biased
Scheme dct_rotated();    ///< rows of cosine transforms in a random basis, chi(d) lengths

}  // namespace rfbench::sampling
