#include "training/training_memory.hpp"

#include <algorithm>

#include "study/map_bytes.hpp"

namespace rfbench::experiments {
namespace {

double real(Index count) { return static_cast<double>(count); }

/// Numbers a token takes between a forward and a backward pass (networks/layer.hpp): of each layer nine rows of the
/// width and two of the feed-forward part; of the rest of the network six.
double kept_a_token(const networks::TransformerShape& s) {
    return real(s.layers * (9 * s.width + 2 * s.inner) + 6 * s.width);
}

/// Maps of all heads and layers, and what one head works on.
double head_bytes(const networks::TransformerShape& shape, Index columns) {
    // Features of queries and of keys, their gradients, and a copy of each of the four.
    const double features = 8 * real(shape.positions * columns);
    return real(shape.layers * shape.heads) * map_bytes(shape.width / shape.heads, columns) + sizeof(float) * features;
}

}  // namespace

Index part_rows(Index length, Index batch) { return std::max(length, std::min(batch, 256 / length) * length); }

double gradient_bytes(const networks::TransformerShape& shape, Index rows) {
    // Memory that is kept, and about as much as one layer works on.
    networks::TransformerShape layer = shape;
    layer.layers = 1;
    return sizeof(float) * real(rows) * (kept_a_token(shape) + kept_a_token(layer));
}

double training_bytes(const networks::TransformerShape& shape) {
    // Values, their gradient and that of a part, two means of Adam, and factors packed in both orders.
    const double parameters = real(networks::Transformer(shape).layout().size());
    const Index rows = std::max<Index>(256, shape.positions);
    // Outputs of a part, and their gradient.
    const double outputs = 2 * real(rows * shape.outputs);
    return sizeof(float) * (7 * parameters + outputs) + gradient_bytes(shape, rows);
}

double training_bytes(const networks::TransformerShape& shape, const Axis<MethodChoice>& methods, Index columns) {
    double of_heads = 0;
    for (const MethodChoice& method : methods)
        of_heads = std::max(of_heads, head_bytes(shape, method.columns_within(columns)));
    return training_bytes(shape) + of_heads;
}

}  // namespace rfbench::experiments
