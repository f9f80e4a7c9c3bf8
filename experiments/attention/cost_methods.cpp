#include "attention/cost_methods.hpp"

#include <algorithm>
#include <memory>

#include "normal_points.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/methods.hpp"
#include "rfbench/attention/prefix_fit.hpp"
#include "rfbench/attention/softmax_map.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

Rows<float> normals(Index length, Index dimension, const Stream& stream) {
    return normal_points(stream, length, dimension).cast<float>();
}

const sampling::Scheme& orthogonal() { return sampling::find("orthogonal"); }

attention::SoftmaxMap drawn(const features::Mechanism& mechanism, Index dimension, Index columns,
                            const Stream& stream) {
    return attention::softmax_map(mechanism, dimension, count_for_cost(mechanism, columns), orthogonal(), stream);
}

/// Of a mechanism with its default parameters, or those that are given.
std::unique_ptr<attention::SoftmaxMap> drawn(const CostMethod& method, Index dimension, const Stream& stream) {
    const auto mechanism = features::fit(*method.mechanism, {}, method.settings);
    return std::make_unique<attention::SoftmaxMap>(drawn(*mechanism, dimension, method.features, stream));
}

std::function<void()> attend(std::shared_ptr<const attention::Method> method, const Tokens& tokens, Visible visible) {
    return [method, &tokens, visible, out = std::make_shared<Rows<float>>()] {
        method->attend(tokens.inputs(), visible, *out);
    };
}

std::function<void()> copy(const Tokens& tokens) {
    return [&tokens, out = std::make_shared<Rows<float>>()] { *out = tokens.values; };
}

features::Statistics statistics_of(const Tokens& tokens, const features::MechanismInfo& info) {
    return attention::softmax_statistics(tokens.queries.cast<double>(), tokens.keys.cast<double>(),
                                         info.poisson_moments);
}

/// FAVOR++: fitted to these queries and keys, drawn and applied; causally, fitted to the prefix.
std::function<void()> fitted(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream& stream) {
    const auto out = std::make_shared<Rows<float>>();
    const features::MechanismInfo& info = *method.mechanism;
    const Index dimension = tokens.queries.cols();
    if (visible == Visible::causal) {
        const Index count = count_for_cost(*features::fit(features::find("positive"), {}), method.features);
        return [&tokens, fit = attention::PrefixFit{&info, method.settings, count, &orthogonal(), stream}, out] {
            attention::causal_prefix_fitted(fit, tokens.inputs(), *out);
        };
    }
    return [&tokens, &info, settings = method.settings, dimension, columns = method.features, stream, out] {
        const auto mechanism = features::fit(info, statistics_of(tokens, info), settings);
        attention::linear<float>(drawn(*mechanism, dimension, columns, stream), tokens.inputs(), Visible::all, *out);
    };
}

std::function<void()> gradient(std::shared_ptr<const attention::SoftmaxMap> map, const Tokens& tokens,
                               Visible visible) {
    // The values stand for the output's gradient: any numbers of its shape do.
    return [map, &tokens, visible, out = std::make_shared<attention::Gradients<float>>()] {
        attention::backward<float>(*map, tokens.inputs(), visible, tokens.values, *out);
    };
}

/// Falls to exp(-8) over the sequence: no entry is so small that arithmetic slows down.
attention::ToeplitzMask mask(Index length) {
    return attention::decaying_mask({length}, 8.0 / static_cast<double>(length));
}

const std::vector<std::string>& names() {
    static const std::vector<std::string> all{"copy", "exact", "linear", "fitted", "gradient", "masked"};
    return all;
}

}  // namespace

Tokens::Tokens(Index length, Index dimension, const Stream& stream)
    : queries(normals(length, dimension, stream.child("queries"))),
      keys(normals(length, dimension, stream.child("keys"))),
      values(normals(length, dimension, stream.child("values"))) {}

std::function<void()> CostMethod::run(const Tokens& tokens, Visible visible, const Stream& stream) const {
    const Index dimension = tokens.queries.cols();
    if (name == "copy") return copy(tokens);
    if (name == "exact") return attend(attention::exact_method(), tokens, visible);
    if (name == "fitted") return fitted(*this, tokens, visible, stream);
    if (name == "gradient") return gradient(drawn(*this, dimension, stream), tokens, visible);
    if (name == "masked")
        return attend(attention::masked_method(drawn(*this, dimension, stream), mask), tokens, visible);
    return attend(attention::linear_method(drawn(*this, dimension, stream)), tokens, visible);
}

config::Schema cost_methods_schema() {
    using namespace config;
    std::vector<KeyRule> keys{
        required("name", one_of(names()),
                 "copy: values to the output, no attention does with less; exact: softmax; linear; fitted: linear, "
                 "fitted to these queries and keys, causally to the prefix; gradient: of linear, backward; masked: "
                 "decaying with the distance, by the cheaper path"),
        optional("label", text(), "its name in results and figures; the name, unless given"),
        defaulted("mechanism", one_of(mechanism_names()), "positive", "whose features"),
        defaulted("features", integer(1, 65536), "256", "real columns"),
        defaulted("longest", integer(1, 100'000'000), "100000000", "L it is measured up to"),
    };
    for (KeyRule& key : parameter_keys()) keys.push_back(std::move(key));
    return list_of(object(std::move(keys)));
}

std::vector<CostMethod> cost_methods(const config::Value& list, Index dimension) {
    std::vector<CostMethod> result;
    for (const config::Value& entry : list.items()) {
        const std::string name = entry.at("name").text();
        CostMethod next{name,
                        entry.has("label") ? entry.at("label").text() : name,
                        &features::find(entry.at("mechanism").text()),
                        {},
                        static_cast<Index>(entry.at("features").integer()),
                        static_cast<Index>(entry.at("longest").integer())};
        next.settings = mechanism_settings(*next.mechanism, entry);
        require_dimension(entry, *next.mechanism, next.settings, dimension);
        const auto same = [&](const CostMethod& earlier) { return earlier.label == next.label; };
        if (std::any_of(result.begin(), result.end(), same))
            entry.refuse("the label '" + next.label + "' is taken by an earlier method; give this one another");
        result.push_back(std::move(next));
    }
    return result;
}

}  // namespace rfbench::experiments
