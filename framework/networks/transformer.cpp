#include "rfbench/networks/transformer.hpp"

#include <atomic>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "rfbench/parallel/in_order.hpp"
#include "rfbench/parallel/openmp_threads.hpp"

namespace rfbench::networks {
namespace {

LayerShape layer_shape(const TransformerShape& s) {
    const auto own = [&](Index given) { return given > 0 ? given : s.width / s.heads; };
    return {s.width, s.inner, {own(s.head.dimension), own(s.head.values)}, s.norm, s.gelu, s.bias, s.epsilon, s.visible,
            s.parts, s.beside};
}

/// Whether there is a normalization after the last layer.
bool normalized_at_last(const TransformerShape& s) { return s.parts == LayerParts::all && s.norm == NormPlace::before; }

/// The heads of one layer.
Heads of_layer(const TransformerShape& shape, const Heads& all, Index layer) {
    if (all.empty()) return softmax_heads(shape.heads);
    if (static_cast<Index>(all.size()) != shape.layers * shape.heads)
        throw std::invalid_argument("network: " + std::to_string(all.size()) + " heads are given for " +
                                    std::to_string(shape.layers) + " layers of " + std::to_string(shape.heads));
    return {all.begin() + layer * shape.heads, all.begin() + (layer + 1) * shape.heads};
}

/// Parts of a batch: whole sequences with at most `rows` tokens together, or one longer sequence. So the intermediate
/// values of a part stay in the second-level cache. Parts depend only on the lengths of the sequences.
struct BatchParts {
    static constexpr Index rows = max_serial_rows;
    std::vector<std::size_t> first{0};  // of each part, then the end

    template <class Scalar>
    explicit BatchParts(std::span<const Sequence<Scalar>> batch) {
        Index filled = 0;
        for (std::size_t s = 0; s < batch.size(); ++s) {
            if (filled > 0 && filled + batch[s].length() > rows) {
                first.push_back(s);
                filled = 0;
            }
            filled += batch[s].length();
        }
        first.push_back(batch.size());
    }
    Index count() const { return static_cast<Index>(first.size()) - 1; }
};

}  // namespace

void check(const TransformerShape& s) {
    for (const auto& [name, value] : {std::pair("positions", s.positions),
                                      {"layers", s.layers},
                                      {"heads", s.heads},
                                      {"width", s.width},
                                      {"inner", s.inner},
                                      {"outputs", s.outputs}})
        if (value < 1)
            throw std::invalid_argument("network: " + std::string(name) + " is " + std::to_string(value) +
                                        "; at least 1 is needed");
    if (s.convolution < 0)
        throw std::invalid_argument("network: convolution is " + std::to_string(s.convolution) +
                                    "; at least 0, which is none, is needed");
    if (s.parts == LayerParts::attention && s.layers > 1)
        throw std::invalid_argument("network: layers is " + std::to_string(s.layers) +
                                    "; of layers that are attention alone there can be one");
    if (s.parts == LayerParts::attention && s.read_out == ReadOutOf::tied)
        throw std::invalid_argument("network: the read-out cannot be tied to a layer that is attention alone");
    if ((s.head.dimension == 0 || s.head.values == 0) && s.width % s.heads != 0)
        throw std::invalid_argument("network: width is " + std::to_string(s.width) +
                                    ", which is not a multiple of heads, " + std::to_string(s.heads));
}

// The shape is checked before any part is made of it. Parts add their parameters to the layout in the order of members,
// which is thereby the order of the vector.
Transformer::Transformer(const TransformerShape& s, const Heads& heads)
    : shape_((check(s), s)),
      embedding_(layout_,
                 {s.vocabulary, s.inputs, s.positions, s.class_token, s.read_out == ReadOutOf::tied, s.width, s.bias}),
      convolution_(s.convolution > 0 ? Convolution(layout_, "conv", s.convolution, s.width) : Convolution()),
      layers_([&] {
          std::vector<Layer> all;
          for (Index r = 0; r < s.layers; ++r)
              all.emplace_back(layout_, "h." + std::to_string(r), layer_shape(s), of_layer(s, heads, r));
          return all;
      }()),
      last_(normalized_at_last(s) ? LayerNorm(layout_, "ln_f", s.width, s.epsilon) : LayerNorm()),
      read_out_(layout_, s.read_out, embedding_,
                s.parts == LayerParts::all ? s.width : layers_.back().attention().columns(), s.outputs, Bias::with) {}

void Transformer::replace_heads(const Heads& heads) {
    // All layers, or none where one refuses its heads.
    std::vector<Layer> replaced = layers_;
    for (Index r = 0; r < shape_.layers; ++r)
        replaced[static_cast<std::size_t>(r)].attention().replace(of_layer(shape_, heads, r));
    layers_ = std::move(replaced);
}

namespace {

/// A row a position, whose nearby rows are alike; mean square 1/2.
Points sinusoids(Index positions, Index width) {
    Points table(positions, width);
    for (Index c = 0; c < width; ++c) {
        const double frequency = std::pow(10'000.0, -static_cast<double>(c / 2 * 2) / static_cast<double>(width));
        for (Index n = 0; n < positions; ++n) {
            const double angle = static_cast<double>(n) * frequency;
            table(n, c) = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
        }
    }
    return table;
}

}  // namespace

Vector Transformer::start(const Initialization& how, const Stream& stream) const {
    Vector all = Vector::Zero(layout_.size());
    // Each parameter is drawn from the child of its name: it begins the same whatever others there are.
    const auto fill = [&](const Parameter& parameter, double deviation) {
        if (parameter.size() == 0) return;
        Eigen::VectorXd entries(parameter.size());
        fill_normal(stream.child(parameter.name), entries);
        all.segment(parameter.first, parameter.size()) = deviation * entries;
    };
    const auto spread = [&](const Parameter& weight) { return how.gain / std::sqrt(static_cast<double>(weight.rows)); };
    const auto ones = [&](const LayerNorm& norm) { view(all, norm.scale()).setOnes(); };
    fill(embedding_.table(), how.embedding);
    if (how.positions == InitialPositions::drawn)
        fill(embedding_.positions(), how.embedding);
    else
        view(all, embedding_.positions()) =
            M_SQRT2 * how.embedding * sinusoids(embedding_.positions().rows, shape_.width);
    fill(embedding_.class_token(), how.embedding);
    if (shape_.inputs > 0) fill(embedding_.map().weight(), spread(embedding_.map().weight()));
    if (shape_.convolution > 0) fill(convolution_.weight(), spread(convolution_.weight()));
    // Each layer adds two parts to X: unshrunk, their sum would grow by sqrt(2 layers) (Radford et al. 2019, section
    // 2.3).
    const double shrink = how.shrink ? 1 / std::sqrt(2 * static_cast<double>(shape_.layers)) : 1;
    for (const Layer& layer : layers_) {
        const MultiHead& attention = layer.attention();
        fill(attention.project().weight(), spread(attention.project().weight()));
        for (std::size_t h = 0; h < attention.heads().size(); ++h) {
            const Parameter& own = attention.head_parameters()[h];
            if (own.size() > 0)
                all.segment(own.first, own.size()) = attention.heads()[h]->start(stream.child(own.name));
        }
        if (shape_.beside.gate) fill(attention.gate().weight(), spread(attention.gate().weight()));
        if (shape_.parts == LayerParts::attention) continue;
        ones(layer.first_norm());
        ones(layer.second_norm());
        fill(layer.output().weight(), shrink * spread(layer.output().weight()));
        fill(layer.feed_forward().widen().weight(), spread(layer.feed_forward().widen().weight()));
        fill(layer.feed_forward().narrow().weight(), shrink * spread(layer.feed_forward().narrow().weight()));
    }
    if (normalized_at_last(shape_)) ones(last_);
    if (read_out_.of() != ReadOutOf::tied) fill(read_out_.map().weight(), how.embedding);
    return all;
}

template <class Scalar>
void Transformer::begin(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences,
                        Pass<Scalar>& pass) const {
    pass.starts.assign(1, 0);
    for (const auto& sequence : sequences)
        pass.starts.push_back(pass.starts.back() + embedding_.rows(sequence.length()));
    pass.layers.resize(layers_.size());
    if (shape_.convolution == 0) {
        embedding_.forward(weights, sequences, pass.starts, pass.given, pass.x);
        return;
    }
    // The convolution's input is kept: its backward pass needs it.
    embedding_.forward(weights, sequences, pass.starts, pass.given, pass.embedded);
    convolution_.forward(weights, pass.starts, pass.embedded, pass.x);
}

/// Rows from which outputs are read.
template <class Scalar>
const Rows<Scalar>& Transformer::normalized(const Weights<Scalar>& weights, Pass<Scalar>& pass) const {
    if (!normalized_at_last(shape_)) return pass.x;
    last_.forward(weights, pass.x, pass.norm, pass.last);
    return pass.last;
}

template <class Scalar>
void Transformer::advance(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences,
                          Pass<Scalar>& pass, Keep keep) const {
    begin(weights, sequences, pass);
    pass.outcome = {};
    if (keep == Keep::rows) pass.layer_outputs.resize(layers_.size());
    for (std::size_t r = 0; r < layers_.size(); ++r) {
        // Without a backward pass one layer after the other has the same memory.
        typename Layer::Pass<Scalar>& own = pass.layers[keep == Keep::last_layer ? 0 : r];
        layers_[r].forward(weights, pass.starts, own, pass.x);
        pass.outcome.rows += own.attention.outcome;
        if (keep == Keep::rows) pass.layer_outputs[r] = pass.x;
    }
}

template <class Scalar>
void Transformer::forward(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences,
                          Pass<Scalar>& pass, Keep keep) const {
    advance(weights, sequences, pass, keep);
    pass.outcome.loss = read_out_.forward(weights, sequences, pass.starts, normalized(weights, pass), pass.read_out);
}

template <class Scalar>
void Transformer::backward(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences, Scalar share,
                           Pass<Scalar>& pass, Column<Scalar>& gradient) const {
    read_out_.differentiate(sequences, share, pass.read_out);
    backward_from_gradients(weights, sequences, {}, pass, gradient);
}

template <class Scalar>
void Transformer::backward_from_gradients(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> sequences,
                                          const std::vector<Rows<Scalar>>& layer_gradients, Pass<Scalar>& pass,
                                          Column<Scalar>& gradient) const {
    read_out_.backward(weights, sequences, pass.starts, pass.read_out, gradient, pass.by_x);
    if (normalized_at_last(shape_)) last_.backward(weights, pass.norm, pass.by_x, gradient, pass.by_x);
    for (std::size_t r = layers_.size(); r-- > 0;) {
        if (!layer_gradients.empty()) pass.by_x += layer_gradients[r];
        layers_[r].backward(weights, pass.starts, pass.layers[r], gradient, pass.by_x);
    }
    if (shape_.convolution > 0) {
        // X after the last layer is not needed any more: its memory takes the gradient.
        convolution_.backward(weights, pass.starts, pass.embedded, pass.by_x, gradient, pass.x);
        pass.by_x.swap(pass.x);
    }
    embedding_.backward(sequences, pass.starts, pass.given, pass.by_x, gradient);
}

template <class Scalar>
Index Transformer::targets(std::span<const Sequence<Scalar>> batch) const {
    Index count = 0;
    for (std::size_t s = 0; s < batch.size(); ++s) {
        try {
            embedding_.check(batch[s]);
            read_out_.check(batch[s]);
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument("sequence " + std::to_string(s) + ": " + error.what());
        }
        count += static_cast<Index>(batch[s].targets.size());
    }
    if (count == 0) throw std::invalid_argument("network: the batch has no target");
    return count;
}

template <class Scalar>
BatchOutcome Transformer::run(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> batch,
                              Workspace<Scalar>& work, Column<Scalar>* gradient) const {
    // The mean is over the targets of the whole batch, so that parts only have to be added.
    const Scalar share = 1 / static_cast<Scalar>(targets(batch));
    Index rows = 0;
    for (const auto& sequence : batch) rows += sequence.length();
    const BatchParts parts(batch);
    BatchOutcome outcome;
    parallel::InOrder turns;
    // A single part leaves the threads to what is computed within it, unless that is little.
    const int threads = static_cast<int>(std::min<Index>(omp_get_max_threads(), parts.count()));
    // Fewer threads than before keep the memory of the others to later batches.
    work.passes_.resize(std::max<std::size_t>(work.passes_.size(), static_cast<std::size_t>(threads)));
    if (gradient) gradient->setZero(layout_.size());
    const bool single = parts.count() == 1;
    const parallel::OpenMpThreads team(single && rows <= max_serial_rows ? 1 : omp_get_max_threads());
    std::atomic<std::size_t> taken = 0;
    const auto take = [&] { return std::ref(work.passes_[taken++]); };
    parallel::Loop loop(parts.count(), parallel::Share::in_order, threads);
    loop.run(take, [&](Pass<Scalar>& pass, Index part) {
        const auto at = static_cast<std::size_t>(part);
        const auto own = batch.subspan(parts.first[at], parts.first[at + 1] - parts.first[at]);
        forward(weights, own, pass, gradient ? Keep::all_layers : Keep::last_layer);
        // A single part needs no gradient of its own, and the memory of one.
        if (gradient && single)
            backward(weights, own, share, pass, *gradient);
        else if (gradient)
            backward(weights, own, share, pass, pass.gradient.setZero(layout_.size()));
        // Gradients and losses are added in the order of the batch, whoever made them.
        turns.run(loop, part, [&] {
            outcome.loss += pass.outcome.loss;
            outcome.rows += pass.outcome.rows;
            if (gradient && !single) *gradient += pass.gradient;
        });
    });
    return outcome;
}

template <class Scalar>
BatchOutcome Transformer::gradient(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> batch,
                                   Workspace<Scalar>& work, Column<Scalar>& gradient) const {
    return run(weights, batch, work, &gradient);
}

template <class Scalar>
BatchOutcome Transformer::evaluate(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> batch,
                                   Workspace<Scalar>& work) const {
    return run<Scalar>(weights, batch, work, nullptr);
}

template <class Scalar>
Rows<Scalar> Transformer::outputs(const Weights<Scalar>& weights, const Sequence<Scalar>& sequence) const {
    embedding_.check(sequence);
    Pass<Scalar> pass;
    begin<Scalar>(weights, {&sequence, 1}, pass);
    // No backward pass follows: all layers share the memory of one.
    for (const Layer& layer : layers_) layer.forward(weights, pass.starts, pass.layers[0], pass.x);
    Rows<Scalar> out;
    read_out_.apply<Scalar>(weights, read_out_.pool<Scalar>(normalized(weights, pass)), out);
    return out;
}

template <class Scalar>
std::vector<std::vector<Transformer::HeadRows<Scalar>>> Transformer::heads(const Weights<Scalar>& weights,
                                                                           const Sequence<Scalar>& sequence) const {
    embedding_.check(sequence);
    Pass<Scalar> pass;
    begin<Scalar>(weights, {&sequence, 1}, pass);
    std::vector<std::vector<HeadRows<Scalar>>> table;
    for (const Layer& layer : layers_) {
        layer.forward(weights, pass.starts, pass.layers[0], pass.x);
        // Copied before the next layer overwrites them.
        const Rows<Scalar>& all = pass.layers[0].attention.projected;
        std::vector<HeadRows<Scalar>> row;
        for (Index h = 0; h < shape_.heads; ++h)
            row.push_back({layer.attention().part(all, h, 0), layer.attention().part(all, h, 1),
                           layer.attention().part(all, h, 2)});
        table.push_back(std::move(row));
    }
    return table;
}

template BatchOutcome Transformer::gradient(const Weights<float>&, std::span<const Sequence<float>>, Workspace<float>&,
                                            Column<float>&) const;
template BatchOutcome Transformer::evaluate(const Weights<float>&, std::span<const Sequence<float>>,
                                            Workspace<float>&) const;
template Rows<float> Transformer::outputs(const Weights<float>&, const Sequence<float>&) const;
template std::vector<std::vector<Transformer::HeadRows<float>>> Transformer::heads(const Weights<float>&,
                                                                                   const Sequence<float>&) const;
template Index Transformer::targets(std::span<const Sequence<float>>) const;
template void Transformer::advance(const Weights<float>&, std::span<const Sequence<float>>, Pass<float>&, Keep) const;
template void Transformer::forward(const Weights<float>&, std::span<const Sequence<float>>, Pass<float>&, Keep) const;
template void Transformer::backward(const Weights<float>&, std::span<const Sequence<float>>, float, Pass<float>&,
                                    Column<float>&) const;
template void Transformer::backward_from_gradients(const Weights<float>&, std::span<const Sequence<float>>,
                                                   const std::vector<Rows<float>>&, Pass<float>&, Column<float>&) const;
template BatchOutcome Transformer::gradient(const Weights<double>&, std::span<const Sequence<double>>,
                                            Workspace<double>&, Column<double>&) const;
template BatchOutcome Transformer::evaluate(const Weights<double>&, std::span<const Sequence<double>>,
                                            Workspace<double>&) const;
template Rows<double> Transformer::outputs(const Weights<double>&, const Sequence<double>&) const;
template std::vector<std::vector<Transformer::HeadRows<double>>> Transformer::heads(const Weights<double>&,
                                                                                    const Sequence<double>&) const;
template Index Transformer::targets(std::span<const Sequence<double>>) const;
template void Transformer::advance(const Weights<double>&, std::span<const Sequence<double>>, Pass<double>&,
                                   Keep) const;
template void Transformer::forward(const Weights<double>&, std::span<const Sequence<double>>, Pass<double>&,
                                   Keep) const;
template void Transformer::backward(const Weights<double>&, std::span<const Sequence<double>>, double, Pass<double>&,
                                    Column<double>&) const;
template void Transformer::backward_from_gradients(const Weights<double>&, std::span<const Sequence<double>>,
                                                   const std::vector<Rows<double>>&, Pass<double>&,
                                                   Column<double>&) const;

}  // namespace rfbench::networks
