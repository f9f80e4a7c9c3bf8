#pragma once
#include "rfbench/attention/inputs.hpp"

namespace rfbench::training {

/// Adam (Kingma and Ba 2015, Algorithm 1) with the published beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8.
template <class Scalar = double>
class Adam {
public:
    /// Parameters, gradients and their means, one entry a parameter.
    using Column = attention::Column<Scalar>;

    /// For a vector of `size` parameters.
    explicit Adam(Index size);

    /// parameters -= rate m^ / (sqrt(v^) + epsilon), m^ and v^ the bias-corrected moving averages of gradients and of
    /// their squares. Throws std::invalid_argument when sizes differ from the constructor's.
    void step(const Column& gradient, double rate, Column& parameters);

    /// All that further steps depend on.
    struct State {
        Column mean;                    ///< m, of gradients
        Column square;                  ///< v, of their squares
        double power1 = 1, power2 = 1;  ///< beta_1 and beta_2 to the number of steps
    };
    /// All that further steps depend on.
    const State& state() const { return state_; }
    /// Goes on from a state of the same size; throws std::invalid_argument for others.
    void resume(State);

private:
    State state_;
};

/// A rate that falls from `rate` at step 0 to 0 at `steps` along half a cosine (Loshchilov and Hutter 2017, (5)).
double cosine_rate(double rate, int step, int steps);

}  // namespace rfbench::training
