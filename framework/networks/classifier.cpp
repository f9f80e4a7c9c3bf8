#include "rfbench/networks/classifier.hpp"

#include <stdexcept>
#include <string>

#include "rfbench/networks/trainer.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/training/batches.hpp"

namespace rfbench::networks {
namespace {

const training::HeadAttention& head_of(const Transformer& classifier) {
    return *classifier.layer(0).attention().heads().front();
}

const Parameter& parameters_of_head(const Transformer& classifier) {
    return classifier.layer(0).attention().head_parameters().front();
}

}  // namespace

Transformer classifier(const ClassifierShape& s, std::shared_ptr<const training::HeadAttention> head) {
    if (s.tokens < 1 || s.inputs < 1 || s.classes < 2 || s.embedding < 1 || s.dimension < 1 || s.values < 1)
        throw std::invalid_argument("classifier: sequences of " + std::to_string(s.tokens) + " x " +
                                    std::to_string(s.inputs) + ", " + std::to_string(s.classes) +
                                    " classes, embedding " + std::to_string(s.embedding) + ", dimension " +
                                    std::to_string(s.dimension) + ", values " + std::to_string(s.values) +
                                    "; all must be positive, and classes at least 2");
    TransformerShape shape;
    shape.inputs = s.inputs;
    shape.positions = s.tokens;
    shape.layers = shape.heads = 1;
    shape.width = s.embedding;
    shape.head = {s.dimension, s.values};
    shape.parts = LayerParts::attention;
    shape.bias = Bias::without;
    shape.visible = attention::Visible::all;
    shape.read_out = s.pooling;
    shape.outputs = s.classes;
    return Transformer(shape, {std::move(head)});
}

Vector classifier_start(const Transformer& classifier, const Stream& stream) {
    Vector all = Vector::Zero(classifier.layout().size());
    const auto drawn = [&](const char* name, Index rows, Index columns, double deviation) {
        Eigen::MatrixXd entries(rows, columns);
        fill_normal(stream.child(name), entries);
        return Eigen::MatrixXd(deviation * entries);
    };
    const auto spread = [](Index rows) { return 1 / std::sqrt(static_cast<double>(rows)); };
    const Parameter& embedding = classifier.embedding().map().weight();
    view(all, embedding) = drawn("embedding", embedding.rows, embedding.columns, spread(embedding.rows));
    const Parameter& positions = classifier.embedding().positions();
    view(all, positions) = drawn("positions", positions.rows, positions.columns, 0.5);
    const MultiHead& attention = classifier.layer(0).attention();
    auto project = view(all, attention.project().weight());
    // Wq, Wk and Wv are columns of one matrix; each is drawn from a stream of its own.
    for (const auto& [name, number] : {std::pair("queries", 0), {"keys", 1}, {"values", 2}}) {
        auto part = attention.part(project, 0, number);
        part = drawn(name, part.rows(), part.cols(), spread(part.rows()));
    }
    const Parameter& own = parameters_of_head(classifier);
    all.segment(own.first, own.size()) = head_of(classifier).start(stream.child("head"));
    return all;
}

Index trained(const Transformer& classifier) {
    const training::HeadAttention& head = head_of(classifier);
    // All of the layer is trained; of the head maybe a part.
    return classifier.layout().size() - head.parameters() + head.trained();
}

Vector head_parameters(const Transformer& classifier, const Vector& parameters) {
    const Parameter& own = parameters_of_head(classifier);
    return parameters.segment(own.first, own.size());
}

training::DescentResult train(const Transformer& classifier, const std::vector<Sequence<double>>& sequences,
                              const training::Descent& descent, const Stream& stream) {
    Trainer<double> trainer(classifier, classifier_start(classifier, stream.child("start")), descent);
    training::Batches batches(static_cast<Index>(sequences.size()), stream.child("batches"));
    training::DescentResult out;
    for ([[maybe_unused]] const Index step : parallel::Parts(descent.steps)) {
        std::vector<Sequence<double>> batch;
        for (const Index number : batches.next(descent.batch))
            batch.push_back(sequences[static_cast<std::size_t>(number)]);
        const Loss loss = trainer.step(batch).loss;
        out.losses.push_back(loss.sum / static_cast<double>(loss.targets));
    }
    out.parameters = trainer.weights().values();
    return out;
}

}  // namespace rfbench::networks
