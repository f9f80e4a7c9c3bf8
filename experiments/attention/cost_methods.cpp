#include "attention/cost_methods.hpp"

#include <algorithm>
#include <memory>

#include "attention/baselines.hpp"
#include "normal_points.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/linformer.hpp"
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
    return [method = std::move(method), &tokens, visible, out = std::make_shared<Rows<float>>()] {
        method->attend(tokens.inputs(), visible, *out);
    };
}

std::function<void()> copy(const CostMethod&, const Tokens& tokens, Visible, const Stream&) {
    return [&tokens, out = std::make_shared<Rows<float>>()] { *out = tokens.values; };
}

std::function<void()> exact(const CostMethod&, const Tokens& tokens, Visible visible, const Stream&) {
    return attend(attention::exact_method(), tokens, visible);
}

std::function<void()> linear(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream& stream) {
    return attend(attention::linear_method(drawn(method, tokens.dimension(), stream)), tokens, visible);
}

features::Statistics statistics_of(const Tokens& tokens, const features::MechanismInfo& info) {
    return attention::softmax_statistics(tokens.queries.cast<double>(), tokens.keys.cast<double>(),
                                         info.poisson_moments);
}

/// FAVOR++: fitted to these queries and keys, drawn and applied; causally, fitted to the prefix.
std::function<void()> fitted(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream& stream) {
    const auto out = std::make_shared<Rows<float>>();
    const features::MechanismInfo& info = *method.mechanism;
    if (visible == Visible::causal) {
        const Index count = count_for_cost(*features::fit(features::find("positive"), {}), method.features);
        return [&tokens, fit = attention::PrefixFit{&info, method.settings, count, &orthogonal(), stream}, out] {
            attention::causal_prefix_fitted(fit, tokens.inputs(), *out);
        };
    }
    return [&tokens, &info, settings = method.settings, columns = method.features, stream, out] {
        const auto mechanism = features::fit(info, statistics_of(tokens, info), settings);
        attention::linear<float>(drawn(*mechanism, tokens.dimension(), columns, stream), tokens.inputs(), Visible::all,
                                 *out);
    };
}

std::function<void()> gradient(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream& stream) {
    const std::shared_ptr<const attention::SoftmaxMap> map = drawn(method, tokens.dimension(), stream);
    // The values stand for the output's gradient: any numbers of its shape do.
    return [map, &tokens, visible, out = std::make_shared<attention::Gradients<float>>()] {
        attention::backward<float>(*map, tokens.inputs(), visible, tokens.values, *out);
    };
}

/// Falls to exp(-8) over the sequence: no entry is so small that arithmetic slows down.
attention::ToeplitzMask mask(Index length) {
    return attention::decaying_mask({length}, 8.0 / static_cast<double>(length));
}

std::function<void()> masked(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream& stream) {
    return attend(attention::masked_method(drawn(method, tokens.dimension(), stream), mask), tokens, visible);
}

std::function<void()> generalized(const CostMethod& method, const Tokens& tokens, Visible visible,
                                  const Stream& stream) {
    auto map = std::make_unique<attention::GeneralizedMap>(
        attention::generalized_map(*method.function, tokens.dimension(), method.features, orthogonal(), stream));
    return attend(attention::linear_method(std::move(map)), tokens, visible);
}

std::function<void()> linear_transformer(const CostMethod&, const Tokens& tokens, Visible visible, const Stream&) {
    return attend(attention::linear_transformer_method(tokens.dimension()), tokens, visible);
}

std::function<void()> linformer(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream& stream) {
    return attend(
        attention::linformer_method(attention::random_compression(method.features, tokens.keys.rows(), stream)), tokens,
        visible);
}

std::function<void()> lsh(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream& stream) {
    return attend(lsh_of_buckets(tokens.keys.rows(), tokens.dimension(), method.bucket, method.hashes, stream), tokens,
                  visible);
}

std::function<void()> nystrom(const CostMethod& method, const Tokens& tokens, Visible visible, const Stream&) {
    return attend(attention::nystrom_method(method.features), tokens, visible);
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const CostMethodInfo& info : cost_method_catalogue()) all.push_back(info.name);
    return all;
}

}  // namespace

Tokens::Tokens(Index length, Index dimension, const Stream& stream)
    : queries(normals(length, dimension, stream.child("queries"))),
      keys(normals(length, dimension, stream.child("keys"))),
      values(normals(length, dimension, stream.child("values"))) {}

const std::vector<CostMethodInfo>& cost_method_catalogue() {
    static const std::vector<CostMethodInfo> all{
        {"copy", "values to the output: no attention does with less", true, copy},
        {"exact", "softmax attention", true, exact},
        {"linear", "through the features of a mechanism", true, linear},
        {"fitted", "linear, fitted to these queries and keys, causally to the prefix", true, fitted},
        {"gradient", "of linear, backward", true, gradient},
        {"masked", "linear, decaying with the distance, by the cheaper path", true, masked},
        {"generalized", "linear, through features g(W' x) that estimate no kernel", true, generalized},
        {"linear-transformer", "the same of elu+1, W = I", true, linear_transformer},
        {"linformer", "softmax over as many random mixtures of keys as 'features' says", false, linformer},
        {"lsh", "softmax over the keys that share a bucket with the query (Reformer)", true, lsh},
        {"nystrom", "softmax by way of as many landmarks as 'features' says", false, nystrom},
    };
    return all;
}

config::Schema cost_methods_schema() {
    using namespace config;
    std::vector<std::string> functions;
    for (const auto& one : features::nonlinearities()) functions.push_back(one.name);
    std::vector<KeyRule> keys{
        required("name", one_of(names()), "what is measured: 'rfbench list methods' says what each is"),
        optional("label", text(), "its name in results and figures; the name, unless given"),
        defaulted("mechanism", one_of(mechanism_names()), "positive", "whose features"),
        defaulted("function", one_of(functions), "relu", "g of generalized"),
        defaulted("features", integer(1, 65536), "256", "real columns; mixtures of linformer, landmarks of nystrom"),
        defaulted("bucket", integer(1, 1'000'000), "64", "tokens of a bucket of lsh, on the average"),
        defaulted("hashes", integer(1, 1000), "4", "of lsh, whose buckets are united"),
        defaulted("longest", integer(1, 100'000'000), "100000000", "L it is measured up to"),
    };
    for (KeyRule& key : parameter_keys()) keys.push_back(std::move(key));
    return list_of(object(std::move(keys)));
}

std::vector<CostMethod> cost_methods(const config::Value& list, Index dimension) {
    std::vector<CostMethod> result;
    for (const config::Value& entry : list.items()) {
        const std::string name = entry.at("name").text();
        const auto& infos = cost_method_catalogue();
        const auto whole = [&](const char* key) { return static_cast<Index>(entry.at(key).integer()); };
        CostMethod next{&*std::find_if(infos.begin(), infos.end(), [&](const auto& info) { return info.name == name; }),
                        entry.has("label") ? entry.at("label").text() : name,
                        &features::find(entry.at("mechanism").text()),
                        {},
                        &features::nonlinearity(entry.at("function").text()),
                        whole("features"),
                        whole("bucket"),
                        whole("hashes"),
                        whole("longest")};
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
