#include "training/drawn_tasks.hpp"

namespace rfbench::experiments {

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
    const auto held_out = drawn_sequences(draw, validation, study.child("validation"));
    return train_network(
        setting, shape, method, own, checkpoint,
        {.next = [&](const Stream& batch) { return drawn_sequences(draw, setting.descent.batch, batch); },
         .validation = [&](networks::Trainer<float>& trainer) { return trainer.evaluate(held_out).loss; },
         .keep = [&](const networks::Transformer&, networks::Trainer<float>& trainer) { finish(trainer); }});
}

}  // namespace rfbench::experiments
