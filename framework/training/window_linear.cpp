#include "rfbench/training/window_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/attention/parts.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/maps/log_logistic.hpp"
#include "rfbench/text/number.hpp"
#include "rfbench/training/linear_head.hpp"

namespace rfbench::training {
namespace {

using attention::Gradients;
using attention::Inputs;
using attention::Visible;
using features::FeatureBlock;
using features::Side;

/// Sums over keys, in units of exp(scale).
struct KeySums {
    Points numerators;    ///< R x e, of f(k) v'
    Vector denominators;  ///< R, of f(k)
    double scale = -std::numeric_limits<double>::infinity();

    KeySums(Index features, Index values)
        : numerators(Points::Zero(features, values)), denominators(Vector::Zero(features)) {}
};

/// exp(a - b), 0 where both are -infinity.
double unit_ratio(double a, double b) { return std::isinf(a) ? 0 : std::exp(a - b); }

/// One block of tokens: all that its backward pass needs.
struct WindowBlock {
    Index first, size;
    KeySums before;  ///< of all earlier keys
    FeatureBlock<double> queries, keys;
    Points weights;              ///< e_ij, 0 where j > i
    std::vector<Index> nearest;  ///< the key of the largest score
    Vector window, linear;       ///< what e_ij and f(q).f(k) are multiplied with, in units of the row
    Vector denominators;
};

/// The whole sequence, in double.
class WindowedSequence {
public:
    WindowedSequence(Points queries, Points keys, Points values, const features::FeatureMap* map, double log_gate,
                     Index block)
        : queries_(std::move(queries)),
          keys_(std::move(keys)),
          values_(std::move(values)),
          map_(map),
          log_gate_(log_gate),
          scale_(1 / std::sqrt(static_cast<double>(queries_.cols()))) {
        const Index length = queries_.rows();
        KeySums sums(map_ ? map_->columns() : 0, values_.cols());
        output.resize(length, values_.cols());
        for (Index first = 0; first < length; first += block) {
            blocks_.push_back({first, std::min(block, length - first), sums, {}, {}, {}, {}, {}, {}, {}});
            attend(blocks_.back());
            if (map_) add_keys(blocks_.back(), sums);
        }
    }

    /// The gradients, and that of the logarithm of the gate; those of parameters of features are added.
    double backward(const Points& gradient, Gradients<double>& out) const {
        out.queries.setZero(queries_.rows(), queries_.cols());
        out.keys.setZero(keys_.rows(), keys_.cols());
        out.values.setZero(values_.rows(), values_.cols());
        double by_gate = 0;
        // Gradient of the sums after a block, in units of exp(-scale).
        KeySums later(map_ ? map_->columns() : 0, values_.cols());
        for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
            if (map_) back_to_keys(*block, later, out);
            by_gate += back_to_queries(*block, gradient.middleRows(block->first, block->size), later, out);
        }
        return by_gate;
    }

    Points output;
    Index nonpositive = 0;

private:
    void attend(WindowBlock& own) {
        const auto queries = queries_.middleRows(own.first, own.size), keys = keys_.middleRows(own.first, own.size);
        own.weights = scale_ * queries * keys.transpose();
        own.window.resize(own.size);
        own.linear.setZero(own.size);
        if (map_) map_->evaluate(Side::query, queries, own.queries);
        for (Index i = 0; i < own.size; ++i) {
            Index nearest = 0;
            const double high = own.weights.row(i).head(i + 1).maxCoeff(&nearest);
            own.nearest.push_back(nearest);
            own.weights.row(i).head(i + 1) = (own.weights.row(i).head(i + 1).array() - high).exp();
            own.weights.row(i).tail(own.size - i - 1).setZero();
            // The larger of the two factors is 1: nothing overflows.
            const double linear =
                map_ ? own.queries.log_scale[i] + own.before.scale : -std::numeric_limits<double>::infinity();
            const double unit = std::max(log_gate_, linear);
            own.window[i] = std::exp(log_gate_ - unit);
            own.linear[i] = unit_ratio(linear, unit);
        }
        Points numerators = own.window.asDiagonal() * (own.weights * values_.middleRows(own.first, own.size));
        own.denominators = own.window.cwiseProduct(own.weights.rowwise().sum());
        if (map_) {
            numerators += own.linear.asDiagonal() * (own.queries.values * own.before.numerators);
            own.denominators += own.linear.cwiseProduct(own.queries.values * own.before.denominators);
        }
        for (Index i = 0; i < own.size; ++i) {
            if (!(own.denominators[i] > 0)) ++nonpositive;
            if (own.denominators[i] == 0)
                output.row(own.first + i).setZero();
            else
                output.row(own.first + i) = numerators.row(i) / own.denominators[i];
        }
    }

    /// Adds a block's keys to the sums, whose unit grows with them.
    void add_keys(WindowBlock& own, KeySums& sums) const {
        map_->evaluate(Side::key, keys_.middleRows(own.first, own.size), own.keys);
        const double scale = std::max(sums.scale, own.keys.log_scale.maxCoeff()),
                     shrink = unit_ratio(sums.scale, scale);
        const Points features = scaled_keys(own, scale);
        sums.numerators = shrink * sums.numerators + features.transpose() * values_.middleRows(own.first, own.size);
        sums.denominators = shrink * sums.denominators + features.colwise().sum().transpose();
        sums.scale = scale;
    }

    /// Features of a block's keys in units of exp(scale).
    static Points scaled_keys(const WindowBlock& own, double scale) {
        return (own.keys.log_scale.array() - scale).exp().matrix().asDiagonal() * own.keys.values;
    }

    /// Gradients that later blocks have sent to the sums go to the block's keys and values, and to the sums before it.
    /// The gradient of sums in units of exp(s) is kept as that of the numbers themselves.
    void back_to_keys(const WindowBlock& own, KeySums& later, Gradients<double>& out) const {
        const auto values = values_.middleRows(own.first, own.size);
        if (std::isinf(later.scale)) return;
        const Points features = scaled_keys(own, later.scale);
        out.values.middleRows(own.first, own.size) += features * later.numerators;
        Points by_values = values * later.numerators.transpose();
        by_values.rowwise() += later.denominators.transpose();
        by_values = (own.keys.log_scale.array() - later.scale).exp().matrix().asDiagonal() * by_values;
        Points by_rows;
        map_->differentiable()->pullback(Side::key, keys_.middleRows(own.first, own.size), own.keys, by_values, by_rows,
                                         out.parameters);
        out.keys.middleRows(own.first, own.size) += by_rows;
    }

    double back_to_queries(const WindowBlock& own, const Points& gradient, KeySums& later,
                           Gradients<double>& out) const {
        const auto queries = queries_.middleRows(own.first, own.size), keys = keys_.middleRows(own.first, own.size);
        const auto values = values_.middleRows(own.first, own.size);
        Points by_numerators = gradient;
        Vector by_denominators(own.size);
        for (Index i = 0; i < own.size; ++i) {
            if (own.denominators[i] == 0) {
                by_numerators.row(i).setZero();
                by_denominators[i] = 0;
                ++out.left_out;
                continue;
            }
            by_numerators.row(i) /= own.denominators[i];
            by_denominators[i] = -by_numerators.row(i).dot(output.row(own.first + i));
        }
        Points by_weights = by_numerators * values.transpose();
        by_weights.colwise() += by_denominators;
        by_weights = own.window.asDiagonal() * by_weights;
        // by_weights_ij becomes e_ij times its gradient: the gradient of score j of row i. The maximum score of a row
        // is subtracted from all scores of the row, so the loop subtracts the row's sum from the gradient of that
        // score.
        by_weights = by_weights.cwiseProduct(own.weights);
        const double by_gate = by_weights.sum();
        for (Index i = 0; i < own.size; ++i)
            by_weights(i, own.nearest[static_cast<std::size_t>(i)]) -= by_weights.row(i).sum();
        out.queries.middleRows(own.first, own.size) += scale_ * by_weights * keys;
        out.keys.middleRows(own.first, own.size) += scale_ * by_weights.transpose() * queries;
        out.values.middleRows(own.first, own.size) +=
            own.weights.transpose() * (own.window.asDiagonal() * by_numerators);
        if (map_) back_to_features(own, by_numerators, by_denominators, later, out);
        return by_gate;
    }

    void back_to_features(const WindowBlock& own, const Points& by_numerators, const Vector& by_denominators,
                          KeySums& later, Gradients<double>& out) const {
        // The gradient so far is with respect to the sums after the block. By the chain rule, the factor that scaled
        // the sums before the block gives the gradient with respect to these.
        const double shrink = std::isinf(later.scale) ? 0 : unit_ratio(own.before.scale, later.scale);
        later.numerators *= shrink;
        later.denominators *= shrink;
        later.scale = own.before.scale;
        if (own.first == 0) return;
        const Points rows = own.linear.asDiagonal() * by_numerators;
        const Vector sums = own.linear.cwiseProduct(by_denominators);
        later.numerators += own.queries.values.transpose() * rows;
        later.denominators += own.queries.values.transpose() * sums;
        const Points by_values = rows * own.before.numerators.transpose() + sums * own.before.denominators.transpose();
        Points by_rows;
        map_->differentiable()->pullback(Side::query, queries_.middleRows(own.first, own.size), own.queries, by_values,
                                         by_rows, out.parameters);
        out.queries.middleRows(own.first, own.size) += by_rows;
    }

    Points queries_, keys_, values_;
    const features::FeatureMap* map_;  // null: the window alone
    double log_gate_, scale_;
    std::vector<WindowBlock> blocks_;
};

template <class Scalar>
class WindowLinearPass final : public HeadPass<Scalar> {
public:
    WindowLinearPass(std::shared_ptr<const features::FeatureMap> map, double gate, Index block, Index parameters,
                     const Inputs<Scalar>& in)
        : map_(std::move(map)),
          in_(in),
          gate_(gate),
          parameters_(parameters),
          sequence_(in.queries.template cast<double>(), in.keys.template cast<double>(),
                    in.values.template cast<double>(), map_.get(), features::log_logistic(gate), block) {
        this->output = sequence_.output.template cast<Scalar>();
        this->outcome.nonpositive = sequence_.nonpositive;
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                  ColumnRef<Scalar> by_parameters) const override {
        attention::check_gradients(in_, gradient, out);
        Gradients<double> own;
        own.parameters.setZero(parameters_ - 1);
        const double by_gate = sequence_.backward(gradient.template cast<double>(), own);
        out.queries = own.queries.template cast<Scalar>();
        out.keys = own.keys.template cast<Scalar>();
        out.values = own.values.template cast<Scalar>();
        out.left_out = own.left_out;
        if (by_parameters.size() == 0) return;
        // d log g / dt = 1 - g.
        by_parameters[0] += static_cast<Scalar>(by_gate / (1 + std::exp(gate_)));
        by_parameters.tail(parameters_ - 1) += own.parameters.template cast<Scalar>();
    }

private:
    std::shared_ptr<const features::FeatureMap> map_;
    Inputs<Scalar> in_;
    double gate_;
    Index parameters_;
    WindowedSequence sequence_;
};

/// Throws std::invalid_argument for parameters of another number, or a gate, the first, that is not finite.
template <class Scalar>
void check_gated(const ColumnView<Scalar>& parameters, Index count) {
    if (parameters.size() != count)
        throw std::invalid_argument("attention: " + std::to_string(parameters.size()) +
                                    " parameters for a head that has " + std::to_string(count));
    if (!std::isfinite(parameters[0]))
        throw rfbench::NotFinite("attention: the gate's parameter is " +
                                 shortest_text(static_cast<double>(parameters[0])));
}

class WindowLinear final : public HeadAttentionOf<WindowLinear> {
public:
    WindowLinear(Index block, std::shared_ptr<const features::MapFamily> maps, bool with_linear)
        : block_(block), maps_(std::move(maps)), with_linear_(with_linear) {
        if (block_ < 1)
            throw std::invalid_argument("attention: windows of " + std::to_string(block_) +
                                        " keys; at least 1 is needed");
        if (!maps_) throw std::invalid_argument("attention: there is no feature map");
    }

    Index parameters() const override { return 1 + maps_->parameters(); }
    Vector start(const Stream& stream) const override {
        Vector all(parameters());
        all << -std::log(9.0), maps_->start(stream);
        return all;
    }

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        if (visible != Visible::causal)
            throw std::invalid_argument("attention: windows with features before them are causal");
        if (!in.kept.empty()) throw std::invalid_argument("attention: windows with features take no padding");
        check_gated(parameters, this->parameters());
        attention::check(in, visible);
        attention::check_scores(in);
        const Vector all = parameters.template cast<double>();
        std::shared_ptr<const features::FeatureMap> map;
        if (with_linear_) map = maps_->map(all.tail(maps_->parameters()));
        if (map) attention::check_map(*map, in);
        return std::make_unique<WindowLinearPass<Scalar>>(std::move(map), all[0], block_, this->parameters(), in);
    }

    std::unique_ptr<HeadAttention> without(Branch) const;

private:
    Index block_;
    std::shared_ptr<const features::MapFamily> maps_;
    bool with_linear_;
};

/// Linear attention of a head that has the gate's parameter, too.
class LinearAlone final : public HeadAttentionOf<LinearAlone> {
public:
    explicit LinearAlone(std::shared_ptr<const features::MapFamily> maps)
        : linear_(linear_attention({std::move(maps)})) {}

    Index parameters() const override { return 1 + linear_->parameters(); }
    Vector start(const Stream& stream) const override {
        Vector all(parameters());
        all << -std::log(9.0), linear_->start(stream);
        return all;
    }
    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        check_gated(parameters, this->parameters());
        return std::make_unique<Behind<Scalar>>(linear_->forward(parameters.tail(linear_->parameters()), in, visible));
    }

private:
    template <class Scalar>
    class Behind final : public HeadPass<Scalar> {
    public:
        explicit Behind(std::unique_ptr<HeadPass<Scalar>> pass) : pass_(std::move(pass)) {
            this->output = pass_->output;
            this->outcome = pass_->outcome;
        }
        void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                      ColumnRef<Scalar> by_parameters) const override {
            pass_->backward(gradient, out, by_parameters.tail(std::max<Index>(0, by_parameters.size() - 1)));
        }

    private:
        std::unique_ptr<HeadPass<Scalar>> pass_;
    };

    std::unique_ptr<HeadAttention> linear_;
};

std::unique_ptr<HeadAttention> WindowLinear::without(Branch branch) const {
    if (branch == Branch::linear) return std::make_unique<WindowLinear>(block_, maps_, false);
    return std::make_unique<LinearAlone>(maps_);
}

}  // namespace

std::unique_ptr<HeadAttention> window_linear_attention(Index block, std::shared_ptr<const features::MapFamily> maps) {
    return std::make_unique<WindowLinear>(block, std::move(maps), true);
}

std::unique_ptr<HeadAttention> without(const HeadAttention& head, Branch branch) {
    const auto* const sum = dynamic_cast<const WindowLinear*>(&head);
    return sum ? sum->without(branch) : nullptr;
}

}  // namespace rfbench::training
