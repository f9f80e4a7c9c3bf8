#include "rfbench/attention/methods.hpp"

#include <stdexcept>
#include <string>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/linformer.hpp"
#include "rfbench/attention/nystrom.hpp"
#include "rfbench/attention/softmax_map.hpp"

namespace rfbench::attention {
namespace {

struct Traits {
    const char* name;
    bool causal = true, cross = true;
};

/// A method out of a function (inputs, visible, out) of either precision.
template <class Function>
class MethodOf final : public Method {
public:
    MethodOf(const Traits& traits, Function function) : traits_(traits), function_(std::move(function)) {}

    bool can_be_causal() const override { return traits_.causal; }
    bool can_cross() const override { return traits_.cross; }
    Outcome attend(const Inputs<double>& in, Visible visible, Rows<double>& out) const override {
        refuse_causal(visible);
        return function_(in, visible, out);
    }
    Outcome attend(const Inputs<float>& in, Visible visible, Rows<float>& out) const override {
        refuse_causal(visible);
        return function_(in, visible, out);
    }

private:
    void refuse_causal(Visible visible) const {
        if (visible == Visible::causal && !traits_.causal)
            throw std::invalid_argument(std::string(traits_.name) +
                                        ": there is no causal form of it; ask for all keys to be visible");
    }

    Traits traits_;
    Function function_;
};

template <class Function>
std::unique_ptr<Method> method(const Traits& traits, Function function) {
    return std::make_unique<MethodOf<Function>>(traits, std::move(function));
}

std::shared_ptr<const features::FeatureMap> given(const char* name, std::shared_ptr<const features::FeatureMap> map) {
    if (!map) throw std::invalid_argument(std::string(name) + " attention: there is no feature map");
    return map;
}

}  // namespace

std::unique_ptr<Method> exact_method() {
    return method({"exact"}, [](const auto& in, Visible visible, auto& out) { return exact(in, visible, out); });
}

std::unique_ptr<Method> linear_method(std::shared_ptr<const features::FeatureMap> map) {
    return method({"linear"}, [own = given("linear", std::move(map))](const auto& in, Visible visible, auto& out) {
        return linear(*own, in, visible, out);
    });
}

std::unique_ptr<Method> linear_method(std::shared_ptr<const features::FeatureMap> map, LinearForm form) {
    // A position is that of a token: queries and keys are tokens of one sequence.
    const Traits traits{.name = "linear", .cross = !form.positions};
    return method(traits,
                  [own = given("linear", std::move(map)), form = std::move(form)](
                      const auto& in, Visible visible, auto& out) { return linear(*own, form, in, visible, out); });
}

std::unique_ptr<Method> window_method(const Window& own) {
    check(own);
    return method({.name = "window", .cross = false},
                  [own](const auto& in, Visible visible, auto& out) { return window(own, in, visible, out); });
}

namespace {

template <class Scalar>
Outcome fit_and_attend(const PrefixFit& fit, const Inputs<Scalar>& in, Visible visible, Rows<Scalar>& out) {
    if (visible == Visible::causal) return causal_prefix_fitted(fit, in, out);
    check(in, visible, out);
    check(fit);
    const features::MechanismInfo& info = *fit.mechanism;
    // Features are fitted to the keys that are kept, which move to the front.
    Points keys = in.keys.template cast<double>();
    Index kept = 0;
    for (Index j = 0; j < keys.rows(); ++j)
        if (in.keeps(j)) keys.row(kept++) = keys.row(j).eval();
    // Without any, or without queries, there is nothing to fit to, and no output but zeros.
    if (kept == 0 || in.queries.rows() == 0) {
        out.setZero(in.queries.rows(), in.values.cols());
        return {in.queries.rows()};
    }
    const auto statistics =
        softmax_statistics(in.queries.template cast<double>(), keys.topRows(kept), info.poisson_moments);
    const auto mechanism = features::fit(info, statistics, fit.settings);
    const SoftmaxMap map = softmax_map(*mechanism, in.queries.cols(), fit.count, *fit.sampling, fit.stream);
    return linear<Scalar>(map, in, visible, out);
}

}  // namespace

std::unique_ptr<Method> fitted_method(PrefixFit fit) {
    return method({"fitted"}, [own = std::move(fit)](const auto& in, Visible visible, auto& out) {
        return fit_and_attend(own, in, visible, out);
    });
}

std::unique_ptr<Method> linear_transformer_method(Index dimension) {
    return linear_method(std::make_unique<GeneralizedMap>(linear_transformer_map(dimension)));
}

std::unique_ptr<Method> lsh_method(Hashing hashing) {
    // As in Reformer keys are the queries.
    const Traits traits{.name = "lsh", .cross = hashing.keys == LshKeys::separate};
    return method(traits, [own = std::move(hashing)](const auto& in, Visible visible, auto& out) {
        return lsh(own, in, visible, out);
    });
}

std::unique_ptr<Method> nystrom_method(Index landmarks) {
    return method({.name = "nystrom", .causal = false},
                  [landmarks](const auto& in, Visible, auto& out) { return nystrom(landmarks, in, out); });
}

std::unique_ptr<Method> linformer_method(Projections compression) {
    return method(
        {.name = "linformer", .causal = false},
        [own = std::move(compression)](const auto& in, Visible, auto& out) { return linformer(own, in, out); });
}

std::unique_ptr<Method> masked_method(std::shared_ptr<const features::FeatureMap> map, MaskRule rule, MaskPath path) {
    return method({.name = "masked", .cross = false}, [own = given("masked", std::move(map)), mask_of = std::move(rule),
                                                       path](const auto& in, Visible visible, auto& out) {
        const ToeplitzMask mask = mask_of(in.queries.rows());
        const bool past = visible == Visible::causal;
        return Outcome{masked(*own, past ? causal_mask(mask) : mask, in, out, path).nonpositive};
    });
}

}  // namespace rfbench::attention
