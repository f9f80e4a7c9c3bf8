#pragma once
// Networks of one hidden layer that stand for u -> (cos u, sin u), the channels of random Fourier features, and the
// kernel that they make (Shahbazi et al. 2025, section 9.2).
#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// u -> base + sum_j weights_j act(slope (u - centre_j)), R -> R^2.
struct ShallowNetwork {
    enum class Unit { relu, sigmoid };

    Unit unit;
    double slope;
    Vector centres;  ///< one a hidden unit
    Points weights;  ///< hidden x 2
    Eigen::RowVector2d base;

    /// n x 2, at n arguments.
    Points operator()(const Vector& arguments) const;
};

/// Interpolates (cos, sin) at equally spaced points from -reach to reach, one a unit, and is constant beyond: bounded,
/// as Proposition 4 has by clipping and Proposition 5 by two units more. Throws std::invalid_argument for fewer than
/// two units or a reach that is not above zero, as the others do.
ShallowNetwork relu_interpolation(double reach, Index hidden);
/// Interpolates, from -reach - 1 to reach + 1, the continuation of Proposition 6, (32): (cos, sin) at the end of the
/// reach times what falls from 1 to 0 on the unit beyond it.
ShallowNetwork tapered_interpolation(double reach, Index hidden);
/// Steps of sigmoids, one for each of equal intervals from -reach to reach, as wide as these: bounded.
ShallowNetwork sigmoid_steps(double reach, Index hidden);

/// Expectations over g ~ N(0, 1), by the trapezoidal rule.
class NormalNodes {
public:
    NormalNodes();

    const Vector& nodes() const { return nodes_; }
    /// E f(g), from its values at the nodes.
    double mean(const Vector& values) const { return weights_.dot(values); }

    /// psi(|x| g), a row a node, and its coefficients in normalized Hermite polynomials.
    struct Channels {
        Points values;
        Eigen::MatrixXd coefficients;
    };
    Channels channels(const Points& values) const;

    /// E psi(w.x).psi(w.y) for w ~ N(0, I) and the cosine of the angle between x and y. For 1 and -1 this is one
    /// integral; else, by Mehler's series, E f(g) h(c g + sqrt(1 - c^2) g') = sum_n c^n a_n b_n in the coefficients.
    /// Throws std::invalid_argument where the cosine's absolute value is between 0.8 and 1: a hundred terms
    /// are too few there.
    double product(const Channels& at_x, const Channels& at_y, double cosine) const;

private:
    static constexpr Index terms = 100;
    Vector nodes_, weights_;
    Eigen::MatrixXd hermite_;  // nodes x terms
};

}  // namespace rfbench::theory
