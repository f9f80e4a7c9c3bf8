#pragma once
namespace rfbench::theory {

/// log k! for whole k >= 0, from a table where k is small.
double log_factorial(double k);
/// log Gamma(k + 1/2), likewise.
double log_half_gamma(double k);

}  // namespace rfbench::theory
