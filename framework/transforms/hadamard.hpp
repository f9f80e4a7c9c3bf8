#pragma once
#include <vector>

#include "rfbench/transforms/lanes.hpp"

namespace rfbench::transforms {

/// x := H x / sqrt(n), in place, of one line in every lane; H the Hadamard matrix of order n = x.size(), whose entry
/// (i, j) is -1 to the number of bits that i and j share. O(n log n). Throws std::invalid_argument for an n that is no
/// power of two.
template <class Scalar>
void hadamard(std::vector<RealLanes<Scalar>>& x);

/// out: rows x_i H D_1 H D_2 ... H D_k, n x d, all matrices orthonormal, D diagonals of signs, d each (structured
/// orthogonal features, Yu et al. 2016, section 4). Throws as hadamard().
template <class Scalar>
void signed_hadamard(const Rows<Scalar>& x, const std::vector<std::vector<Scalar>>& signs, Rows<Scalar>& out);

extern template void hadamard(std::vector<RealLanes<float>>&);
extern template void hadamard(std::vector<RealLanes<double>>&);
extern template void signed_hadamard(const Rows<float>&, const std::vector<std::vector<float>>&, Rows<float>&);
extern template void signed_hadamard(const Rows<double>&, const std::vector<std::vector<double>>&, Rows<double>&);

}  // namespace rfbench::transforms
