// Mechanisms: features with E f1(omega, x) f2(omega, y) = K(x, y), by any sampling that can draw their law.
#include "methods/mechanism.hpp"

#include <algorithm>
#include <complex>

#include "rfbench/attention/softmax_map.hpp"
#include "study/code.hpp"

namespace rfbench::experiments {
namespace {

using Type = features::ParameterInfo::Type;

/// Queries and keys that only say how many coordinates there are.
features::Statistics statistics_of_origin(Index dimension) {
    const Points origin = Points::Zero(1, dimension);
    return attention::softmax_statistics(origin, origin);
}

/// The coordinates that points have which these parameters are for: as many as lists have entries.
Index dimension_for(const features::Settings& settings, Index otherwise) {
    for (const auto& [name, value] : settings)
        if (const auto* list = std::get_if<std::vector<double>>(&value)) return static_cast<Index>(list->size());
    return otherwise;
}

/// True for mechanisms whose parameters are read from a training; their methods are in separate files.
bool is_trained(const features::MechanismInfo& info) {
    return std::any_of(info.parameters.begin(), info.parameters.end(),
                       [](const auto& parameter) { return !parameter.axes.empty(); });
}

class MechanismMethod final : public Method,
                              public RowFeatures,
                              public HeadFeatures,
                              public Outputs,
                              public NetworkLayers {
public:
    MechanismMethod(const features::MechanismInfo& info, features::Settings settings)
        : chosen_{info, std::move(settings)} {
        if (!is_trained(info)) return;
        // A map that is trained is fitted to nothing; it says itself for which rows it is, and has one size.
        const auto trained = chosen_.fit({});
        dimension_ = trained->dimension();
        if (dimension_) columns_ = trained->columns(1);
    }

    const ChosenMechanism* mechanism() const override { return &chosen_; }
    const RowFeatures* row_features() const override { return this; }
    const HeadFeatures* head_features() const override { return this; }
    const Outputs* outputs() const override { return this; }
    const NetworkLayers* layers() const override { return chosen_.info.differentiable ? this : nullptr; }

    std::optional<Index> dimension() const override { return dimension_; }
    std::optional<Index> own_columns() const override { return columns_; }
    bool drawn() const override { return !dimension_; }
    // Integers are drawn by the quantile function of their law, from uniforms, which schemes of directions do not have.
    bool drawn_by(const sampling::Scheme& scheme) const override { return !chosen_.info.discrete || scheme.uniforms; }

    bool estimates_kernel() const override { return chosen_.info.estimates_kernel; }
    RowDrawing of_rows(const PointsView& queries, const PointsView& keys) const override {
        const std::shared_ptr<const features::Mechanism> fitted =
            chosen_.fit(features::statistics(queries, keys, chosen_.info.poisson_moments));
        return {
            fitted->columns(1),
            [fitted, d = queries.cols()](Index draws, const sampling::Scheme& scheme, const Stream& stream) -> RowMap {
                return {fitted->map(features::draw(*fitted, d, draws, scheme, stream))};
            }};
    }

    Drawing features(const PointsView& queries, const PointsView& keys) const override {
        return drawing(chosen_.fit(attention::softmax_statistics(queries, keys, chosen_.info.poisson_moments)),
                       queries.cols());
    }

    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme& scheme,
                                                 const Stream& stream) const override {
        const std::shared_ptr<const features::Mechanism> any = chosen_.fit(statistics_of_origin(size.dimension));
        // A draw costs the same for every fit: the number that the budget allows is known before there are tokens.
        const Index count = draws_within(*any, size.columns);
        if (chosen_.is_fitted())
            return attention::fitted_method({&chosen_.info, chosen_.settings, count, &scheme, stream, size.first_fit});
        return attention::linear_method(std::make_unique<attention::SoftmaxMap>(
            attention::softmax_map(*any, size.dimension, count, scheme, stream)));
    }

    bool redraws() const override { return drawn(); }
    /// Draws do not depend on the tokens that the mechanism is fitted to.
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme& scheme,
                                                         const Stream& stream) const override {
        const std::shared_ptr<const features::Mechanism> any = chosen_.fit(statistics_of_origin(size.dimension));
        const features::Draw draw =
            features::draw(*any, size.dimension, draws_within(*any, size.columns), scheme, stream);
        const auto map = [draw, dimension = size.dimension](const features::Mechanism& mechanism) {
            return std::make_shared<attention::SoftmaxMap>(mechanism.map(draw), dimension);
        };
        // A mechanism that is never fitted has one map for all sequences.
        if (!chosen_.is_fitted()) return training::fixed_attention(map(*any));
        return training::fitted_attention(
            [map, own = chosen_](const PointsView& queries, const PointsView& keys) {
                return map(*own.fit(attention::softmax_statistics(queries, keys, own.info.poisson_moments)));
            },
            map(*any));
    }

private:
    /// Many draws of one fit.
    static Drawing drawing(std::shared_ptr<const features::Mechanism> mechanism, Index dimension) {
        return [mechanism = std::move(mechanism), dimension](Index columns, const sampling::Scheme& scheme,
                                                             const Stream& stream) {
            return std::make_shared<attention::SoftmaxMap>(
                attention::softmax_map(*mechanism, dimension, draws_within(*mechanism, columns), scheme, stream));
        };
    }

    ChosenMechanism chosen_;
    std::optional<Index> dimension_, columns_;
};

config::Schema schema_of(Type type) {
    using namespace config;
    switch (type) {
        case Type::boolean: return boolean();
        case Type::integer: return integer();
        case Type::sign: return integer(-1, 1);
        case Type::complex: return any_of({real(), list_of(real(), 2, Repetition::allowed)});
        case Type::list: return list_of(real(), 1, Repetition::allowed);
        case Type::word: return text();
        default: return real();
    }
}

features::ParameterValue value_of(Type type, const config::Value& value) {
    switch (type) {
        case Type::boolean: return value.boolean();
        case Type::integer:
        case Type::sign: return static_cast<double>(value.integer());
        case Type::word: return value.text();
        case Type::complex:
            if (value.kind() == config::Kind::number) return std::complex<double>(value.number());
            if (value.items().size() != 2) value.refuse("a complex number is written [real part, imaginary part]");
            return std::complex<double>(value.items()[0].number(), value.items()[1].number());
        case Type::list: {
            std::vector<double> all;
            for (const config::Value& item : value.items()) all.push_back(item.number());
            return all;
        }
        default: return value.number();
    }
}

/// Fits the mechanism to a pair of points, so that values it does not take are refused here and not cell by cell.
void require_accepted(const features::MechanismInfo& info, const features::Settings& settings,
                      const config::Value& entry) {
    if (settings.empty()) return;
    const Points probe = Points::Constant(1, dimension_for(settings, 1), 0.5);
    try {
        features::fit(info, features::statistics(probe, probe, info.poisson_moments), settings);
    } catch (const std::invalid_argument& error) {
        // With several settings none may be wrong by itself: the entry is named.
        (settings.size() == 1 ? entry.at(settings.begin()->first) : entry).refuse(error.what());
    }
}

const features::MechanismInfo& info_of(const config::Value& entry) { return features::find(entry.at("use").text()); }

/// Mechanisms of a plugin stand on the file that asks its functions.
std::string code_of(const features::MechanismInfo& info) {
    if (info.code.empty()) return digest_of_mechanism(info.name);
    return joined(info.code, digest_of_file("framework/features/function_mechanism.cpp"));
}

}  // namespace

Index draws_within(const features::Mechanism& mechanism, Index columns) {
    return std::max<Index>(1, columns / mechanism.columns(1));
}

std::vector<config::KeyRule> parameter_keys(const features::MechanismInfo& info) {
    std::vector<config::KeyRule> keys;
    for (const features::ParameterInfo& parameter : info.parameters)
        if (parameter.axes.empty())
            keys.push_back(config::optional(parameter.name, schema_of(parameter.type),
                                            parameter.meaning + " (" + parameter.range + ")"));
    return keys;
}

features::Settings settings_of(const features::MechanismInfo& info, const config::Value& entry) {
    features::Settings settings;
    for (const features::ParameterInfo& parameter : info.parameters)
        if (parameter.axes.empty() && entry.has(parameter.name))
            settings.emplace(parameter.name, value_of(parameter.type, entry.at(parameter.name)));
    require_accepted(info, settings, entry);
    return settings;
}

std::shared_ptr<const Method> mechanism_method(const features::MechanismInfo& info, features::Settings settings) {
    return std::make_shared<MechanismMethod>(info, std::move(settings));
}

std::vector<MethodInfo> mechanism_methods() {
    std::vector<MethodInfo> all;
    for (const features::MechanismInfo& info : features::catalogue()) {
        // Those have files of their own, which say what is read from a training.
        if (is_trained(info)) continue;
        const MechanismMethod plain(info, {});
        all.push_back({.name = info.name,
                       .summary = info.summary,
                       .reference = info.reference,
                       .keys = parameter_keys(info),
                       .abilities = abilities_of(plain),
                       .drawn = true,
                       .budgeted = true,
                       .make = [](const config::Value& entry) -> std::shared_ptr<const Method> {
                           return mechanism_method(info_of(entry), settings_of(info_of(entry), entry));
                       },
                       .code = code_of(info)});
    }
    return all;
}

}  // namespace rfbench::experiments
