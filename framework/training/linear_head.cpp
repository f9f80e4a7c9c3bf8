#include "rfbench/training/linear_head.hpp"

#include <mutex>
#include <stdexcept>

#include "rfbench/attention/parts.hpp"
#include "rfbench/attention/prefix_sums.hpp"
#include "rfbench/training/linear_pass.hpp"
#include "rfbench/training/masked_head.hpp"
#include "rfbench/training/stateful_head.hpp"

namespace rfbench::training {
namespace {

using attention::FeatureSums;
using attention::Gradients;
using attention::Inputs;
using attention::Visible;
using features::FeatureMap;

/// Over a slice, from the sums before it.
template <class Scalar>
class LinearSlice final : public HeadPass<Scalar> {
public:
    LinearSlice(std::shared_ptr<const FeatureMap> map, attention::Norm norm, const Inputs<Scalar>& in, HeadSums& sums)
        : map_(std::move(map)), norm_(norm), in_(in), sums_(sums) {
        // Summed in the network's precision, as over a whole sequence, and only handed on in double.
        FeatureSums<Scalar> state(sums.before);
        this->outcome = attention::causal(*map_, in_, state, this->output, norm_);
        sums.after = FeatureSums<double>(state);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                  ColumnRef<Scalar> by_parameters) const override {
        // In: the gradient of the sums after this slice, from later slices. Out: that of the sums before it.
        FeatureSums<Scalar> later(sums_.later);
        attention::backward_slice(*map_, in_, FeatureSums<Scalar>(sums_.before), later, gradient, out, norm_);
        sums_.later = FeatureSums<double>(later);
        add_parameters(out, by_parameters);
    }

private:
    std::shared_ptr<const FeatureMap> map_;
    attention::Norm norm_;
    Inputs<Scalar> in_;
    HeadSums& sums_;
};

/// Over a sequence, or a slice where there are sums before it, by explicit prefix sums.
template <class Scalar>
class PrefixPass final : public HeadPass<Scalar> {
public:
    PrefixPass(std::shared_ptr<const FeatureMap> map, attention::Norm norm, const Inputs<Scalar>& in, HeadSums* sums)
        : map_(std::move(map)), norm_(norm), in_(in), sums_(sums) {
        FeatureSums<Scalar> state = sums == nullptr ? nothing() : FeatureSums<Scalar>(sums->before);
        this->outcome = attention::causal_by_prefix_sums(*map_, in_, state, made_, this->output, norm_);
        if (sums != nullptr) sums->after = FeatureSums<double>(state);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                  ColumnRef<Scalar> by_parameters) const override {
        FeatureSums<Scalar> later = sums_ == nullptr ? nothing() : FeatureSums<Scalar>(sums_->later);
        attention::backward_by_prefix_sums(*map_, in_, made_, later, gradient, out, norm_);
        if (sums_ != nullptr) sums_->later = FeatureSums<double>(later);
        add_parameters(out, by_parameters);
    }

private:
    FeatureSums<Scalar> nothing() const { return {map_->columns(), in_.values.cols()}; }

    std::shared_ptr<const FeatureMap> map_;
    attention::Norm norm_;
    Inputs<Scalar> in_;
    HeadSums* sums_;
    attention::PrefixSums<Scalar> made_;
};

/// A pass whose queries and keys have their position after them.
template <class Scalar>
class PlacedPass final : public HeadPass<Scalar> {
public:
    template <class Make>
    PlacedPass(const Inputs<Scalar>& in, Index first, Make make) : placed_(in, first), pass_(make(placed_.inputs())) {
        this->output = std::move(pass_->output);
        this->outcome = pass_->outcome;
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                  ColumnRef<Scalar> by_parameters) const override {
        pass_->backward(gradient, out, by_parameters);
        // Positions have no gradient.
        for (Rows<Scalar>* const rows : {&out.queries, &out.keys})
            rows->conservativeResize(Eigen::NoChange, rows->cols() - 1);
    }

private:
    attention::WithPositions<Scalar> placed_;
    std::unique_ptr<HeadPass<Scalar>> pass_;
};

/// Maps of a family, of which the last one is kept: the sequences of a mini-batch have the same parameters.
class LastMap {
public:
    std::shared_ptr<const FeatureMap> of(const features::MapFamily& family, const Vector& parameters) const {
        const std::scoped_lock lock(mutex_);
        const bool same = map_ && parameters.size() == parameters_.size() && parameters == parameters_;
        if (!same) {
            map_ = family.map(parameters);
            parameters_ = parameters;
        }
        return map_;
    }

private:
    mutable std::mutex mutex_;
    mutable Vector parameters_;
    mutable std::shared_ptr<const FeatureMap> map_;
};

class Linear final : public HeadAttentionOf<Linear>, public StatefulHeadOf<Linear> {
public:
    // Both bases have a forward(): one of a sequence, one of a slice.
    using HeadAttentionOf<Linear>::forward;
    using StatefulHeadOf<Linear>::forward;

    explicit Linear(LinearHead head) : head_(std::move(head)) {
        if (!head_.maps) throw std::invalid_argument("attention: there is no feature map");
        if (head_.maps->parameters() == 0) only_ = head_.maps->map({});
    }

    Index parameters() const override { return head_.maps->parameters(); }
    Index trained() const override { return head_.maps->trained(); }
    Vector start(const Stream& stream) const override { return head_.maps->start(stream); }
    std::vector<features::ParameterGroup> groups() const override { return head_.maps->groups(); }

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        head_.form.require(visible);
        attention::check(in, visible);
        const auto map = this->map<Scalar>(parameters);
        return placed<Scalar>(in, 0, [&](const Inputs<Scalar>& own) -> std::unique_ptr<HeadPass<Scalar>> {
            if (head_.prefix_sums && visible == Visible::causal)
                return std::make_unique<PrefixPass<Scalar>>(map, head_.form.norm, own, nullptr);
            return std::make_unique<LinearPass<Scalar>>(map, head_.form.norm, own, visible);
        });
    }
    std::unique_ptr<HeadAttention> masked(const MaskGrid& grid) const override {
        return only_ && !head_.form.positions && head_.form.norm == attention::Norm::quotient
                   ? masked_features(only_, grid)
                   : nullptr;
    }

    const StatefulHead* stateful() const override { return this; }
    Index features() const override { return head_.maps->columns(); }
    std::unique_ptr<HeadAttention> with_prefix_sums() const override {
        LinearHead head = head_;
        head.prefix_sums = true;
        return linear_attention(std::move(head));
    }
    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> slice(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                            HeadSums& sums) const {
        attention::check(in, Visible::causal);
        const auto map = this->map<Scalar>(parameters);
        return placed<Scalar>(in, sums.tokens, [&](const Inputs<Scalar>& own) -> std::unique_ptr<HeadPass<Scalar>> {
            if (head_.prefix_sums) return std::make_unique<PrefixPass<Scalar>>(map, head_.form.norm, own, &sums);
            return std::make_unique<LinearSlice<Scalar>>(map, head_.form.norm, own, sums);
        });
    }
    template <class Scalar>
    FeatureSums<double> own_sums(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in, Index first) const {
        attention::check(in, Visible::causal);
        const auto map = this->map<Scalar>(parameters);
        const auto sum = [&](const Inputs<Scalar>& own) {
            attention::check_map(*map, own);
            return FeatureSums<double>(attention::sum_all_keys(*map, own));
        };
        return head_.form.positions ? sum(attention::WithPositions<Scalar>(in, first).inputs()) : sum(in);
    }

private:
    template <class Scalar>
    std::shared_ptr<const FeatureMap> map(const ColumnView<Scalar>& parameters) const {
        if (only_ && parameters.size() == 0) return only_;
        return last_.of(*head_.maps, parameters.template cast<double>());
    }
    template <class Scalar, class Make>
    std::unique_ptr<HeadPass<Scalar>> placed(const Inputs<Scalar>& in, Index first, Make make) const {
        if (!head_.form.positions) return make(in);
        return std::make_unique<PlacedPass<Scalar>>(in, first, make);
    }

    LinearHead head_;
    std::shared_ptr<const FeatureMap> only_;  // where there are no parameters
    LastMap last_;
};

}  // namespace

std::unique_ptr<HeadAttention> linear_attention(LinearHead head) { return std::make_unique<Linear>(std::move(head)); }

std::unique_ptr<HeadAttention> fixed_attention(std::shared_ptr<const FeatureMap> map) {
    return linear_attention({.maps = features::one_map(std::move(map))});
}

}  // namespace rfbench::training
