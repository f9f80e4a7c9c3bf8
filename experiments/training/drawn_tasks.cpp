#include "training/drawn_tasks.hpp"

#include <algorithm>

namespace rfbench::experiments {
namespace {

/// Numbers a token takes between a forward and a backward pass (networks/layer.hpp): of each layer nine rows of the
/// width and two of the feed-forward part; of the rest of the network six.
double kept_a_token(const networks::TransformerShape& s) {
    return static_cast<double>(s.layers * (9 * s.width + 2 * s.inner) + 6 * s.width);
}

}  // namespace

std::vector<networks::Sequence<float>> drawn_sequences(const DrawnSequence& draw, Index count, const Stream& stream) {
    std::vector<networks::Sequence<float>> all;
    for (Index i = 0; i < count; ++i) all.push_back(draw(i, stream.child(static_cast<std::uint64_t>(i))));
    return all;
}

networks::TransformerShape drawn_task_shape(const NetworkSetting& setting, Index vocabulary, Index length,
                                            Index convolution) {
    networks::TransformerShape shape = setting.sizes;
    shape.vocabulary = shape.outputs = vocabulary;
    shape.positions = length;
    shape.convolution = convolution;
    return shape;
}

TrainedNetwork train_on_drawn(const NetworkSetting& setting, const networks::TransformerShape& shape,
                              const MethodChoice& method, const Stream& study, std::uint64_t seed, Index validation,
                              engine::Checkpoint& checkpoint, const DrawnSequence& draw,
                              const std::function<void(networks::Trainer<float>&)>& finish) {
    const Stream own = study.child(seed);
    const auto looked_at = drawn_sequences(draw, validation, study.child("validation"));
    return train_network(
        setting, shape, method, own, checkpoint,
        {.next = [&](const Stream& batch) { return drawn_sequences(draw, setting.descent.batch, batch); },
         .validation = [&](networks::Trainer<float>& trainer) { return trainer.evaluate(looked_at).loss; },
         .keep = [&](const networks::Transformer&, networks::Trainer<float>& trainer) { finish(trainer); }});
}

Index part_rows(Index length, Index batch) { return std::max(length, std::min(batch, 256 / length) * length); }

double gradient_bytes(const networks::TransformerShape& shape, Index rows) {
    // Memory that is kept, and about as much as one layer works on.
    networks::TransformerShape layer = shape;
    layer.layers = 1;
    return sizeof(float) * static_cast<double>(rows) * (kept_a_token(shape) + kept_a_token(layer));
}

double training_bytes(const networks::TransformerShape& shape) {
    const double parameters = static_cast<double>(shape.layers * shape.width * (4 * shape.width + 2 * shape.inner) +
                                                  (shape.vocabulary + shape.positions) * shape.width);
    // Values, their gradient and that of a part, two means of Adam, and factors packed in both orders.
    return sizeof(float) * 7 * parameters + gradient_bytes(shape, std::max<Index>(256, shape.positions));
}

}  // namespace rfbench::experiments
