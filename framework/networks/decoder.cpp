#include "rfbench/networks/decoder.hpp"

#include <stdexcept>
#include <typeinfo>

#include "rfbench/attention/exact.hpp"
#include "rfbench/networks/slice_sums.hpp"

namespace rfbench::networks {
namespace {

using attention::Inputs;
using training::HeadPass;
using training::HeadSums;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("decoding: " + what); }

template <class Scalar>
class CachedPass final : public HeadPass<Scalar> {
public:
    void backward(const RowsView<Scalar>&, attention::Gradients<Scalar>&, training::ColumnRef<Scalar>) const override {
        throw std::invalid_argument("decoding: a token that is written has no gradient");
    }
};

/// Softmax attention of one token after another, which keeps keys and values. Of one decoder: it changes with each.
template <class Scalar>
class CachedSoftmax final : public training::HeadAttention, public training::StatefulHead {
public:
    Index parameters() const override { return 0; }
    Vector start(const Stream&) const override { return {}; }
    std::unique_ptr<HeadPass<double>> forward(const training::ColumnView<double>&, const Inputs<double>&,
                                              attention::Visible) const override {
        refuse("a cache takes tokens one after the other");
    }
    std::unique_ptr<HeadPass<float>> forward(const training::ColumnView<float>&, const Inputs<float>&,
                                             attention::Visible) const override {
        refuse("a cache takes tokens one after the other");
    }

    const StatefulHead* stateful() const override { return this; }
    Index features() const override { return 1; }
    std::unique_ptr<HeadPass<double>> forward(const training::ColumnView<double>&, const Inputs<double>& in,
                                              HeadSums&) const override {
        return attend(in);
    }
    std::unique_ptr<HeadPass<float>> forward(const training::ColumnView<float>&, const Inputs<float>& in,
                                             HeadSums&) const override {
        return attend(in);
    }
    attention::FeatureSums<double> sums(const training::ColumnView<double>&, const Inputs<double>&,
                                        Index) const override {
        refuse("a cache has no sums");
    }
    attention::FeatureSums<double> sums(const training::ColumnView<float>&, const Inputs<float>&,
                                        Index) const override {
        refuse("a cache has no sums");
    }

    Index bytes() const { return count_ * (keys_.cols() + values_.cols()) * static_cast<Index>(sizeof(Scalar)); }

private:
    template <class Other>
    std::unique_ptr<HeadPass<Other>> attend(const Inputs<Other>& in) const {
        auto pass = std::make_unique<CachedPass<Other>>();
        if constexpr (std::is_same_v<Scalar, Other>) {
            if (count_ == keys_.rows()) {
                // Twice the room: a token is copied once in the mean.
                keys_.conservativeResize(2 * count_ + 16, in.keys.cols());
                values_.conservativeResize(2 * count_ + 16, in.values.cols());
            }
            keys_.row(count_) = in.keys.row(0);
            values_.row(count_) = in.values.row(0);
            ++count_;
            pass->outcome = attention::exact<Scalar>({in.queries, keys_.topRows(count_), values_.topRows(count_)},
                                                     attention::Visible::all, pass->output);
        }
        return pass;
    }

    mutable Rows<Scalar> keys_, values_;
    mutable Index count_ = 0;
};

bool is_softmax(const training::HeadAttention& head) {
    static const std::unique_ptr<training::HeadAttention> softmax = training::softmax_attention();
    const training::HeadAttention& known = *softmax;
    return typeid(head) == typeid(known);
}

void check_writes(const TransformerShape& shape) {
    if (shape.visible != attention::Visible::causal) refuse("every token of the network sees all others");
    if (shape.read_out != ReadOutOf::tied && shape.read_out != ReadOutOf::own) refuse("it has one output a sequence");
    if (shape.vocabulary == 0) refuse("its tokens are rows of numbers");
    if (shape.class_token) refuse("it has a class token");
    if (shape.convolution > 0) refuse("a convolution after its embedding sees more than one token");
    if (shape.beside.convolution > 0) refuse("a convolution beside its attention sees more than one token");
}

}  // namespace

template <class Scalar>
struct Decoder<Scalar>::State {
    Transformer network;  // with caches in the place of softmax
    Weights<Scalar> weights;
    std::vector<std::shared_ptr<const CachedSoftmax<Scalar>>> caches;
    Index sum_bytes = 0;
    std::vector<SliceSums> sums;
    Transformer::Pass<Scalar> pass;
    Index tokens = 0;

    State(const Transformer& given, Weights<Scalar> own) : network(given), weights(std::move(own)) {
        check_writes(network.shape());
        Heads heads;
        for (Index r = 0; r < network.shape().layers; ++r) {
            const MultiHead& attention = network.layer(r).attention();
            const Index columns = attention.columns() / network.shape().heads;
            SliceSums layer;
            for (const auto& head : attention.heads()) {
                heads.push_back(cached(head));
                const Index features = heads.back()->stateful()->features();
                layer.heads.emplace_back(features, columns);
                if (heads.back() == head) sum_bytes += features * (columns + 1) * static_cast<Index>(sizeof(Scalar));
            }
            sums.push_back(std::move(layer));
        }
        network.replace_heads(heads);
        // Passes point into sums, which does not grow any more.
        pass.layers.resize(sums.size());
        for (std::size_t r = 0; r < sums.size(); ++r) pass.layers[r].attention.sums = &sums[r];
    }

    /// The head itself, where it has a state.
    std::shared_ptr<const training::HeadAttention> cached(const std::shared_ptr<const training::HeadAttention>& head) {
        if (head->stateful()) return head;
        if (!is_softmax(*head)) refuse("a head has neither a state nor keys and values to keep");
        caches.push_back(std::make_shared<const CachedSoftmax<Scalar>>());
        return caches.back();
    }
};

template <class Scalar>
Decoder<Scalar>::Decoder(const Transformer& network, Weights<Scalar> weights)
    : state_(std::make_unique<State>(network, std::move(weights))) {}
template <class Scalar>
Decoder<Scalar>::~Decoder() = default;
template <class Scalar>
Decoder<Scalar>::Decoder(Decoder&&) noexcept = default;

template <class Scalar>
Column<Scalar> Decoder<Scalar>::step(int token) {
    // A target makes the network compute the token's output; its loss is not used.
    const Sequence<Scalar> one{{token}, {}, {{0, 0}}, state_->tokens};
    for (SliceSums& layer : state_->sums) layer.tokens = state_->tokens;
    state_->network.template targets<Scalar>({&one, 1});
    state_->network.template forward<Scalar>(state_->weights, {&one, 1}, state_->pass);
    ++state_->tokens;
    return state_->pass.read_out.outputs.row(0).transpose();
}

template <class Scalar>
Index Decoder<Scalar>::tokens() const {
    return state_->tokens;
}

template <class Scalar>
Index Decoder<Scalar>::bytes() const {
    Index bytes = state_->sum_bytes;
    for (const auto& cache : state_->caches) bytes += cache->bytes();
    return bytes;
}

template class Decoder<float>;
template class Decoder<double>;

}  // namespace rfbench::networks
