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

/// Immutable: parameters are handed in.
class Channels {
public:
    virtual ~Channels() = default;

    virtual Index count() const = 0;       ///< L
    virtual Index parameters() const = 0;  ///< their number
    virtual bool nonnegative() const = 0;  ///< psi_l(u) >= 0 whatever the parameters
    /// Initial parameters of a training.
    virtual Vector start(const Stream&) const = 0;

    /// The function out that channels end in: psi_l(u) = out(sum_l(u)).
    virtual const Nonlinearity& output() const = 0;

    /// sums(n, l) = sum_l(u_n), N x L.
    virtual void evaluate(const Parameters&, const RowRef<double>& u, Rows<double>& sums) const = 0;
    /// The same in single precision.
    virtual void evaluate(const Parameters&, const RowRef<float>& u, Rows<float>& sums) const = 0;

    /// For the loss sum_nl gradient(n, l) sum_l(u_n): adds its gradient with respect to the parameters to those from
    /// entry `first` of `parameters`, unless that is empty, and writes that with respect to u to `inputs`.
    virtual void pullback(const Parameters&, const RowRef<double>& u, const Rows<double>& gradient, Vector& parameters,
                          Index first, RowRef<double> inputs) const = 0;
    /// The same in single precision.
    virtual void pullback(const Parameters&, const RowRef<float>& u, const Rows<float>& gradient, Vector& parameters,
                          Index first, RowRef<float> inputs) const = 0;
};

/// Channels that write both once, as the templates sum(parameters, u, sums) and
/// send_back(parameters, u, gradient, by, first, inputs).
template <class Own>
class ChannelsOf : public Channels {
public:
    void evaluate(const Parameters& p, const RowRef<double>& u, Rows<double>& sums) const override {
        self().template sum<double>(p, u, sums);
    }
    void evaluate(const Parameters& p, const RowRef<float>& u, Rows<float>& sums) const override {
        self().template sum<float>(p, u, sums);
    }
    void pullback(const Parameters& p, const RowRef<double>& u, const Rows<double>& gradient, Vector& by, Index first,
                  RowRef<double> inputs) const override {
        self().template send_back<double>(p, u, gradient, by, first, inputs);
    }
    void pullback(const Parameters& p, const RowRef<float>& u, const Rows<float>& gradient, Vector& by, Index first,
                  RowRef<float> inputs) const override {
        self().template send_back<float>(p, u, gradient, by, first, inputs);
    }

private:
    const Own& self() const { return static_cast<const Own&>(*this); }
};

/// One hidden layer a channel (Shahbazi et al. 2025, (11) and Listing 1):
///     psi_l(u) = out(c_l + sum_h a_lh act(s_lh u + t_lh)),   h = 1 .. hidden, 3 hidden + 1 parameters a channel.
/// `shared`: the hidden units h(u) = act(s_h u + t_h) are those of all channels (Listing 1, shared_channels), 2 hidden
/// + L (hidden + 1) parameters in all. With out = relu the features are never negative, as in the paper's listing; with
/// identity they may be.
struct NetworkShape {
    Index channels = 8;               ///< L, at least 1
    Index hidden = 16;                ///< units of each channel, at least 1
    std::string activation = "relu";  ///< a nonlinearity of generalized attention
    std::string output = "relu";      ///< the same
    bool shared = false;              ///< one network R -> R^L in place of L networks R -> R
};
/// Training begins as the listing's layers do: s, t ~ U(-1, 1), a, c ~ U(-1, 1) / sqrt(hidden). Throws
/// std::invalid_argument for sizes below 1 and nonlinearities that there are not.
std::unique_ptr<Channels> network_channels(const NetworkShape&);

/// Functions of a bank: each a channel, so that the number of features is that of networks, or added up to one channel,
/// as printed (Table 5, "Bank + Coef").
enum class BankForm { apart, summed };

/// Fixed functions with one learned coefficient each, c_l g_l(u), which begins at 1. Throws std::invalid_argument for
/// an empty list and for nonlinearities that there are not.
std::unique_ptr<Channels> weighted_bank(const std::vector<std::string>& functions, BankForm form = BankForm::apart);

}  // namespace rfbench::features
