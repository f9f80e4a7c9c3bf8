#pragma once
// Box discrepancy of points that stand for N(0, I): the largest error, over band-limited functions of norm 1, of the
// mean over the points (Yang et al. 2014; Chen et al. 2024, (27) to (29)). Band-limited: Fourier transforms live in the
// box [-b, b]^d, to which exp(i w.u) belongs for u in it; exp(w.u) does not.
#include "rfbench/matrix.hpp"

namespace rfbench::sampling {

struct BoxDiscrepancy {
    double squared;  ///< (2 pi)^-d int |Psi|^2 - (2/s) (2 pi)^-d sum int Psi exp(i beta.w_j) + (1/s^2) sum sinc_b
    double squared_printed;  ///< with pi^-d in the first term, as (29) has it: no discrepancy of points tends to 0
};
/// omega: d x s; b > 0. Both over (2 pi)^-d int |Psi|^2, the square of the norm of what is approximated, so that 1 is
/// the discrepancy of no points at all.
BoxDiscrepancy box_discrepancy(const Projections& omega, double b);

}  // namespace rfbench::sampling
