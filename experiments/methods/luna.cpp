// LUNA: a feature map with parameters, trained in the study or read from the result file of a training.
#include "rfbench/features/mechanisms/luna.hpp"

#include <stdexcept>

#include "methods/mechanism.hpp"
#include "methods/stored_map.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"
#include "rfbench/features/mechanisms.hpp"

namespace rfbench::experiments {
namespace {

/// A map that is trained where it is used.
class Luna final : public Method, public NetworkLayers {
public:
    explicit Luna(features::Settings shape, std::optional<Index> projections, bool fixed)
        : shape_(std::move(shape)), projections_(projections), fixed_(fixed) {}

    const NetworkLayers* layers() const override { return this; }

    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream&) const override {
        return training::learned_attention(*trained_map(size.dimension, size.columns));
    }

    /// Throws std::invalid_argument where the columns are not a multiple of the channels.
    std::optional<features::MapShape> trained_map(Index dimension, Index columns) const override {
        features::MapShape shape = features::luna_shape(shape_);
        const Index count = shape.channels->count();
        // Every projection goes through all channels, so that a budget of columns is met by whole projections alone.
        if (!projections_ && columns % count != 0)
            throw std::invalid_argument("columns, " + std::to_string(columns) +
                                        ", are not a multiple of the channels, " + std::to_string(count) +
                                        "; say how many projections there are");
        shape.dimension = dimension;
        shape.projections = projections_.value_or(columns / count);
        shape.projections_trained = !fixed_;
        return shape;
    }

    features::Settings stored_shape(Index dimension, Index columns) const override {
        features::Settings stored = shape_;
        stored["dimension"] = static_cast<double>(dimension);
        stored["projections"] = static_cast<double>(trained_map(dimension, columns)->projections);
        return stored;
    }

private:
    features::Settings shape_;
    std::optional<Index> projections_;
    bool fixed_;
};

std::vector<config::KeyRule> luna_keys() {
    using namespace config;
    std::vector<std::string> functions;
    for (const auto& one : features::nonlinearities()) functions.push_back(one.name);
    return {
        from_key("{file: results/learned/match.h5, scale: 1, method: 'luna, elu+1', repeat: 0}; without it the map is "
                 "trained where it is used"),
        optional("projections", integer(1, 4096), "m; columns / L unless given"),
        optional("channels", integer(1, 256), "L, 8 unless given"),
        optional("hidden", integer(1, 1024), "units of each channel, 16 unless given"),
        optional("activation", one_of(functions), "of the hidden units, relu unless given"),
        optional("output", one_of(functions), "of the channels, relu unless given; identity: signed features"),
        optional("functions", list_of(one_of(functions)), "a bank of fixed functions with coefficients, for channels"),
        optional("envelope", one_of({"none", "token", "channels", "gaussian", "softmax"}),
                 "factor of each token, none unless given"),
        optional("shared", boolean(),
                 "one network for all channels (shared_channels of Listing 1), false unless given"),
        optional("summed", boolean(), "whether the functions of a bank are added up, as printed, false unless given"),
        optional("channel_rms", boolean(), "channels scaled to a root mean square of 0.1 at most (Listing 1)"),
        optional("fixed_projections", boolean(), "whether projections stay as drawn; true for a bank, else false"),
    };
}

std::shared_ptr<const Method> from_file(const config::Value& entry) {
    // A shape beside a file would be read nowhere: it is refused, and not passed over.
    for (const std::string& key : entry.keys())
        for (const config::KeyRule& own : luna_keys())
            if (key == own.name && key != "from") entry.at(key).refuse("the file that 'from' names says what it is");
    return mechanism_method(features::luna(), settings_from(features::luna(), entry.at("from")));
}

std::shared_ptr<const Method> make(const config::Value& entry) {
    if (entry.has("from")) return from_file(entry);
    const auto number = [&](const char* key, double otherwise) {
        return entry.has(key) ? static_cast<double>(entry.at(key).integer()) : otherwise;
    };
    const auto word = [&](const char* key, const char* otherwise) {
        return entry.has(key) ? entry.at(key).text() : std::string(otherwise);
    };
    const auto truth = [&](const char* key) { return entry.has(key) && entry.at(key).boolean(); };
    // Settings of one kind of channels alone, defaults written out: a result file keeps them beside what is trained.
    features::Settings shape{{"envelope", word("envelope", "none")}, {"channel_rms", truth("channel_rms")}};
    const bool bank = entry.has("functions");
    if (bank) {
        for (const char* key : {"channels", "hidden", "activation", "output", "shared"})
            if (entry.has(key)) entry.at(key).refuse("channels are networks or a bank of functions, not both");
        std::string functions;
        for (const std::string& one : entry.at("functions").texts()) functions += (functions.empty() ? "" : " ") + one;
        shape["functions"] = functions;
        shape["summed"] = truth("summed");
    } else {
        if (entry.has("summed")) entry.at("summed").refuse("it is for a bank of functions, which the entry has not");
        shape["shared"] = truth("shared");
        shape["channels"] = number("channels", 8);
        shape["hidden"] = number("hidden", 16);
        shape["activation"] = word("activation", "relu");
        shape["output"] = word("output", "relu");
    }
    std::optional<Index> projections;
    if (entry.has("projections")) projections = static_cast<Index>(entry.at("projections").integer());
    // A bank has coefficients to train and leaves its projections as drawn, unless the entry says otherwise.
    const bool fixed = entry.has("fixed_projections") ? entry.at("fixed_projections").boolean() : bank;
    return std::make_shared<Luna>(std::move(shape), projections, fixed);
}

}  // namespace

std::vector<MethodInfo> luna_methods() {
    return {{.name = "luna",
             .summary = "a feature map that is trained: here, or before, its file being given",
             .reference = "Shahbazi et al. 2025, (11)",
             .keys = luna_keys(),
             .abilities = {Ability::rows, Ability::features, Ability::attention, Ability::causal, Ability::layer,
                           Ability::causal_layer},
             .drawn = false,
             .budgeted = true,
             .make = make}};
}

}  // namespace rfbench::experiments
