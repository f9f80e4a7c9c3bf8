#include "rfbench/training/head_attention.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/linear.hpp"

namespace rfbench::training {
namespace {

using attention::Gradients;
using attention::Inputs;
using attention::Outcome;
using attention::Visible;
using Given = Inputs<double>;

void check_none(const Vector& parameters) {
    if (parameters.size() > 0)
        throw std::invalid_argument("attention: " + std::to_string(parameters.size()) +
                                    " parameters for a method that has none");
}

class Softmax final : public HeadAttention {
public:
    Index parameters() const override { return 0; }
    Vector start(const Stream&) const override { return {}; }

    Outcome forward(const Vector& parameters, const Given& in, Visible visible, Points& out) const override {
        check_none(parameters);
        out = weights(in, visible) * in.values;
        return {};
    }

    Outcome backward(const Vector& parameters, const Given& in, Visible visible, const PointsView& gradient,
                     Gradients<double>& out, Vector&) const override {
        check_none(parameters);
        const Points p = weights(in, visible);
        const Points by_weights = gradient * in.values.transpose();
        Points by_scores = by_weights.colwise() - p.cwiseProduct(by_weights).rowwise().sum();
        by_scores = by_scores.cwiseProduct(p) / std::sqrt(static_cast<double>(in.queries.cols()));
        out.queries = by_scores * in.keys;
        out.keys = by_scores.transpose() * in.queries;
        out.values = p.transpose() * gradient;
        out.left_out = 0;
        return {};
    }

private:
    /// softmax(Q K' / sqrt d), 0 where a query does not see.
    static Points weights(const Given& in, Visible visible) {
        check(in, visible);
        if (!in.kept.empty()) throw std::invalid_argument("attention: softmax_attention takes no padding");
        Points p = in.queries * in.keys.transpose() / std::sqrt(static_cast<double>(in.queries.cols()));
        for (Index i = 0; i < p.rows(); ++i) {
            const Index seen = visible == Visible::causal ? i + 1 : p.cols();
            p.row(i).tail(p.cols() - seen).setZero();
            auto row = p.row(i).head(seen).array();
            row = (row - row.maxCoeff()).exp();
            row /= row.sum();
        }
        return p;
    }
};

class Fixed final : public HeadAttention {
public:
    explicit Fixed(MapFor map) : map_(std::move(map)) {}

    Index parameters() const override { return 0; }
    Vector start(const Stream&) const override { return {}; }

    Outcome forward(const Vector& parameters, const Given& in, Visible visible, Points& out) const override {
        check_none(parameters);
        return attention::linear<double>(*map_(in), in, visible, out);
    }

    Outcome backward(const Vector& parameters, const Given& in, Visible visible, const PointsView& gradient,
                     Gradients<double>& out, Vector&) const override {
        check_none(parameters);
        return attention::backward<double>(*map_(in), in, visible, gradient, out);
    }

private:
    MapFor map_;
};

class Learned final : public HeadAttention {
public:
    explicit Learned(const features::MapShape& shape)
        : shape_((check(shape), shape)), identity_(features::nonlinearity("identity"), shape.columns()) {}

    Index parameters() const override { return shape_.parameters(); }
    Index trained() const override { return shape_.trained(); }
    Vector start(const Stream& stream) const override { return shape_.start(stream); }

    Outcome forward(const Vector& parameters, const Given& in, Visible visible, Points& out) const override {
        check(in, visible);
        const features::LearnedMap map(shape_, parameters);
        const Points queries = map.values(in.queries), keys = map.values(in.keys);
        return attention::linear<double>(identity_, {queries, keys, in.values, in.kept}, visible, out);
    }

    Outcome backward(const Vector& parameters, const Given& in, Visible visible, const PointsView& gradient,
                     Gradients<double>& out, Vector& parameter_gradient) const override {
        check(in, visible);
        const features::LearnedMap map(shape_, parameters);
        const Points queries = map.values(in.queries), keys = map.values(in.keys);
        Gradients<double> by_features;
        const Outcome outcome =
            attention::backward<double>(identity_, {queries, keys, in.values, in.kept}, visible, gradient, by_features);
        out.queries = map.pull_back(in.queries, by_features.queries, parameter_gradient);
        out.keys = map.pull_back(in.keys, by_features.keys, parameter_gradient);
        out.values = by_features.values;
        out.left_out = by_features.left_out;
        return outcome;
    }

private:
    features::MapShape shape_;
    attention::GeneralizedMap identity_;
};

}  // namespace

std::unique_ptr<HeadAttention> softmax_attention() { return std::make_unique<Softmax>(); }

std::unique_ptr<HeadAttention> fixed_attention(MapFor map) { return std::make_unique<Fixed>(std::move(map)); }

std::unique_ptr<HeadAttention> learned_attention(const features::MapShape& shape) {
    return std::make_unique<Learned>(shape);
}

}  // namespace rfbench::training
