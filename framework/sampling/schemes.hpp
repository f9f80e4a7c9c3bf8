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

}  // namespace rfbench::sampling
