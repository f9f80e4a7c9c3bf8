#pragma once
#include "rfbench/attention/toeplitz_mask.hpp"

namespace rfbench::attention {

/// by_numbers_o = sum over pairs (i, j) that have number o of (a_i . b_j) (g_i . u_j), for all of the mask's numbers():
/// what the gradient of mask(i, j) = (a_i . b_j) (g_i . u_j) is for them. a and b are L x R, g and u L x C.
///
/// For tokens of the grid it is the sum over m and c of the correlations of a_im g_ic with b_jm u_jc, by Fourier
/// transforms of grids of at least 2 L - 1 places along each level: O(R C L log L). Errors are ulps of the largest
/// entries of any two columns c that share a transform. Pairs of columns run on the threads of the surrounding OpenMP
/// settings; the bits do not depend on their number.
template <class Scalar>
void mask_correlation(const ToeplitzMask&, const Rows<Scalar>& a, const Rows<Scalar>& b, const Rows<Scalar>& g,
                      const Rows<Scalar>& u, Column<Scalar>& by_numbers);

}  // namespace rfbench::attention
