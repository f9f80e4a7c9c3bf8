#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// sine[j] = sin(angle[j]), cosine[j] = cos(angle[j]) in vector instructions, to 4e-16 of one; j < n. The arrays must
/// not overlap. Angles beyond 1e6 are left to the mathematical library.
void sin_cos(const double* angle, Index n, double* sine, double* cosine);
void sin_cos(const float* angle, Index n, float* sine, float* cosine);

}  // namespace rfbench::features
