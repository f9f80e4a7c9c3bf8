#include "learned/methods.hpp"

#include <algorithm>
#include <stdexcept>

#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/softmax_map.hpp"

namespace rfbench::experiments {
namespace {

std::vector<std::string> nonlinearity_names() {
    std::vector<std::string> names;
    for (const auto& one : features::nonlinearities()) names.push_back(one.name);
    return names;
}

/// softmax, learned, bank, then features that are drawn.
std::vector<std::string> method_names() {
    std::vector<std::string> names{"softmax", "learned", "bank"};
    for (const std::string& name : mechanism_names()) names.push_back(name);
    for (const std::string& name : nonlinearity_names()) names.push_back(name);
    return names;
}

bool among(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

features::Envelope envelope(const std::string& name) {
    return name == "none"    ? features::Envelope::none
           : name == "token" ? features::Envelope::token
                             : features::Envelope::channels;
}

features::NetworkShape network(const config::Value* entry) {
    features::NetworkShape shape;
    if (!entry) return shape;
    if (entry->has("channels")) shape.channels = static_cast<Index>(entry->at("channels").integer());
    if (entry->has("hidden")) shape.hidden = static_cast<Index>(entry->at("hidden").integer());
    if (entry->has("activation")) shape.activation = entry->at("activation").text();
    if (entry->has("output")) shape.output = entry->at("output").text();
    return shape;
}

/// Channels into the shape and, by name, into the settings.
void add_channels(Method& method, const config::Value* entry) {
    if (method.name == "bank") {
        std::vector<std::string> functions{"cos", "tanh", "relu", "gelu", "elu+1", "sigmoid", "abs", "identity"};
        if (entry && entry->has("functions")) functions = entry->at("functions").texts();
        std::string words;
        for (const std::string& one : functions) words += (words.empty() ? "" : " ") + one;
        method.settings["functions"] = words;
        method.shape.channels = features::weighted_bank(functions);
        return;
    }
    const features::NetworkShape shape = network(entry);
    method.settings = {{"channels", static_cast<double>(shape.channels)},
                       {"hidden", static_cast<double>(shape.hidden)},
                       {"activation", shape.activation},
                       {"output", shape.output}};
    method.shape.channels = features::network_channels(shape);
}

void add_shape(Method& method, const config::Value& at, const config::Value* entry) {
    method.kind = Method::Kind::learned;
    add_channels(method, entry);
    const Index count = method.shape.channels->count();
    if (entry && entry->has("projections"))
        method.shape.projections = static_cast<Index>(entry->at("projections").integer());
    else if (method.columns % count != 0)
        at.refuse("columns, " + std::to_string(method.columns) + ", are not a multiple of the channels, " +
                  std::to_string(count) + "; say how many projections there are");
    else
        method.shape.projections = method.columns / count;
    const std::string gates = entry && entry->has("envelope") ? entry->at("envelope").text() : "none";
    method.shape.envelope = envelope(gates);
    method.shape.projections_trained = !(method.name == "bank" || (entry && entry->has("fixed_projections") &&
                                                                   entry->at("fixed_projections").boolean()));
    method.columns = method.shape.columns();
    method.settings["projections"] = static_cast<double>(method.shape.projections);
    method.settings["envelope"] = gates;
}

/// `entry` is null where only a name is given.
Method method(const std::string& name, const config::Value& at, const config::Value* entry, Index columns) {
    Method result{.label = entry && entry->has("label") ? entry->at("label").text() : name,
                  .name = name,
                  .kind = Method::Kind::mechanism,
                  .columns = columns,
                  .shape = {},
                  .settings = {}};
    if (name == "learned" || name == "bank") {
        for (const char* key : {"set", "from"})
            if (entry && entry->has(key)) entry->at(key).refuse("'" + name + "' is trained here and takes no " + key);
        add_shape(result, at, entry);
        return result;
    }
    const bool mechanism = among(mechanism_names(), name);
    if (entry)
        for (const std::string& key : entry->keys())
            if (key != "name" && key != "label" && !(mechanism && (key == "set" || key == "from")))
                entry->at(key).refuse("'" + name + "' is not trained and takes no " + key);
    if (name == "softmax") {
        result.kind = Method::Kind::softmax;
        result.columns = 0;
    } else if (!mechanism) {
        result.kind = Method::Kind::nonlinearity;
    } else if (entry) {
        result.settings = mechanism_settings(features::find(name), *entry);
    }
    return result;
}

Method method(const config::Value& entry, Index columns) {
    const bool short_form = entry.kind() == config::Kind::text;
    return method(short_form ? entry.text() : entry.at("name").text(), entry, short_form ? nullptr : &entry, columns);
}

std::shared_ptr<const training::HeadAttention> mechanism_head(const Method& method, Index dimension,
                                                              const sampling::Scheme& scheme, const Stream& stream) {
    const features::MechanismInfo& info = features::find(method.name);
    // What is drawn does not depend on what the mechanism is fitted to.
    const Points origin = Points::Zero(1, dimension);
    const std::shared_ptr<const features::Mechanism> any =
        features::fit(info, attention::softmax_statistics(origin, origin), method.settings);
    const features::Draw draw = features::draw(*any, dimension, count_for_cost(*any, method.columns), scheme, stream);
    const auto softmax_map = [draw, dimension](const features::Mechanism& mechanism) {
        return std::make_shared<attention::SoftmaxMap>(mechanism.map(draw), dimension);
    };
    if (info.parameters.empty() || any->dimension())
        return training::fixed_attention([map = softmax_map(*any)](const auto&) { return map; });
    return training::fixed_attention(
        [softmax_map, &info, settings = method.settings](const attention::Inputs<double>& in) {
            return softmax_map(*features::fit(info, attention::softmax_statistics(in.queries, in.keys), settings));
        });
}

}  // namespace

std::shared_ptr<const training::HeadAttention> Method::head(Index dimension, const sampling::Scheme& scheme,
                                                            const Stream& stream) const {
    if (kind == Kind::softmax) return training::softmax_attention();
    if (kind == Kind::mechanism) return mechanism_head(*this, dimension, scheme, stream);
    if (kind == Kind::nonlinearity) {
        auto drawn = std::make_shared<attention::GeneralizedMap>(
            attention::generalized_map(features::nonlinearity(name), dimension, columns, scheme, stream));
        return training::fixed_attention([drawn](const auto&) { return drawn; });
    }
    features::MapShape own = shape;
    own.dimension = dimension;
    return training::learned_attention(own);
}

features::LearnedMap Method::map(Index dimension, const Vector& parameters) const {
    features::MapShape own = shape;
    own.dimension = dimension;
    return {own, parameters};
}

std::vector<config::KeyRule> method_keys() {
    using namespace config;
    std::vector<KeyRule> keys{
        required("name", one_of(method_names()), "the method"),
        optional("label", text(), "its name in results and figures, when it is listed twice"),
        optional("projections", integer(1, 4096), "m of learned features; columns / L unless given"),
        optional("channels", integer(1, 256), "L of learned features, 8 unless given"),
        optional("hidden", integer(1, 1024), "units of each channel, 16 unless given"),
        optional("activation", one_of(nonlinearity_names()), "of the hidden units, relu unless given"),
        optional("output", one_of(nonlinearity_names()),
                 "of the channels, relu unless given; identity: signed features"),
        optional("functions", list_of(one_of(nonlinearity_names())), "of a bank"),
        optional("envelope", one_of({"none", "token", "channels"}), "gates of each token, none unless given"),
        optional("fixed_projections", boolean(), "whether projections stay as drawn; false unless given"),
    };
    for (KeyRule& key : parameter_keys()) keys.push_back(std::move(key));
    const Schema full = object(std::move(keys));
    return {
        required("methods", list_of(any_of({one_of(method_names()), full})),
                 "softmax, learned, bank, mechanisms, nonlinearities"),
        defaulted("columns", integer(1, 65536), "64",
                  "real feature columns of a method, unless its entry says otherwise"),
        defaulted("sampling", one_of([] {
                      std::vector<std::string> names;
                      for (const sampling::Scheme& scheme : sampling::catalogue()) names.push_back(scheme.name);
                      return names;
                  }()),
                  "orthogonal", "how features that are not trained are drawn"),
        defaulted("dimension", integer(1, 1024), "16", "d of queries and keys"),
        required("steps", integer(1, 1'000'000), "mini-batches of Adam"),
        defaulted("batch", integer(1, 65536), "16", "sequences a mini-batch"),
        defaulted("rate", real(above(0).at_most(10)), "0.005", "of Adam, falling to 0 along half a cosine"),
        defaulted("longest_gradient", real(above(0)), "1", "longer gradients are shortened to this"),
        required("samples", integer(2, 100'000), "data, features and beginnings"),
    };
}

std::vector<Method> methods(const config::Value& config) {
    std::vector<Method> result;
    const auto dimension = static_cast<Index>(config.at("dimension").integer());
    for (const config::Value& entry : config.at("methods").items()) {
        Method next = method(entry, static_cast<Index>(config.at("columns").integer()));
        for (const Method& earlier : result)
            if (earlier.label == next.label)
                entry.refuse("the label '" + next.label + "' is taken by an earlier method; give this one another");
        if (next.kind == Method::Kind::mechanism) {
            require_dimension(entry, features::find(next.name), next.settings, dimension);
            const auto trained = trained_mechanism(features::find(next.name), next.settings);
            if (trained) next.columns = trained->columns(1);
        }
        result.push_back(std::move(next));
    }
    return result;
}

features::Settings trained_shape(const config::Value& config, const std::string& label) {
    for (const config::Value& entry : config.at("methods").items()) {
        const bool short_form = entry.kind() == config::Kind::text;
        const std::string name = short_form ? entry.text() : entry.at("name").text();
        if ((short_form || !entry.has("label") ? name : entry.at("label").text()) != label) continue;
        if (name != "learned" && name != "bank")
            throw std::invalid_argument("'" + label + "' has no trained map in this file");
        features::Settings settings = method(entry, static_cast<Index>(config.at("columns").integer())).settings;
        settings["dimension"] = static_cast<double>(config.at("dimension").integer());
        return settings;
    }
    throw std::invalid_argument("the file's configuration has no method '" + label + "'");
}

store::Axis method_axis(const std::vector<Method>& all) {
    std::vector<std::string> labels;
    for (const Method& one : all) labels.push_back(one.label);
    return {"method", labels, "", "attention"};
}

training::Descent descent(const config::Value& config) {
    return {static_cast<int>(config.at("steps").integer()), static_cast<int>(config.at("batch").integer()),
            config.at("rate").number(), config.at("longest_gradient").number()};
}

}  // namespace rfbench::experiments
