#include "learned/layers.hpp"

#include <stdexcept>

#include "methods/stored_map.hpp"

namespace rfbench::experiments {

const MethodKey layer_methods{.abilities = {Ability::layer}, .columns = true, .sampling = EntrySampling::drawn};

std::vector<config::KeyRule> layer_keys() {
    using namespace config;
    std::vector<std::string> schemes;
    for (const sampling::Scheme& scheme : sampling::catalogue()) schemes.push_back(scheme.name);
    return {
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a method"),
        defaulted("sampling", one_of(schemes), "orthogonal", "how features that are not trained are drawn"),
        defaulted("dimension", integer(1, 1024), "16", "d of queries and keys"),
        required("steps", integer(1, 1'000'000), "mini-batches of Adam"),
        defaulted("batch", integer(1, 65536), "16", "sequences a mini-batch"),
        defaulted("rate", real(above(0).at_most(10)), "0.005", "of Adam, falling to 0 along half a cosine"),
        defaulted("max_gradient_norm", real(above(0)), "1", "longer gradients are shortened to this"),
        required("repeats", integer(2, 100'000), "data, features and beginnings"),
    };
}

training::Descent descent(const config::Value& config) {
    return {static_cast<int>(config.at("steps").integer()), static_cast<int>(config.at("batch").integer()),
            config.at("rate").number(), config.at("max_gradient_norm").number()};
}

Layers::Layers(const config::Value& config)
    : methods_(method_axis(methods(config, layer_methods), "attention")),
      dimension_(whole(config, "dimension")),
      columns_(whole(config, "columns")),
      sampling_(&sampling::find(config.at("sampling").text())) {
    for (const MethodChoice& choice : methods_) {
        // Asked once for what it throws, so that columns which do not fit are refused here and not by the first cell.
        choice.require_dimension(dimension_);
        try {
            trained(choice);
        } catch (const std::invalid_argument& error) {
            choice.entry.refuse(error.what());
        }
    }
}

std::shared_ptr<const training::HeadAttention> Layers::layer(const MethodChoice& choice, Index length,
                                                             const Stream& stream) const {
    return choice->layers()->layer({length, dimension_, choice.columns_within(columns_)}, choice.scheme(*sampling_),
                                   stream);
}

std::optional<features::MapShape> Layers::trained(const MethodChoice& choice) const {
    return choice->layers()->trained_map(dimension_, choice.columns_within(columns_));
}

Index Layers::columns(const MethodChoice& choice) const {
    if (const auto map = trained(choice)) return map->columns();
    return choice.info->budgeted ? choice.columns_within(columns_) : 0;
}

std::map<std::string, std::string> Layers::attributes() const {
    std::map<std::string, features::Settings> shapes;
    for (const MethodChoice& choice : methods_)
        if (trained(choice))
            shapes[choice.label] = choice->layers()->stored_shape(dimension_, choice.columns_within(columns_));
    return {{"trained_maps", shapes_text(shapes)}};
}

}  // namespace rfbench::experiments
