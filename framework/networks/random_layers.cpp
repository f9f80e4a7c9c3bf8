#include "rfbench/attention/transformer.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::attention {
namespace {

Points random_weights(Index rows, Index columns, double gain, const Stream& stream) {
    Eigen::MatrixXd entries(rows, columns);
    fill_normal(stream, entries);
    return gain / std::sqrt(static_cast<double>(rows)) * entries;
}

/// Each row with mean zero and variance one; a row of equal entries becomes zero.
Points layer_norm(Points x) {
    x.colwise() -= x.rowwise().mean();
    for (Index i = 0; i < x.rows(); ++i) {
        const double deviation = std::sqrt(x.row(i).squaredNorm() / static_cast<double>(x.cols()));
        if (deviation > 0) x.row(i) /= deviation;
    }
    return x;
}

std::string size(const Points& points) { return std::to_string(points.rows()) + " x " + std::to_string(points.cols()); }

double gelu(double z) { return 0.5 * z * (1 + std::erf(z * M_SQRT1_2)); }

}  // namespace

Transformer::Transformer(const TransformerShape& shape, double gain, const Stream& stream) : shape_(shape) {
    for (const auto& [name, value] : {std::pair("layers", shape.layers),
                                      {"heads", shape.heads},
                                      {"hidden", shape.hidden},
                                      {"feed_forward", shape.feed_forward}})
        if (value < 1)
            throw std::invalid_argument("transformer: " + std::string(name) + " is " + std::to_string(value) +
                                        "; at least 1 is needed");
    if (!std::isfinite(gain))
        throw std::invalid_argument("transformer: gain is " + std::to_string(gain) + "; it must be finite");
    if (shape.hidden % shape.heads != 0)
        throw std::invalid_argument("transformer: hidden is " + std::to_string(shape.hidden) +
                                    ", which is not a multiple of heads, " + std::to_string(shape.heads));
    for (Index r = 0; r < shape.layers; ++r) {
        const Stream own = stream.child(static_cast<std::uint64_t>(r));
        const auto square = [&](const char* name) {
            return random_weights(shape.hidden, shape.hidden, gain, own.child(name));
        };
        layers_.push_back({square("query"), square("key"), square("value"), square("output"),
                           random_weights(shape.hidden, shape.feed_forward, gain, own.child("widen")),
                           random_weights(shape.feed_forward, shape.hidden, gain, own.child("narrow"))});
    }
}

Points Transformer::layer(Index r, const Points& x, const HeadAttention& attend, Outcome& outcome) const {
    if (r < 0 || r >= shape_.layers)
        throw std::invalid_argument("transformer: there is no layer " + std::to_string(r) + "; the layers are 0 .. " +
                                    std::to_string(shape_.layers - 1));
    if (x.cols() != shape_.hidden)
        throw std::invalid_argument("transformer: x is " + size(x) +
                                    "; it must have hidden = " + std::to_string(shape_.hidden) + " columns");
    check_finite<double>("transformer: x has", x);
    const Weights& weights = layers_[static_cast<std::size_t>(r)];
    // Heads are groups of columns of Q, K and V, and of what is put together from them.
    const Points q = x * weights.query, k = x * weights.key, v = x * weights.value;
    Points heads(x.rows(), shape_.hidden), out;
    const Index width = shape_.hidden / shape_.heads;
    for (Index h = 0; h < shape_.heads; ++h) {
        outcome += attend(
            r, h, {q.middleCols(h * width, width), k.middleCols(h * width, width), v.middleCols(h * width, width)},
            out);
        if (out.rows() != x.rows() || out.cols() != width)
            throw std::invalid_argument("transformer: attention of layer " + std::to_string(r) + ", head " +
                                        std::to_string(h) + " gave " + size(out) + "; it must give " +
                                        std::to_string(x.rows()) + " x " + std::to_string(width));
        heads.middleCols(h * width, width) = out;
    }
    // (2.13), then (2.14), whose last sum is outside of the layer norm, as printed.
    const Points y = layer_norm(heads * weights.output + x);
    const Points wide = (y * weights.widen).unaryExpr(&gelu);
    return layer_norm(wide * weights.narrow) + y;
}

}  // namespace rfbench::attention
