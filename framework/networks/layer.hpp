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

/// Parts of a layer. all: as above. attention: X' = concat_h attention_h(Q_h, K_h, V_h) alone, heads (values' columns)
/// wide, without an output map, a sum or a normalization.
enum class LayerParts { all, attention };

/// Sizes and kinds of the parts of a layer.
struct LayerShape {
    Index width = 0, inner = 0;
    HeadWidths head{};
    NormPlace norm = NormPlace::before;
    Gelu gelu = Gelu::by_tanh;
    Bias bias = Bias::with;
    double epsilon = 1e-5;  ///< of the layer normalization
    attention::Visible visible = attention::Visible::all;
    LayerParts parts = LayerParts::all;
    BesideHeads beside = {};
};

/// One layer of a Transformer: X' from X, rows are tokens.
class Layer {
public:
    /// Adds, of the parts that there are, what GPT-2 calls `name`.ln_1, `name`.attn.c_attn, `name`.attn.c_proj,
    /// `name`.ln_2 and `name`.mlp.c_... to the layout.
    Layer(Layout&, const std::string& name, const LayerShape&, Heads);

    /// The parts; those that there are not have no parameters.
    MultiHead& attention() { return attention_; }
    const MultiHead& attention() const { return attention_; }
    LayerParts parts() const { return parts_; }
    const Affine& output() const { return output_; }
    const FeedForward& feed_forward() const { return feed_forward_; }
    const LayerNorm& first_norm() const { return norm1_; }
    const LayerNorm& second_norm() const { return norm2_; }

    /// Values of the forward pass that the backward pass needs.
    template <class Scalar>
    struct Pass {
        typename LayerNorm::Pass<Scalar> norm1, norm2;
        typename MultiHead::Pass<Scalar> attention;
        typename FeedForward::Pass<Scalar> feed_forward;
        Rows<Scalar> attention_in, attended, inner_in;  ///< what the parts were given
        Rows<Scalar> work;
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
