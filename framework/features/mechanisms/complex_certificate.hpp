#pragma once
// A proof, for one pair of points, that no complex A of generalized exponential features has less variance than a given
// one: bounds on boxes that cover the half plane of A. For open question 1(a) of Likhosherstov 2022, chapter 7.
#include <cstddef>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// A box of A by 1 - 8A = exp(xi) (1 - i tan(theta)); theta in [0, pi/2] is enough, since the variance is the same at
/// the conjugate.
struct ParameterBox {
    double min_xi, max_xi, min_theta, max_theta;
};

/// A lower bound on E Z^2 / K^2 over the box, at q = |x + t y|^2: each of the two terms of
/// generalized_exponential_variance.hpp at the ends of the box where it is least.
double min_second_moment(const ParameterBox&, double t, double q, Index d);

/// Whether log(Var / K^2) >= target for all A with |xi| <= 12.
struct Certificate {
    bool proved;        ///< false where `max_boxes` did not suffice, or a box lies below the target
    std::size_t boxes;  ///< that were looked at
};
/// By splitting boxes whose bound lies below the target.
Certificate certify_least_variance(double t, double q, Index d, double target, std::size_t max_boxes);

}  // namespace rfbench::features
