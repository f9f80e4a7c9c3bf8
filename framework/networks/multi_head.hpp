#pragma once
#include <memory>
#include <vector>

#include "rfbench/networks/affine.hpp"
#include "rfbench/networks/slice_sums.hpp"

namespace rfbench::networks {

/// First row of each sequence in a part of a batch, and the end of the last one.
using Starts = std::vector<Index>;

/// The attention of each head: any of training/head_attention.hpp.
using Heads = std::vector<std::shared_ptr<const training::HeadAttention>>;

/// So many heads of softmax attention.
Heads softmax_heads(Index count);

/// How wide queries and keys, and values, of one head are.
struct HeadWidths {
    Index dimension, values;
};

/// [Q K V] = x W + b, y = concat_h attention_h(Q_h, K_h, V_h), of each sequence by itself.
class MultiHead {
public:
    MultiHead() = default;
    /// Adds `name`.c_attn, in x heads (2 d + e), and `name`.head.i for heads that have parameters, to the layout.
    MultiHead(Layout&, const std::string& name, Index in, HeadWidths, Bias, Heads, attention::Visible);

    Index columns() const { return static_cast<Index>(heads_.size()) * widths_.values; }  ///< of y
    const Affine& project() const { return project_; }
    const std::vector<Parameter>& head_parameters() const { return of_heads_; }  ///< of size 0 where there are none
    const Heads& heads() const { return heads_; }
    /// Other attention of the same numbers of parameters, such as features drawn again. Throws std::invalid_argument
    /// for others.
    void replace(Heads);

    template <class Scalar>
    struct Pass {
        Rows<Scalar> projected;                                          ///< Q of all heads, then K, then V
        std::vector<std::unique_ptr<training::HeadPass<Scalar>>> heads;  ///< by sequence, then by head
        attention::Outcome outcome;
        SliceSums* sums = nullptr;  ///< where rows are a slice of one sequence, whose heads have states
    };

    /// Heads go one after the other, and each may share the threads; bits do not depend on their number. Throws what a
    /// head throws, and std::invalid_argument with its number for one whose output has another shape.
    template <class Scalar>
    void forward(const Weights<Scalar>&, const Rows<Scalar>& x, const Starts&, Pass<Scalar>&, Rows<Scalar>& y) const;
    /// From the gradient of y: adds those of all parameters, the heads' too, to `gradient`, and writes that of x.
    template <class Scalar>
    void backward(const Weights<Scalar>&, const Rows<Scalar>& x, const Starts&, const Pass<Scalar>&,
                  const Rows<Scalar>& by_y, Column<Scalar>& gradient, Rows<Scalar>& by_x) const;

    /// The columns of head h's queries (part 0), keys (1) or values (2) within those of all.
    template <class Projected>
    auto part(Projected& all, Index h, int part) const {
        const Index count = static_cast<Index>(heads_.size()), d = widths_.dimension;
        return part < 2 ? all.middleCols((part * count + h) * d, d)
                        : all.middleCols(2 * count * d + h * widths_.values, widths_.values);
    }

private:
    HeadWidths widths_{};
    Affine project_;
    Heads heads_;
    std::vector<Parameter> of_heads_;
    attention::Visible visible_ = attention::Visible::all;
};

}  // namespace rfbench::networks
