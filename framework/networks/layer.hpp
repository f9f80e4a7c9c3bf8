#pragma once
#include "rfbench/networks/feed_forward.hpp"
#include "rfbench/networks/layer_norm.hpp"
#include "rfbench/networks/multi_head.hpp"

namespace rfbench::networks {

/// Place of layer normalization, A being multi-head attention with its output map and F the feed-forward part:
///
///     before:      Y = X + A(LN(X)),   X' = Y + F(LN'(Y))      (GPT-2)
///     after:       Y = LN(A(X) + X),   X' = LN'(F(Y) + Y)      (Vaswani et al. 2017)
///     as_printed:  Y = LN(A(X) + X),   X' = LN'(F(Y)) + Y      (Likhosherstov 2022, (2.13), (2.14): erratum 8)
enum class NormPlace { before, after, as_printed };

/// Parts of a layer. all: as above. attention: only X' = concat_h attention_h(Q_h, K_h, V_h), L x heads e, without
/// output map, residual connections, normalization and feed-forward part.
enum class LayerParts { all, attention };

/// Sizes and kinds of the parts of a layer.
struct LayerShape {
    Index width = 0;                                       ///< columns of X
    Index inner = 0;                                       ///< columns between the maps of the feed-forward part
    HeadWidths head{};                                     ///< of each head
    NormPlace norm = NormPlace::before;                    ///< of both normalizations
    Gelu gelu = Gelu::by_tanh;                             ///< of the feed-forward part
    Bias bias = Bias::with;                                ///< of all maps
    double epsilon = 1e-5;                                 ///< of the layer normalization
    attention::Visible visible = attention::Visible::all;  ///< keys that a token sees
    LayerParts parts = LayerParts::all;                    ///< that there are
    BesideHeads beside = {};                               ///< gate and convolution
};

/// One layer of a Transformer: X' from X, rows are tokens.
class Layer {
public:
    /// Adds, of the parts that there are, what GPT-2 calls `name`.ln_1, `name`.attn.c_attn, `name`.attn.c_proj,
    /// `name`.ln_2 and `name`.mlp.c_... to the layout.
    Layer(Layout&, const std::string& name, const LayerShape&, Heads);

    /// The heads, which may be replaced.
    MultiHead& attention() { return attention_; }
    /// The heads, their map of queries, keys and values, and what is beside them.
    const MultiHead& attention() const { return attention_; }
    LayerParts parts() const { return parts_; }  ///< that there are
    /// The map after the heads; without parameters in a layer of attention alone, as all that follow.
    const Affine& output() const { return output_; }
    /// F.
    const FeedForward& feed_forward() const { return feed_forward_; }
    /// LN, of the attention.
    const LayerNorm& first_norm() const { return norm1_; }
    /// LN', of the feed-forward part.
    const LayerNorm& second_norm() const { return norm2_; }

    /// Values of the forward pass that the backward pass needs.
    template <class Scalar>
    struct Pass {
        typename LayerNorm::Pass<Scalar> norm1, norm2;    ///< of LN and LN'
        typename MultiHead::Pass<Scalar> attention;       ///< of the heads
        typename FeedForward::Pass<Scalar> feed_forward;  ///< of F
        Rows<Scalar> attention_in, attended, inner_in;    ///< inputs of the heads, of the output map and of F
        Rows<Scalar> work;                                ///< output of a part before the residual connection
    };

    /// Replaces X by X'.
    template <class Scalar>
    void forward(const Weights<Scalar>&, const Starts&, Pass<Scalar>&, Rows<Scalar>& x) const;
    /// Replaces the gradient of X' by that of X, and adds those of the parameters to `gradient`. `pass` is used up.
    template <class Scalar>
    void backward(const Weights<Scalar>&, const Starts&, Pass<Scalar>&, Column<Scalar>& gradient,
                  Rows<Scalar>& by_x) const;

private:
    template <class Scalar>
    void attend(const Weights<Scalar>&, const Starts&, Pass<Scalar>&, Rows<Scalar>& y) const;
    template <class Scalar>
    void attend_back(const Weights<Scalar>&, const Starts&, Pass<Scalar>&, const Rows<Scalar>& by_y,
                     Column<Scalar>& gradient, Rows<Scalar>& by_x) const;

    LayerParts parts_;
    NormPlace place_;
    LayerNorm norm1_, norm2_;
    MultiHead attention_;
    Affine output_;
    FeedForward feed_forward_;
};

}  // namespace rfbench::networks
