#include "rfbench/models/gpt2.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/attention/exact.hpp"

namespace rfbench::models {
namespace {

/// Applies `work(first, n)` to tiles of rows. They do not depend on the threads, which share them.
template <class Work>
void for_tiles(Index rows, Work work) {
    constexpr Index tile = 64;
#pragma omp parallel for schedule(static)
    for (Index first = 0; first < rows; first += tile) work(first, std::min(tile, rows - first));
}

template <class Scalar>
Rows<Scalar> normalized(const Rows<Scalar>& x, const Norm<Scalar>& norm, double epsilon) {
    Rows<Scalar> out(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i) {
        const RowVector<Scalar> centred = x.row(i).array() - x.row(i).mean();
        const Scalar variance = centred.squaredNorm() / static_cast<Scalar>(x.cols());
        const Scalar factor = 1 / std::sqrt(variance + static_cast<Scalar>(epsilon));
        out.row(i) = (centred * factor).cwiseProduct(norm.scale) + norm.shift;
    }
    return out;
}

template <class Scalar>
Rows<Scalar> product(const Rows<Scalar>& x, const Affine<Scalar>& map) {
    Rows<Scalar> out(x.rows(), map.matrix.cols());
    for_tiles(x.rows(), [&](Index first, Index n) {
        auto rows = out.middleRows(first, n);
        rows.noalias() = x.middleRows(first, n) * map.matrix;
        rows.rowwise() += map.bias;
    });
    return out;
}

template <class Scalar>
void apply_gelu(Rows<Scalar>& x) {
    const Scalar slope = static_cast<Scalar>(std::sqrt(2 / M_PI)), cubic = static_cast<Scalar>(0.044715);
    for_tiles(x.rows(), [&](Index first, Index n) {
        auto z = x.middleRows(first, n).array();
        z *= (1 + (slope * (z + cubic * z.cube())).tanh()) / 2;
    });
}

template <class Scalar>
Rows<Scalar> embedded(const Gpt2<Scalar>& model, std::span<const Token> tokens) {
    const Index length = static_cast<Index>(tokens.size());
    if (length == 0) throw std::invalid_argument("gpt2: there are no tokens; at least one is needed");
    if (length > model.shape.positions)
        throw std::invalid_argument("gpt2: there are " + std::to_string(length) + " tokens; the model has " +
                                    std::to_string(model.shape.positions) + " positions");
    Rows<Scalar> x = model.positions.topRows(length);
    for (Index i = 0; i < length; ++i) {
        const Token token = tokens[static_cast<std::size_t>(i)];
        if (token < 0 || token >= model.shape.vocabulary)
            throw std::invalid_argument("gpt2: there is no token " + std::to_string(token) + "; the vocabulary has " +
                                        std::to_string(model.shape.vocabulary));
        x.row(i) += model.tokens.row(token);
    }
    return x;
}

/// Q, K and V of all heads, L x 3 width.
template <class Scalar>
Rows<Scalar> projected(const Gpt2<Scalar>& model, const Gpt2Layer<Scalar>& layer, const Rows<Scalar>& x) {
    return product(normalized(x, layer.before_attention, model.shape.epsilon), layer.project);
}

/// Columns of one head within those of all: its queries (part 0), keys (1) or values (2).
template <class Scalar>
auto columns(const Gpt2Shape& shape, const Rows<Scalar>& all, Index part, Index head) {
    const Index width = shape.width / shape.heads;
    return all.middleCols(part * shape.width + head * width, width);
}

/// X after the layer, from its Q, K and V.
template <class Scalar>
void finish(const Gpt2<Scalar>& model, const Gpt2Layer<Scalar>& layer, const Rows<Scalar>& all, Rows<Scalar>& x) {
    const Gpt2Shape& shape = model.shape;
    Rows<Scalar> attended(x.rows(), shape.width), out;
    for (Index h = 0; h < shape.heads; ++h) {
        attention::exact<Scalar>({columns(shape, all, 0, h), columns(shape, all, 1, h), columns(shape, all, 2, h)},
                                 attention::Visible::causal, out);
        attended.middleCols(h * out.cols(), out.cols()) = out;
    }
    x += product(attended, layer.output);
    Rows<Scalar> wide = product(normalized(x, layer.before_inner, shape.epsilon), layer.widen);
    apply_gelu(wide);
    x += product(wide, layer.narrow);
}

}  // namespace

template <class Scalar>
std::vector<std::vector<HeadRows<Scalar>>> heads(const Gpt2<Scalar>& model, std::span<const Token> tokens) {
    const Gpt2Shape& shape = model.shape;
    Rows<Scalar> x = embedded(model, tokens);
    std::vector<std::vector<HeadRows<Scalar>>> table;
    for (const Gpt2Layer<Scalar>& layer : model.layers) {
        const Rows<Scalar> all = projected(model, layer, x);
        std::vector<HeadRows<Scalar>> row;
        for (Index h = 0; h < shape.heads; ++h)
            row.push_back({columns(shape, all, 0, h), columns(shape, all, 1, h), columns(shape, all, 2, h)});
        table.push_back(std::move(row));
        if (table.size() < model.layers.size()) finish(model, layer, all, x);
    }
    return table;
}

template <class Scalar>
Rows<Scalar> logits(const Gpt2<Scalar>& model, std::span<const Token> tokens) {
    Rows<Scalar> x = embedded(model, tokens);
    for (const Gpt2Layer<Scalar>& layer : model.layers) finish(model, layer, projected(model, layer, x), x);
    return normalized(x, model.last, model.shape.epsilon) * model.tokens.transpose();
}

template std::vector<std::vector<HeadRows<float>>> heads(const Gpt2<float>&, std::span<const Token>);
template std::vector<std::vector<HeadRows<double>>> heads(const Gpt2<double>&, std::span<const Token>);
template Rows<float> logits(const Gpt2<float>&, std::span<const Token>);
template Rows<double> logits(const Gpt2<double>&, std::span<const Token>);

}  // namespace rfbench::models
