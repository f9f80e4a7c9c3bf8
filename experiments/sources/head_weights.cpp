#include "sources/head_weights.hpp"

namespace rfbench::experiments {

// The output of attention whose values are one at one token each is the matrix of its weights.
Points head_weights(const networks::Transformer& network, const networks::Weights<float>& weights, Index r, Index h,
                    const networks::Transformer::HeadRows<float>& rows) {
    const networks::MultiHead& all = network.layer(r).attention();
    const auto head = static_cast<std::size_t>(h);
    const auto& parameter = all.head_parameters()[head];
    const Rows<float> ones = Rows<float>::Identity(rows.keys.rows(), rows.keys.rows());
    return all.heads()[head]
        ->forward(weights.values().segment(parameter.first, parameter.size()), {rows.queries, rows.keys, ones},
                  network.shape().visible)
        ->output.template cast<double>();
}

}  // namespace rfbench::experiments
