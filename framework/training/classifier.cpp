#include "rfbench/training/classifier.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::training {
namespace {

/// The layer's matrices in a vector of parameters, or of their gradients.
template <class Stored>
struct Layer {
    using Matrix = Eigen::Map<std::conditional_t<std::is_const_v<Stored>, const Eigen::MatrixXd, Eigen::MatrixXd>>;
    Matrix embedding, positions, queries, keys, values, read_out, shift;

    Layer(const ClassifierShape& s, Stored& all)
        : embedding(all.data(), s.inputs, s.embedding),
          positions(end(embedding), s.tokens, s.embedding),
          queries(end(positions), s.embedding, s.dimension),
          keys(end(queries), s.embedding, s.dimension),
          values(end(keys), s.embedding, s.values),
          read_out(end(values), s.values, s.classes),
          shift(end(read_out), 1, s.classes) {}

private:
    static auto end(Matrix& matrix) { return matrix.data() + matrix.size(); }
};

/// What each token's output counts, 1 x T.
Eigen::RowVectorXd pooling_weights(const ClassifierShape& s) {
    if (s.pooling == Pooling::last) return Eigen::RowVectorXd::Unit(s.tokens, s.tokens - 1);
    return Eigen::RowVectorXd::Constant(s.tokens, 1 / static_cast<double>(s.tokens));
}

/// log sum exp.
double log_sum(const Vector& logits) {
    const double high = logits.maxCoeff();
    return high + std::log((logits.array() - high).exp().sum());
}

}  // namespace

void check(const ClassifierShape& s) {
    if (s.tokens < 1 || s.inputs < 1 || s.classes < 2 || s.embedding < 1 || s.dimension < 1 || s.values < 1)
        throw std::invalid_argument("classifier: sequences of " + std::to_string(s.tokens) + " x " +
                                    std::to_string(s.inputs) + ", " + std::to_string(s.classes) +
                                    " classes, embedding " + std::to_string(s.embedding) + ", dimension " +
                                    std::to_string(s.dimension) + ", values " + std::to_string(s.values) +
                                    "; all must be positive, and classes at least 2");
}

/// What the forward pass of one example leaves for the backward pass.
struct Classifier::Forward {
    Points hidden, queries, keys, values;
    std::unique_ptr<HeadPass<double>> head;
    Eigen::RowVectorXd pooled;
    Scores scores;

    attention::Inputs<double> inputs() const { return {queries, keys, values}; }
};

Classifier::Classifier(const ClassifierShape& shape, std::shared_ptr<const HeadAttention> head)
    : shape_(shape), head_(std::move(head)) {
    check(shape_);
}

Index Classifier::layer_parameters() const {
    const ClassifierShape& s = shape_;
    return (s.inputs + s.tokens) * s.embedding + s.embedding * (2 * s.dimension + s.values) +
           (s.values + 1) * s.classes;
}

Vector Classifier::start(const Stream& stream) const {
    Vector all = Vector::Zero(parameters());
    Layer<Vector> layer(shape_, all);
    const auto fill = [&](const char* name, auto& matrix, double scale) {
        Eigen::MatrixXd entries(matrix.rows(), matrix.cols());
        fill_normal(stream.child(name), entries);
        matrix = scale * entries;
    };
    fill("embedding", layer.embedding, 1 / std::sqrt(static_cast<double>(shape_.inputs)));
    fill("positions", layer.positions, 0.5);
    const double scale = 1 / std::sqrt(static_cast<double>(shape_.embedding));
    fill("queries", layer.queries, scale);
    fill("keys", layer.keys, scale);
    fill("values", layer.values, scale);
    all.tail(head_->parameters()) = head_->start(stream.child("head"));
    return all;
}

void Classifier::check_example(const Vector& parameters, const Example& example) const {
    if (parameters.size() != this->parameters())
        throw std::invalid_argument("classifier: " + std::to_string(parameters.size()) + " parameters; it has " +
                                    std::to_string(this->parameters()));
    if (example.tokens.rows() != shape_.tokens || example.tokens.cols() != shape_.inputs)
        throw std::invalid_argument("classifier: a sequence is " + std::to_string(example.tokens.rows()) + " x " +
                                    std::to_string(example.tokens.cols()) + "; it was made for " +
                                    std::to_string(shape_.tokens) + " x " + std::to_string(shape_.inputs));
    if (example.label < 0 || example.label >= shape_.classes)
        throw std::invalid_argument("classifier: the class " + std::to_string(example.label) + " is not from 0 to " +
                                    std::to_string(shape_.classes - 1));
}

Classifier::Forward Classifier::forward(const Vector& parameters, const Example& example) const {
    check_example(parameters, example);
    const Layer<const Vector> layer(shape_, parameters);
    Forward f;
    f.hidden = example.tokens * layer.embedding + layer.positions;
    f.queries = f.hidden * layer.queries;
    f.keys = f.hidden * layer.keys;
    f.values = f.hidden * layer.values;
    f.head = head_->forward(parameters.tail(head_->parameters()), f.inputs(), attention::Visible::all);
    f.scores.nonpositive = f.head->outcome.nonpositive;
    f.pooled = pooling_weights(shape_) * f.head->output;
    f.scores.logits = (f.pooled * layer.read_out + layer.shift).transpose();
    return f;
}

Classifier::Scores Classifier::scores(const Vector& parameters, const Example& example) const {
    return forward(parameters, example).scores;
}

Classifier::HeadRows Classifier::head_rows(const Vector& parameters, const Example& example) const {
    Forward f = forward(parameters, example);
    return {std::move(f.queries), std::move(f.keys), std::move(f.values)};
}

double Classifier::loss(const Vector& parameters, const Example& example, Vector& gradient) const {
    const Forward f = forward(parameters, example);
    const Layer<const Vector> layer(shape_, parameters);
    Layer<Vector> by(shape_, gradient);
    const Vector& logits = f.scores.logits;
    const double normaliser = log_sum(logits);

    Eigen::RowVectorXd by_logits = (logits.array() - normaliser).exp().matrix().transpose();
    by_logits[example.label] -= 1;
    by.read_out.noalias() += f.pooled.transpose() * by_logits;
    by.shift += by_logits;
    const Eigen::RowVectorXd by_pooled = by_logits * layer.read_out.transpose();
    const Points by_outputs = pooling_weights(shape_).transpose() * by_pooled;

    attention::Gradients<double> by_inputs;
    f.head->backward(by_outputs, by_inputs, gradient.tail(head_->parameters()));

    by.queries.noalias() += f.hidden.transpose() * by_inputs.queries;
    by.keys.noalias() += f.hidden.transpose() * by_inputs.keys;
    by.values.noalias() += f.hidden.transpose() * by_inputs.values;
    const Points by_hidden = by_inputs.queries * layer.queries.transpose() + by_inputs.keys * layer.keys.transpose() +
                             by_inputs.values * layer.values.transpose();
    by.embedding.noalias() += example.tokens.transpose() * by_hidden;
    by.positions += by_hidden;
    return normaliser - logits[example.label];
}

Accuracy accuracy(const Classifier& classifier, const Vector& parameters, const std::vector<Example>& examples) {
    if (examples.empty()) throw std::invalid_argument("classifier: there are no examples to classify");
    Accuracy all;
    double tokens = 0;
    for (const Example& example : examples) {
        const auto [logits, nonpositive] = classifier.scores(parameters, example);
        Index best = 0;
        logits.maxCoeff(&best);
        all.accuracy += best == example.label ? 1 : 0;
        all.loss += log_sum(logits) - logits[example.label];
        all.nonpositive += static_cast<double>(nonpositive);
        tokens += static_cast<double>(example.tokens.rows());
    }
    const double count = static_cast<double>(examples.size());
    return {all.accuracy / count, all.loss / count, all.nonpositive / tokens};
}

training::Descended train(const Classifier& classifier, const std::vector<Example>& examples,
                          const training::Descent& descent, const Stream& stream) {
    const auto loss = [&](const Vector& parameters, Index example, Vector& gradient) {
        return classifier.loss(parameters, examples[static_cast<std::size_t>(example)], gradient);
    };
    return training::descend(classifier.start(stream.child("start")), static_cast<Index>(examples.size()), loss,
                             descent, stream.child("batches"));
}

}  // namespace rfbench::training
