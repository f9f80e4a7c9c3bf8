#include "rfbench/networks/multi_head.hpp"

#include <stdexcept>

#include "rfbench/networks/slice_sums.hpp"

namespace rfbench::networks {
namespace {

/// 1 / (1 + exp(-z)), entry by entry: exp may overflow to infinity, whose inverse is the 0 that it should be.
template <class Scalar>
auto sigmoid(const Rows<Scalar>& z) {
    return (1 + (-z.array()).exp()).inverse();
}

}  // namespace

Heads softmax_heads(Index count) {
    const std::shared_ptr<const training::HeadAttention> softmax = training::softmax_attention();
    return Heads(static_cast<std::size_t>(count), softmax);
}

MultiHead::MultiHead(Layout& layout, const std::string& name, Index in, HeadWidths widths, Bias bias, Heads heads,
                     attention::Visible visible, const BesideHeads& beside)
    : widths_(widths),
      project_(layout, name + ".c_attn", in, static_cast<Index>(heads.size()) * (2 * widths.dimension + widths.values),
               bias),
      heads_(std::move(heads)),
      visible_(visible),
      beside_(beside) {
    for (std::size_t h = 0; h < heads_.size(); ++h) {
        of_heads_.push_back(Parameter{});
        if (heads_[h]->parameters() == 0) continue;
        // One after another in the layout: together they are the head's.
        const std::string own = name + ".head." + std::to_string(h);
        const Index first = layout.size();
        for (const auto& [group, size] : heads_[h]->groups())
            layout.add(group.empty() ? own : own + "." + group, 1, size);
        of_heads_.back() = {own, 1, heads_[h]->parameters(), first};
    }
    if (beside.convolution > 0) {
        const bool all = visible == attention::Visible::all;
        if (all && beside.convolution % 2 == 0)
            throw std::invalid_argument("network: a convolution over " + std::to_string(beside.convolution) +
                                        " tokens has no middle; where every token sees every other it must be odd");
        convolution_ =
            Convolution(layout, name + ".conv", beside.convolution, columns(), all ? beside.convolution / 2 : 0);
    }
    if (beside.gate) gate_ = Affine(layout, name + ".c_gate", in, columns(), bias);
}

void MultiHead::replace(Heads heads) {
    bool alike = heads.size() == heads_.size();
    for (std::size_t h = 0; alike && h < heads.size(); ++h) alike = heads[h]->parameters() == of_heads_[h].size();
    if (!alike) throw std::invalid_argument("network: heads are replaced by others, or by heads of other parameters");
    heads_ = std::move(heads);
}

template <class Scalar>
void MultiHead::forward(const Weights<Scalar>& weights, const Rows<Scalar>& x, const Starts& starts, Pass<Scalar>& pass,
                        Rows<Scalar>& y) const {
    project_.forward(weights, x, pass.projected);
    y.resize(x.rows(), columns());
    pass.heads.clear();
    pass.outcome = {};
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
        const auto rows = pass.projected.middleRows(starts[s], starts[s + 1] - starts[s]);
        for (std::size_t i = 0; i < heads_.size(); ++i) {
            const Index h = static_cast<Index>(i);
            const training::ColumnView<Scalar> own = weights.values().segment(of_heads_[i].first, of_heads_[i].size());
            const attention::Inputs<Scalar> in{part(rows, h, 0), part(rows, h, 1), part(rows, h, 2)};
            // SlicedGradient has checked that heads of slices have states.
            auto head =
                pass.sums ? pass.sums->pass(i, *heads_[i]->stateful(), own, in) : heads_[i]->forward(own, in, visible_);
            if (head->output.rows() != rows.rows() || head->output.cols() != widths_.values)
                throw std::invalid_argument("network: attention of head " + std::to_string(i) + " gave " +
                                            std::to_string(head->output.rows()) + " x " +
                                            std::to_string(head->output.cols()) + "; it must give " +
                                            std::to_string(rows.rows()) + " x " + std::to_string(widths_.values));
            y.block(starts[s], h * widths_.values, rows.rows(), widths_.values) = head->output;
            pass.outcome += head->outcome;
            pass.heads.push_back(std::move(head));
        }
    }
    if (beside_.convolution > 0) {
        Rows<Scalar> convolved;
        convolution_.forward(weights, starts, Rows<Scalar>(pass.projected.rightCols(columns())), convolved);
        y += convolved;
    }
    if (!beside_.gate) return;
    gate_.forward(weights, x, pass.gate);
    pass.ungated = y;
    y.array() *= pass.gate.array() * sigmoid(pass.gate);
}

template <class Scalar>
void MultiHead::backward(const Weights<Scalar>& weights, const Rows<Scalar>& x, const Starts& starts,
                         const Pass<Scalar>& pass, const Rows<Scalar>& by_y, Column<Scalar>& gradient,
                         Rows<Scalar>& by_x) const {
    // Every entry is written below: rows are those of all sequences, columns those of all heads.
    Rows<Scalar> by_projected(pass.projected.rows(), pass.projected.cols());
    Rows<Scalar> ungated, by_gate;
    if (beside_.gate) {
        // swish(z) = z s, s the sigmoid, whose slope is s + z s (1 - s).
        const auto s = sigmoid(pass.gate).eval();
        const auto z = pass.gate.array();
        by_gate = by_y.array() * pass.ungated.array() * (s + z * s * (1 - s));
        ungated = by_y.array() * z * s;
    }
    const Rows<Scalar>& by_heads = beside_.gate ? ungated : by_y;
    attention::Gradients<Scalar> of_head;
    auto head = pass.heads.begin();
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
        const Index n = starts[s + 1] - starts[s];
        auto rows = by_projected.middleRows(starts[s], n);
        for (std::size_t i = 0; i < heads_.size(); ++i, ++head) {
            const Index h = static_cast<Index>(i);
            (*head)->backward(by_heads.block(starts[s], h * widths_.values, n, widths_.values), of_head,
                              gradient.segment(of_heads_[i].first, of_heads_[i].size()));
            part(rows, h, 0) = of_head.queries;
            part(rows, h, 1) = of_head.keys;
            part(rows, h, 2) = of_head.values;
        }
    }
    if (beside_.convolution > 0) {
        Rows<Scalar> by_values;
        convolution_.backward(weights, starts, Rows<Scalar>(pass.projected.rightCols(columns())), by_heads, gradient,
                              by_values);
        by_projected.rightCols(columns()) += by_values;
    }
    project_.backward(weights, x, by_projected, gradient, by_x);
    if (!beside_.gate) return;
    Rows<Scalar> through_gate;
    gate_.backward(weights, x, by_gate, gradient, through_gate);
    by_x += through_gate;
}

template void MultiHead::forward(const Weights<float>&, const Rows<float>&, const Starts&, Pass<float>&,
                                 Rows<float>&) const;
template void MultiHead::backward(const Weights<float>&, const Rows<float>&, const Starts&, const Pass<float>&,
                                  const Rows<float>&, Column<float>&, Rows<float>&) const;
template void MultiHead::forward(const Weights<double>&, const Rows<double>&, const Starts&, Pass<double>&,
                                 Rows<double>&) const;
template void MultiHead::backward(const Weights<double>&, const Rows<double>&, const Starts&, const Pass<double>&,
                                  const Rows<double>&, Column<double>&, Rows<double>&) const;

}  // namespace rfbench::networks
