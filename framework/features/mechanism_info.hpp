#pragma once
// The description of a mechanism, which stands in the mechanism's own file.
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::features {

/// One parameter of a mechanism: a key of its entry in YAML, and `--set` of the command line.
struct ParameterInfo {
    /// Kind of value; a sign is +1 or -1, and a list has a number for each place of its axes.
    enum class Type { real, integer, complex, boolean, sign, list, word };
    std::string name;     ///< as in YAML
    Type type;            ///< other values are refused
    std::string range;    ///< legal values, in words
    std::string meaning;  ///< what it is and what fit() chooses
    /// Axes of a list in result files, the last one fastest; empty for other types.
    std::vector<std::string> axes = {};
};

/// For MechanismInfo::fitted: no setting keeps the mechanism from being fitted.
inline bool always_fitted(const Settings&) { return true; }

/// Fits a mechanism of this kind.
template <class Kind>
class FitOf {
public:
    FitOf() = default;
    /// A function that gives this very kind.
    template <class Function>
    requires std::same_as<std::invoke_result_t<const Function&, const Statistics&, const Settings&>,
                          std::unique_ptr<Kind>>
    FitOf(Function function) : function_(std::move(function)) {}

    /// Fits to statistics of queries and keys. Throws InputError for settings that are out of range.
    std::unique_ptr<Kind> operator()(const Statistics& statistics, const Settings& settings) const {
        return function_(statistics, settings);
    }

private:
    std::function<std::unique_ptr<Kind>(const Statistics&, const Settings&)> function_;
};

/// Description of a mechanism: name, formula, source, parameters.
struct MechanismInfo {
    std::string name;                       ///< as in YAML and on the command line
    std::string paper_name;                 ///< TrigRF, OPRF, ...
    std::string summary;                    ///< one line
    std::string features;                   ///< f1 and f2 as formulas
    std::string variance;                   ///< Var or E Z^2 as a formula
    std::string reference;                  ///< author year, equation
    std::string cost;                       ///< fit, features, real columns a draw
    std::vector<ParameterInfo> parameters;  ///< what a user may give to fit()
    bool positive = false;                  ///< every feature value is positive for every input
    bool unbiased = true;                   ///< E Z = K exactly
    bool estimates_kernel = true;  ///< false: what products of features stand for is whatever they were trained for
    bool discrete = false;         ///< omega is drawn by its quantile function; integers, for those of rfbench
    PoissonMoments poisson_moments = PoissonMoments::left_out;  ///< of the statistics that fit() reads
    bool differentiable = false;  ///< its maps have gradients: FeatureMap::differentiable()
    /// Whether features depend on the statistics where these settings are given; null: they never do.
    bool (*fitted)(const Settings&) = nullptr;
    /// Couplings of draws under which covariance() is known, whatever the mechanism is fitted to.
    std::vector<sampling::Coupling> couplings = {};
    /// Throws InputError naming the parameter, its value and what is allowed, and std::invalid_argument where
    /// statistics, or what a training left, do not fit. Whether the mechanism states moments is in the type.
    std::variant<FitOf<Mechanism>, FitOf<MechanismWithMoments>> fit;
    /// Digest of sources outside of rfbench that its values come from; empty for those of rfbench.
    std::string code = {};

    /// Whether exact moments of one draw are known: fit_with_moments() takes it then.
    bool has_moments() const { return std::holds_alternative<FitOf<MechanismWithMoments>>(fit); }

    /// Whether estimator_log_variance() knows the variance under the scheme for all settings and numbers of draws.
    bool has_variance_under(const sampling::Scheme&) const;
};

}  // namespace rfbench::features
