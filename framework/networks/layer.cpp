#include "rfbench/networks/layer.hpp"

namespace rfbench::networks {

// The order of members, and so of parameters, is that of GPT-2's files: ln_1, attn, ln_2, mlp.
Layer::Layer(Layout& layout, const std::string& name, const LayerShape& shape, Heads heads)
    : parts_(shape.parts), place_(shape.norm) {
    const bool all = parts_ == LayerParts::all;
    if (all) norm1_ = LayerNorm(layout, name + ".ln_1", shape.width, shape.epsilon);
    attention_ = MultiHead(layout, name + ".attn", shape.width, shape.head, shape.bias, std::move(heads), shape.visible,
                           shape.beside);
    if (!all) return;
    output_ = Affine(layout, name + ".attn.c_proj", attention_.columns(), shape.width, shape.bias);
    norm2_ = LayerNorm(layout, name + ".ln_2", shape.width, shape.epsilon);
    feed_forward_ = FeedForward(layout, name + ".mlp", shape.width, shape.inner, shape.gelu, shape.bias);
}

/// A(attention_in).
template <class Scalar>
void Layer::attend(const Weights<Scalar>& weights, const Starts& starts, Pass<Scalar>& pass, Rows<Scalar>& y) const {
    attention_.forward(weights, pass.attention_in, starts, pass.attention, pass.attended);
    output_.forward(weights, pass.attended, y);
}

template <class Scalar>
void Layer::attend_back(const Weights<Scalar>& weights, const Starts& starts, Pass<Scalar>& pass,
                        const Rows<Scalar>& by_y, Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
    Rows<Scalar> by_attended;
    output_.backward(weights, pass.attended, by_y, gradient, by_attended);
    attention_.backward(weights, pass.attention_in, starts, pass.attention, by_attended, gradient, by_x);
}

template <class Scalar>
void Layer::forward(const Weights<Scalar>& weights, const Starts& starts, Pass<Scalar>& pass, Rows<Scalar>& x) const {
    if (parts_ == LayerParts::attention) {
        // The backward pass needs X, which is about to be overwritten: memory changes hands, and nothing is copied.
        pass.attention_in.swap(x);
        attention_.forward(weights, pass.attention_in, starts, pass.attention, x);
        return;
    }
    Rows<Scalar>& part = pass.work;
    if (place_ == NormPlace::before) {
        norm1_.forward(weights, x, pass.norm1, pass.attention_in);
        attend(weights, starts, pass, part);
        x += part;
        norm2_.forward(weights, x, pass.norm2, pass.inner_in);
        feed_forward_.forward(weights, pass.inner_in, pass.feed_forward, part);
        x += part;
        return;
    }
    pass.attention_in = x;
    attend(weights, starts, pass, part);
    part += x;
    // inner_in is Y: what F is given and what is added after it.
    norm1_.forward(weights, part, pass.norm1, pass.inner_in);
    feed_forward_.forward(weights, pass.inner_in, pass.feed_forward, part);
    if (place_ == NormPlace::after) part += pass.inner_in;
    norm2_.forward(weights, part, pass.norm2, x);
    if (place_ == NormPlace::as_printed) x += pass.inner_in;
}

template <class Scalar>
void Layer::backward(const Weights<Scalar>& weights, const Starts& starts, Pass<Scalar>& pass, Column<Scalar>& gradient,
                     Rows<Scalar>& by_x) const {
    Rows<Scalar>& part = pass.work;
    if (parts_ == LayerParts::attention) {
        part.swap(by_x);
        attention_.backward(weights, pass.attention_in, starts, pass.attention, part, gradient, by_x);
        return;
    }
    if (place_ == NormPlace::before) {
        // A residual connection passes the gradient on unchanged, and adds the gradient through its part.
        feed_forward_.backward(weights, pass.inner_in, pass.feed_forward, by_x, gradient, part);
        norm2_.backward(weights, pass.norm2, part, gradient, part);
        by_x += part;
        attend_back(weights, starts, pass, by_x, gradient, part);
        norm1_.backward(weights, pass.norm1, part, gradient, part);
        by_x += part;
        return;
    }
    // aside: gradient with respect to Y through the residual connection. For `after` it comes through LN', for
    // `as_printed` directly from X'.
    Rows<Scalar> aside = by_x, by_sum;
    norm2_.backward(weights, pass.norm2, by_x, gradient, by_sum);
    if (place_ == NormPlace::after) aside = by_sum;
    feed_forward_.backward(weights, pass.inner_in, pass.feed_forward, by_sum, gradient, part);
    part += aside;
    norm1_.backward(weights, pass.norm1, part, gradient, by_sum);
    attend_back(weights, starts, pass, by_sum, gradient, by_x);
    by_x += by_sum;
}

template void Layer::forward(const Weights<float>&, const Starts&, Pass<float>&, Rows<float>&) const;
template void Layer::backward(const Weights<float>&, const Starts&, Pass<float>&, Column<float>&, Rows<float>&) const;
template void Layer::forward(const Weights<double>&, const Starts&, Pass<double>&, Rows<double>&) const;
template void Layer::backward(const Weights<double>&, const Starts&, Pass<double>&, Column<double>&,
                              Rows<double>&) const;

}  // namespace rfbench::networks
