#pragma once
// One function a scheme, each in a file of its own; scheme.cpp lists them.
#include "rfbench/sampling/scheme.hpp"

namespace rfbench::sampling {

Scheme iid();
Scheme orthogonal();
Scheme simplex();
Scheme antithetic();
Scheme sobol();
Scheme hadamard();
Scheme halton();
Scheme sphere_points();
Scheme dct();
Scheme dct_columns();
Scheme dct_rotated();

}  // namespace rfbench::sampling
