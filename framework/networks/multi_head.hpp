#pragma once
#include <memory>
#include <vector>

#include "rfbench/networks/affine.hpp"
#include "rfbench/networks/convolution.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::networks {

struct SliceSums;

/// The attention of each head: any of training/head_attention.hpp.
using Heads = std::vector<std::shared_ptr<const training::HeadAttention>>;

/// So many heads of softmax attention.
Heads softmax_heads(Index count);

/// How wide queries and keys, and values, of one head are.
struct HeadWidths {
    Index dimension;  ///< d, of queries and keys
    Index values;     ///< e, of values
};

/// Parts beside the heads of a layer.
struct BesideHeads {
    /// Whether y is multiplied by swish(x G + g), swish(z) = z / (1 + exp(-z)): the gate of RetNet (Sun et al. 2023),
    /// which the models of DiJiang have too (Chen et al. 2024, section 4.1).
    bool gate = false;
    /// Kernel size of a depthwise convolution of the values, which is added to y before the gate ("DWC" of Shahbazi et
    /// al. 2025, Table 5); 0: none. In causal attention its window ends at the token, otherwise it is centred on the
    /// token. Its weights are initialized to 0.
    Index convolution = 0;
};

/// [Q K V] = x W + b, y = concat_h attention_h(Q_h, K_h, V_h), of each sequence by itself, and what is beside.
class MultiHead {
public:
    MultiHead() = default;
    /// Adds `name`.c_attn, in x heads (2 d + e), and for heads that have parameters `name`.head.i, or
    /// `name`.head.i.<group> for each of their groups, `name`.conv and `name`.c_gate to the layout. Throws
    /// std::invalid_argument for an even convolution where every token sees every other.
    MultiHead(Layout&, const std::string& name, Index in, HeadWidths, Bias, Heads, attention::Visible,
              const BesideHeads& = {});

    Index columns() const { return static_cast<Index>(heads_.size()) * widths_.values; }  ///< of y
    const Affine& project() const { return project_; }                           ///< W and b, in x heads (2 d + e)
    const std::vector<Parameter>& head_parameters() const { return of_heads_; }  ///< of size 0 where there are none
    const Heads& heads() const { return heads_; }                                ///< in the order of columns of y
    const BesideHeads& beside() const { return beside_; }                        ///< gate and convolution
    const Affine& gate() const { return gate_; }  ///< G and g; without parameters where there is no gate
    /// Other attention of the same numbers of parameters, such as features drawn again. Throws std::invalid_argument
    /// for others.
    void replace(Heads);

    /// Values of the forward pass that the backward pass needs.
    template <class Scalar>
    struct Pass {
        Rows<Scalar> projected;                                          ///< Q of all heads, then K, then V
        std::vector<std::unique_ptr<training::HeadPass<Scalar>>> heads;  ///< by sequence, then by head
        Rows<Scalar> ungated, gate;                                      ///< y before the gate, and x G + g
        attention::Outcome outcome;                                      ///< of all heads and sequences
        /// States of the heads if the rows are a slice of one sequence (slice_sums.hpp); null for whole sequences.
        SliceSums* sums = nullptr;
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
    BesideHeads beside_;
    Convolution convolution_;
    Affine gate_;
};

}  // namespace rfbench::networks
