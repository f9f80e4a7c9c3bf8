#include "sources/head_weights.hpp"

namespace rfbench::experiments {

// The output of attention whose values are one at one token each is the matrix of its weights. One more value is zero
// at all tokens: its output is what a group normalization takes off every column, and zero without one.
Points head_weights(const networks::Transformer& network, const networks::Weights<float>& weights, Index r, Index h,
                    const networks::Transformer::HeadRows<float>& rows) {
    const networks::MultiHead& all = network.layer(r).attention();
    const auto head = static_cast<std::size_t>(h);
    const auto& parameter = all.head_parameters()[head];
    const Index tokens = rows.keys.rows();
    const Rows<float> values = Rows<float>::Identity(tokens, tokens + 1);
    const Points outputs = all.heads()[head]
                               ->forward(weights.values().segment(parameter.first, parameter.size()),
                                         {rows.queries, rows.keys, values}, network.shape().visible)
                               ->output.template cast<double>();
    return outputs.leftCols(tokens).colwise() - outputs.col(tokens);
}

}  // namespace rfbench::experiments
