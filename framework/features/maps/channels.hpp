#pragma once
// Channels psi_1 .. psi_L: scalar functions with parameters, shared by all projections of a learned map.
#include <memory>
#include <string>
#include <vector>

#include "rfbench/features/maps/nonlinearity.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::features {

/// A part of a longer vector of parameters.
using Parameters = Eigen::Ref<const Vector>;
/// The same part of its gradient.
using ParameterGradient = Eigen::Ref<Vector>;

/// Immutable: parameters are handed in.
class Channels {
public:
    virtual ~Channels() = default;

    virtual Index count() const = 0;       ///< L
    virtual Index parameters() const = 0;  ///< their number
    virtual bool nonnegative() const = 0;  ///< psi_l(u) >= 0 whatever the parameters
    /// Initial parameters of a training.
    virtual Vector start(const Stream&) const = 0;

    /// out(n, l) = psi_l(u_n), N x L.
    virtual void evaluate(const Parameters&, const Vector& u, Points& out) const = 0;

    /// For the loss sum_nl gradient(n, l) psi_l(u_n): adds its gradient with respect to the parameters to `parameters`,
    /// and writes that with respect to u to `inputs`.
    virtual void pullback(const Parameters&, const Vector& u, const Points& gradient, ParameterGradient parameters,
                          Vector& inputs) const = 0;
};

/// One hidden layer a channel (Shahbazi et al. 2025, (11) and Listing 1):
///     psi_l(u) = out(c_l + sum_h a_lh act(s_lh u + t_lh)),   h = 1 .. hidden, 3 hidden + 1 parameters a channel.
/// With out = relu the features are never negative, as in the paper's listing; with identity they may be.
struct NetworkShape {
    Index channels = 8;               ///< L, at least 1
    Index hidden = 16;                ///< units of each channel, at least 1
    std::string activation = "relu";  ///< a nonlinearity of generalized attention
    std::string output = "relu";      ///< the same
};
/// Training begins as the listing's layers do: s, t ~ U(-1, 1), a, c ~ U(-1, 1) / sqrt(hidden). Throws
/// std::invalid_argument for sizes below 1 and nonlinearities that there are not.
std::unique_ptr<Channels> network_channels(const NetworkShape&);

/// Fixed functions with one learned coefficient each, psi_l(u) = c_l g_l(u), which begins at 1 (Table 5, "Bank + Coef";
/// there the weighted functions are added up, here they stay apart so that the number of features is the same). Throws
/// std::invalid_argument for an empty list and for nonlinearities that there are not.
std::unique_ptr<Channels> weighted_bank(const std::vector<std::string>& functions);

}  // namespace rfbench::features
