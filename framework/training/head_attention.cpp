#include "rfbench/training/head_attention.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/parts.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/training/linear_head.hpp"
#include "rfbench/training/linear_pass.hpp"
#include "rfbench/training/masked_head.hpp"
#include "rfbench/training/without_parameters.hpp"

namespace rfbench::training {
namespace {

using attention::Column;
using attention::FeatureSums;
using attention::Gradients;
using attention::Inputs;
using attention::Visible;
using features::FeatureMap;

/// Keeps one number a row, the log of its weights' sum, by which the backward pass makes weights again in tiles.
template <class Scalar>
class SoftmaxPass final : public HeadPass<Scalar> {
public:
    SoftmaxPass(const Inputs<Scalar>& in, Visible visible) : in_(in), visible_(visible) {
        this->outcome = attention::exact(in_, visible_, this->output, log_sums_);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out, ColumnRef<Scalar>) const override {
        attention::exact_backward(in_, visible_, this->output, log_sums_, gradient, out);
    }

private:
    Inputs<Scalar> in_;
    Visible visible_;
    Column<Scalar> log_sums_;
};

class Softmax final : public WithoutParameters<Softmax> {
public:
    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        check_none<Scalar>(parameters);
        return std::make_unique<SoftmaxPass<Scalar>>(in, visible);
    }
    std::unique_ptr<HeadAttention> masked(const MaskGrid& grid) const override { return masked_softmax(grid); }
};

/// Causal attention whose features change along the sequence. Queries of one section go through its map to all keys
/// before them, which are summed again for it.
template <class Scalar>
class SectionsPass final : public HeadPass<Scalar> {
public:
    SectionsPass(const MapFor& map, const std::shared_ptr<const FeatureMap>& before, Index first,
                 const Inputs<Scalar>& in)
        : in_(in) {
        attention::check(in, Visible::causal);
        const Index length = in.queries.rows();
        const Points queries = in.queries.template cast<double>(), keys = in.keys.template cast<double>();
        this->output.resize(length, in.values.cols());
        Rows<Scalar> rows;
        // Each section fits its map to all earlier tokens and sums them again. The lengths of sections double, so that
        // is less than twice the sequence in all.
        for (Index begin = 0; begin < length; begin = sections_.back().end) {
            const Index end = std::min(length, std::max(first, 2 * begin));
            sections_.push_back({begin, end, begin == 0 ? before : map(queries.topRows(begin), keys.topRows(begin))});
            const FeatureMap& own = *sections_.back().map;
            attention::FeatureSums<Scalar> state(own.columns(), in.values.cols());
            if (begin > 0) state = attention::sum_all_keys(own, part_of(in, 0, begin));
            this->outcome += attention::causal(own, part_of(in, begin, end - begin), state, rows);
            this->output.middleRows(begin, end - begin) = rows;
        }
    }

    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out, ColumnRef<Scalar>) const override {
        attention::check_gradients(in_, gradient, out);
        out.queries.setZero(in_.queries.rows(), in_.queries.cols());
        out.keys.setZero(in_.keys.rows(), in_.keys.cols());
        out.values.setZero(in_.values.rows(), in_.values.cols());
        out.left_out = 0;
        Gradients<Scalar> of_section;
        for (const auto& [begin, end, map] : sections_) {
            // Earlier queries went through other maps and have no gradient here; earlier keys have one from each
            // section.
            Rows<Scalar> own = gradient.topRows(end);
            own.topRows(begin).setZero();
            attention::backward<Scalar>(*map, part_of(in_, 0, end), Visible::causal, own, of_section);
            out.queries.topRows(end) += of_section.queries;
            out.keys.topRows(end) += of_section.keys;
            out.values.topRows(end) += of_section.values;
            // Denominators of earlier queries by this map count, too: an upper bound.
            out.left_out += of_section.left_out;
        }
    }

private:
    struct Section {
        Index begin, end;
        std::shared_ptr<const FeatureMap> map;
    };
    Inputs<Scalar> in_;
    std::vector<Section> sections_;
};

/// Features are fitted to each sequence: to all of it or, where it is causal, section by section.
class Fitted final : public WithoutParameters<Fitted> {
public:
    Fitted(MapFor map, std::shared_ptr<const FeatureMap> before, Index first)
        : map_(std::move(map)), before_(std::move(before)), first_(first) {
        if (!before_) throw std::invalid_argument("attention: there is no feature map for the first tokens");
        if (first_ < 1)
            throw std::invalid_argument("attention: the first fit is to " + std::to_string(first_) +
                                        " tokens; at least 1 is needed");
    }
    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        check_none<Scalar>(parameters);
        if (visible == Visible::causal) return std::make_unique<SectionsPass<Scalar>>(map_, before_, first_, in);
        return std::make_unique<LinearPass<Scalar>>(
            map_(Points(in.queries.template cast<double>()), Points(in.keys.template cast<double>())),
            attention::Norm::quotient, in, visible);
    }
    std::unique_ptr<HeadAttention> masked(const MaskGrid& grid) const override { return masked_fitted(map_, grid); }

private:
    MapFor map_;
    std::shared_ptr<const FeatureMap> before_;
    Index first_;
};

/// Attention that takes doubles: floats are converted there and back.
template <class Scalar>
class ForwardPass final : public HeadPass<Scalar> {
public:
    ForwardPass(const Attend& attend, const Inputs<Scalar>& in, Visible visible) {
        const Points queries = in.queries.template cast<double>(), keys = in.keys.template cast<double>();
        const Points values = in.values.template cast<double>();
        Points out;
        this->outcome = attend({queries, keys, values, in.kept}, visible, out);
        this->output = out.template cast<Scalar>();
    }
    void backward(const RowsView<Scalar>&, Gradients<Scalar>&, ColumnRef<Scalar>) const override {
        throw std::invalid_argument("attention: this method has no gradient");
    }
};

class Forward final : public WithoutParameters<Forward> {
public:
    explicit Forward(Attend attend) : attend_(std::move(attend)) {}
    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        check_none<Scalar>(parameters);
        return std::make_unique<ForwardPass<Scalar>>(attend_, in, visible);
    }

private:
    Attend attend_;
};

}  // namespace

std::unique_ptr<HeadAttention> softmax_attention() { return std::make_unique<Softmax>(); }

std::unique_ptr<HeadAttention> fitted_attention(MapFor map, std::shared_ptr<const FeatureMap> before, Index first) {
    return std::make_unique<Fitted>(std::move(map), std::move(before), first);
}

std::unique_ptr<HeadAttention> learned_attention(const features::MapShape& shape) {
    return linear_attention({.maps = features::learned_maps(shape)});
}

std::unique_ptr<HeadAttention> forward_attention(Attend attend) { return std::make_unique<Forward>(std::move(attend)); }

}  // namespace rfbench::training
