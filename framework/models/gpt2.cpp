#include "rfbench/models/gpt2.hpp"

namespace rfbench::models {
namespace {

template <class Scalar>
networks::Sequence<Scalar> sequence(std::span<const Token> tokens) {
    return {{tokens.begin(), tokens.end()}};
}

}  // namespace

networks::TransformerShape gpt2_shape(networks::TransformerShape shape) {
    shape.inputs = 0;
    shape.class_token = false;
    shape.norm = networks::NormPlace::before;
    shape.gelu = networks::Gelu::by_tanh;
    shape.visible = attention::Visible::causal;
    shape.read_out = networks::ReadOutOf::tied;
    shape.outputs = shape.vocabulary;
    return shape;
}

template <class Scalar>
std::vector<std::vector<HeadRows<Scalar>>> heads(const Gpt2<Scalar>& model, std::span<const Token> tokens) {
    return model.network.heads(model.weights, sequence<Scalar>(tokens));
}

template <class Scalar>
Rows<Scalar> logits(const Gpt2<Scalar>& model, std::span<const Token> tokens) {
    return model.network.outputs(model.weights, sequence<Scalar>(tokens));
}

template std::vector<std::vector<HeadRows<float>>> heads(const Gpt2<float>&, std::span<const Token>);
template std::vector<std::vector<HeadRows<double>>> heads(const Gpt2<double>&, std::span<const Token>);
template Rows<float> logits(const Gpt2<float>&, std::span<const Token>);
template Rows<double> logits(const Gpt2<double>&, std::span<const Token>);

}  // namespace rfbench::models
