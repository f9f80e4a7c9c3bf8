#pragma once
// One interface to every way of attending, so that an experiment can go through them.
#include <functional>
#include <memory>

#include "rfbench/attention/linear_form.hpp"
#include "rfbench/attention/lsh.hpp"
#include "rfbench/attention/masked.hpp"
#include "rfbench/attention/prefix_fit.hpp"
#include "rfbench/attention/window.hpp"
#include "rfbench/features/feature_map.hpp"

namespace rfbench::attention {

/// A method with all its random numbers drawn. Immutable: it may be used by several threads.
class Method {
public:
    virtual ~Method() = default;

    /// Whether queries can be kept from later keys.
    virtual bool can_be_causal() const = 0;

    /// Whether there may be other numbers of queries than of keys.
    virtual bool can_cross() const = 0;

    /// Throws as check() does and as the method's own function, and std::invalid_argument when causal attention is
    /// asked of a method that has none.
    virtual Outcome attend(const Inputs<double>&, Visible, Rows<double>& out) const = 0;
    /// The same in single precision.
    virtual Outcome attend(const Inputs<float>&, Visible, Rows<float>& out) const = 0;
};

std::unique_ptr<Method> exact_method();                                                          ///< exact.hpp
std::unique_ptr<Method> linear_method(std::shared_ptr<const features::FeatureMap>);              ///< linear.hpp
std::unique_ptr<Method> linear_method(std::shared_ptr<const features::FeatureMap>, LinearForm);  ///< linear_form.hpp
std::unique_ptr<Method> linear_transformer_method(Index dimension);  ///< generalized_map.hpp
std::unique_ptr<Method> lsh_method(Hashing);                         ///< lsh.hpp
std::unique_ptr<Method> window_method(const Window&);                ///< window.hpp
std::unique_ptr<Method> nystrom_method(Index landmarks);             ///< nystrom.hpp
/// prefix_fit.hpp: fitted to the inputs' queries and keys by each call, causally to the prefix.
std::unique_ptr<Method> fitted_method(PrefixFit);
/// linformer.hpp, for at most as many keys as E has columns.
std::unique_ptr<Method> linformer_method(Projections compression);
/// The mask for so many tokens.
using MaskRule = std::function<ToeplitzMask(Index length)>;
/// masked.hpp, with the mask of that rule for as many tokens as there are; of it, causal_mask() where causal attention
/// is asked for.
std::unique_ptr<Method> masked_method(std::shared_ptr<const features::FeatureMap>, MaskRule,
                                      MaskPath = MaskPath::automatic);

}  // namespace rfbench::attention
