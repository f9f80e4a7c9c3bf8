#include "rfbench/networks/random_layers.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::networks {
namespace {

Points random_weights(Index rows, Index columns, double gain, const Stream& stream) {
    Eigen::MatrixXd entries(rows, columns);
    fill_normal(stream, entries);
    return gain / std::sqrt(static_cast<double>(rows)) * entries;
}

/// The weights of one layer, each matrix by a stream of its own.
Vector layer_weights(const Layer& layer, const Layout& layout, double gain, const Stream& stream) {
    Vector all = Vector::Zero(layout.size());
    const auto fill = [&](const Affine& map, const std::vector<const char*>& names) {
        auto weight = view(all, map.weight());
        const Index width = weight.cols() / static_cast<Index>(names.size());
        for (std::size_t i = 0; i < names.size(); ++i)
            weight.middleCols(static_cast<Index>(i) * width, width) =
                random_weights(weight.rows(), width, gain, stream.child(names[i]));
    };
    fill(layer.attention().project(), {"query", "key", "value"});
    fill(layer.output(), {"output"});
    fill(layer.feed_forward().widen(), {"widen"});
    fill(layer.feed_forward().narrow(), {"narrow"});
    view(all, layer.first_norm().scale()).setOnes();
    view(all, layer.second_norm().scale()).setOnes();
    return all;
}

RandomLayersShape checked(const RandomLayersShape& shape, double gain) {
    for (const auto& [name, value] : {std::pair("layers", shape.layers),
                                      {"heads", shape.heads},
                                      {"hidden", shape.hidden},
                                      {"feed_forward", shape.feed_forward}})
        if (value < 1)
            throw std::invalid_argument("layers: " + std::string(name) + " is " + std::to_string(value) +
                                        "; at least 1 is needed");
    if (!std::isfinite(gain))
        throw std::invalid_argument("layers: gain is " + std::to_string(gain) + "; it must be finite");
    if (shape.hidden % shape.heads != 0)
        throw std::invalid_argument("layers: hidden is " + std::to_string(shape.hidden) +
                                    ", which is not a multiple of heads, " + std::to_string(shape.heads));
    return shape;
}

LayerShape layer_shape(const RandomLayersShape& shape) {
    const Index width = shape.hidden / shape.heads;
    return {shape.hidden,           shape.feed_forward, {width, width}, shape.norm, Gelu::exact, Bias::with, 0,
            attention::Visible::all};
}

std::string size(const Points& points) { return std::to_string(points.rows()) + " x " + std::to_string(points.cols()); }

}  // namespace

RandomLayers::RandomLayers(const RandomLayersShape& shape, double gain, const Stream& stream)
    : shape_(checked(shape, gain)), layer_(layout_, "h", layer_shape(shape_), softmax_heads(shape_.heads)) {
    for (Index r = 0; r < shape.layers; ++r)
        weights_.emplace_back(layout_,
                              layer_weights(layer_, layout_, gain, stream.child(static_cast<std::uint64_t>(r))),
                              Passes::forward);
}

Points RandomLayers::layer(Index r, const Points& x, const PlacedAttention& attend, attention::Outcome& outcome) const {
    if (r < 0 || r >= shape_.layers)
        throw std::invalid_argument("layers: there is no layer " + std::to_string(r) + "; the layers are 0 .. " +
                                    std::to_string(shape_.layers - 1));
    if (x.cols() != shape_.hidden)
        throw std::invalid_argument("layers: x is " + size(x) +
                                    "; it must have hidden = " + std::to_string(shape_.hidden) + " columns");
    attention::check_finite<double>("layers: x has", x);
    Heads heads;
    for (Index h = 0; h < shape_.heads; ++h)
        heads.push_back(
            training::forward_attention([&attend, r, h](const attention::Inputs<double>& in, attention::Visible,
                                                        Points& out) { return attend(r, h, in, out); }));
    // A copy takes the heads of this call: the layer itself, which all share, stays as it is.
    Layer own = layer_;
    own.attention().replace(std::move(heads));
    Layer::Pass<double> pass;
    Points out = x;
    own.forward(weights_[static_cast<std::size_t>(r)], {0, x.rows()}, pass, out);
    outcome += pass.attention.outcome;
    return out;
}

}  // namespace rfbench::networks
