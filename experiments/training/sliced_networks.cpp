#include "training/sliced_networks.hpp"

#include "rfbench/training/stateful_head.hpp"

namespace rfbench::experiments {

const MethodKey sliced_methods{.abilities = {Ability::causal_layer}, .columns = true, .sampling = EntrySampling::drawn};

void require_states(const MethodChoice& choice, Index dimension, Index columns) {
    choice.require_dimension(dimension);
    const auto head = choice->layers()->layer({1, dimension, choice.columns_within(columns)},
                                              choice.scheme(sampling::find("orthogonal")), Stream(0));
    // A layer of one token is enough to ask: whether there is a state does not depend on the length.
    if (head->stateful() == nullptr)
        choice.entry.refuse(
            "'" + choice.info->name +
            "' has no state that slices could hand on; linear attention has one where nothing is fitted "
            "to the sequence, such as positive, relu, square or luna, or a mechanism whose parameters "
            "are all given");
}

networks::TransformerShape SlicedSize::shape() const {
    networks::TransformerShape own;
    own.vocabulary = own.outputs = vocabulary;
    own.positions = length;
    own.layers = layers;
    own.heads = width / dimension;
    own.width = width;
    own.inner = 4 * width;
    return own;
}

template <class Scalar>
networks::Sequence<Scalar> random_text(const SlicedSize& size, const Stream& stream) {
    networks::Sequence<Scalar> text;
    Stream own = stream;
    const auto draw = [&] { return static_cast<int>(own.below(static_cast<std::uint64_t>(size.vocabulary))); };
    for (Index i = 0; i < size.length; ++i) text.tokens.push_back(draw());
    // Behind the last token there is none: what it is to tell is drawn.
    for (Index i = 0; i < size.length; ++i)
        text.targets.push_back({i, i + 1 < size.length ? text.tokens[static_cast<std::size_t>(i + 1)] : draw()});
    return text;
}

template networks::Sequence<float> random_text(const SlicedSize&, const Stream&);
template networks::Sequence<double> random_text(const SlicedSize&, const Stream&);

const std::vector<GradientWay>& sliced_ways() {
    using enum networks::Recovery;
    // A number of checkpoints of 0 stands for the square root of the number of slices, and -1 for that number itself,
    // which sliced() puts in.
    static const std::vector<GradientWay> all{{"checkpoints", {0, checkpoints}},
                                              {"all stored", {0, checkpoints, -1}},
                                              {"subtraction", {0, subtraction}},
                                              {"double sums", {0, double_sums}}};
    return all;
}

networks::Slicing sliced(const GradientWay& way, Index tokens, Index length) {
    networks::Slicing own = way.slicing;
    own.tokens = tokens;
    if (own.checkpoints < 0) own.checkpoints = (length + tokens - 1) / tokens;
    return own;
}

}  // namespace rfbench::experiments
