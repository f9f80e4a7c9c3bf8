#pragma once
#include <cstdint>

#include "rfbench/networks/convolution.hpp"
#include "rfbench/networks/layer.hpp"
#include "rfbench/networks/read_out.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::networks {

/// Maximum rows of one sequence that one thread computes alone: they stay in the second-level cache, and threads that
/// share them would wait for one another most of the time.
inline constexpr Index max_serial_rows = 256;

/// Sizes and kinds of a network's parts.
struct TransformerShape {
    Index vocabulary = 0;      ///< tokens are numbers below this; 0: rows of `inputs` numbers
    Index inputs = 0;          ///< columns of such rows
    Index positions = 0;       ///< tokens of the longest sequence
    bool class_token = false;  ///< learned, before each sequence
    Index convolution = 0;     ///< tokens that a causal convolution after the embedding sees; 0: there is none

    Index layers = 2;                    ///< one after the other
    Index heads = 4;                     ///< of each layer
    Index width = 64;                    ///< a multiple of heads, unless `head` says how wide they are
    Index inner = 256;                   ///< between the two maps of the feed-forward part
    NormPlace norm = NormPlace::before;  ///< before or after the parts of each layer
    Gelu gelu = Gelu::by_tanh;           ///< of the feed-forward part
    double epsilon = 1e-5;               ///< of layer normalization
    LayerParts parts = LayerParts::all;  ///< of each layer
    HeadWidths head{0, 0};               ///< of queries and keys, and of values; zero: width / heads
    Bias bias = Bias::with;              ///< of all maps but the read-out, which has one
    attention::Visible visible = attention::Visible::causal;  ///< keys that a token sees
    BesideHeads beside = {};                                  ///< gate and convolution of each layer

    ReadOutOf read_out = ReadOutOf::tied;  ///< rows that outputs are read from, and by which matrix
    Index outputs = 0;                     ///< the vocabulary, where tied
};

/// Throws std::invalid_argument naming what is not positive, and when the width is not a multiple of heads.
void check(const TransformerShape&);

/// Values of the table of positions before training; it is trained like the others.
enum class InitialPositions {
    drawn,      ///< N(0, embedding^2)
    sinusoids,  ///< embedding sqrt(2) sin(n / 10000^(2i / width)), and cos: columns 2i and 2i + 1 (Vaswani et al. 2017)
};

/// Initialization. Weight matrices and the convolution after the embedding are N(0, gain^2 / rows); with `shrink`, the
/// last matrix of each part of a layer is divided by sqrt(2 layers). Token table, class token, the weight of the
/// read-out and positions, unless they are sinusoids, are N(0, embedding^2). Scales are 1, biases and convolutions
/// beside heads 0. Heads initialize their own parameters (HeadAttention::start).
struct Initialization {
    double gain = 1;                                       ///< of matrices
    double embedding = 0.02;                               ///< standard deviation of tables
    bool shrink = true;                                    ///< as GPT-2 begins
    InitialPositions positions = InitialPositions::drawn;  ///< of the table of positions
};

/// Outcome of a batch.
struct BatchOutcome {
    Loss loss;                ///< of all targets
    attention::Outcome rows;  ///< of the attention of all heads and layers
};

template <class Scalar>
class Workspace;

/// A Transformer (Vaswani et al. 2017): embedding, convolution where there is one, layers, a last normalization where
/// those of layers stand before their parts, and a read-out. Parameters are handed in; but for replace_heads() it never
/// changes.
class Transformer {
public:
    /// `heads` are those of layer 0, then of layer 1, ...; every head is softmax attention when there are none. Throws
    /// as check() and as the parts do, and for heads that are not layers x heads.
    explicit Transformer(const TransformerShape&, const Heads& heads = {});

    /// The shape as it was given.
    const TransformerShape& shape() const { return shape_; }
    /// The place of each parameter in the vector of all.
    const Layout& layout() const { return layout_; }
    /// The first part, from tokens to rows of X.
    const Embedding& embedding() const { return embedding_; }
    /// Layer `number` of 0 .. layers - 1.
    const Layer& layer(Index number) const { return layers_[static_cast<std::size_t>(number)]; }
    /// Parameters before training: those of the same name have the same numbers whatever else there is.
    Vector start(const Initialization&, const Stream&) const;
    /// Other attention, with the same numbers of parameters: features drawn again. Throws for others.
    void replace_heads(const Heads&);

    /// Mean loss over all targets of a batch, whose gradient is written. Sequences share the threads of the surrounding
    /// OpenMP settings; gradients are added in the order of the batch, so that the bits do not depend on the number of
    /// threads. Throws as Embedding::check and ReadOut::check, naming the sequence; when there is no target; and what
    /// the first sequence that fails throws.
    template <class Scalar>
    BatchOutcome gradient(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Workspace<Scalar>&,
                          Column<Scalar>& gradient) const;
    /// The same without gradients, in the memory of a single layer.
    template <class Scalar>
    BatchOutcome evaluate(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Workspace<Scalar>&) const;

    /// Outputs of one sequence: a row a token, or one row where they are pooled.
    template <class Scalar>
    Rows<Scalar> outputs(const Weights<Scalar>&, const Sequence<Scalar>&) const;

    /// Queries, keys and values of a head, rows are tokens (the class token first).
    template <class Scalar>
    struct HeadRows {
        Rows<Scalar> queries;  ///< L x d
        Rows<Scalar> keys;     ///< L x d
        Rows<Scalar> values;   ///< L x e
    };
    /// Inputs of the heads for one sequence, [layer][head].
    template <class Scalar>
    std::vector<std::vector<HeadRows<Scalar>>> heads(const Weights<Scalar>&, const Sequence<Scalar>&) const;

    /// Values that forward passes leave for backward passes.
    template <class Scalar>
    struct Pass {
        Starts starts;                                     ///< first row of each sequence
        Rows<Scalar> given;                                ///< rows of numbers of all sequences, where tokens are such
        Rows<Scalar> embedded;                             ///< X before the convolution, where there is one
        Rows<Scalar> x;                                    ///< X after the layers so far
        Rows<Scalar> last;                                 ///< X after the last normalization
        Rows<Scalar> by_x;                                 ///< gradient with respect to X
        std::vector<Rows<Scalar>> layer_outputs;           ///< X after each layer, where it is kept
        std::vector<typename Layer::Pass<Scalar>> layers;  ///< one a layer; the first serves all of outputs alone
        typename LayerNorm::Pass<Scalar> norm;             ///< of the last normalization
        typename ReadOut::Pass<Scalar> read_out;           ///< outputs of targets
        Column<Scalar> gradient;                           ///< with respect to all parameters
        BatchOutcome outcome;                              ///< of the sequences of this pass
    };

    /// Checks a sequence for gradients that are made slice by slice (sliced_gradient.hpp). Throws as gradient() does,
    /// and returns the number of targets.
    template <class Scalar>
    Index targets(std::span<const Sequence<Scalar>>) const;
    /// Values that a forward pass keeps. all_layers: what the backward passes of all layers need. last_layer: what that
    /// of the last layer needs, since layers share the memory of one. rows: as all_layers, and each layer's output X.
    enum class Keep { all_layers, last_layer, rows };
    /// Through all layers.
    template <class Scalar>
    void advance(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Pass<Scalar>&,
                 Keep = Keep::all_layers) const;
    /// The same, and the losses.
    template <class Scalar>
    void forward(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Pass<Scalar>&,
                 Keep = Keep::all_layers) const;
    /// Adds the gradient of `share` times the sum of losses. Uses the pass up.
    template <class Scalar>
    void backward(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Scalar share, Pass<Scalar>&,
                  Column<Scalar>& gradient) const;
    /// Backward pass of any loss. The pass holds the gradient with respect to the outputs in place of the outputs.
    /// layer_gradients has, for each layer, the loss's direct gradient with respect to that layer's output X; it is
    /// added to the gradient through later layers. Empty: the loss depends on the outputs alone.
    template <class Scalar>
    void backward_from_gradients(const Weights<Scalar>&, std::span<const Sequence<Scalar>>,
                                 const std::vector<Rows<Scalar>>& layer_gradients, Pass<Scalar>&,
                                 Column<Scalar>& gradient) const;

private:
    template <class Scalar>
    void begin(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Pass<Scalar>&) const;
    template <class Scalar>
    BatchOutcome run(const Weights<Scalar>&, std::span<const Sequence<Scalar>>, Workspace<Scalar>&,
                     Column<Scalar>* gradient) const;
    template <class Scalar>
    const Rows<Scalar>& normalized(const Weights<Scalar>&, Pass<Scalar>&) const;

    TransformerShape shape_;
    Layout layout_;
    Embedding embedding_;
    Convolution convolution_;
    std::vector<Layer> layers_;
    LayerNorm last_;
    ReadOut read_out_;
};

/// Memory of passes, one a thread, used again from batch to batch.
template <class Scalar>
class Workspace {
private:
    friend class Transformer;
    std::vector<Transformer::Pass<Scalar>> passes_;
};

}  // namespace rfbench::networks
