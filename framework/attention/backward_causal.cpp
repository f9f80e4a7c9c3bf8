// Gradients of causal attention: a pass forwards, for queries and for what stays within a block, and one backwards, for
// keys and values from later blocks.
#include <algorithm>

#include "rfbench/attention/backward_tile.hpp"
#include "rfbench/attention/causal_block.hpp"
#include "rfbench/parallel/in_order.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using parallel::InOrder;
using parallel::Loop;
using parallel::Share;
using products::strided;
using products::Triangle;

/// Row i of a causal output, relative to 2^(scales_i), and the gradients with respect to its numerators and
/// denominator: made going forwards, read going backwards.
template <class Scalar>
struct CausalRows {
    Rows<Scalar> numerators;
    Column<Scalar> denominators;
    Eigen::VectorXi scales;

    CausalRows(Index length, Index columns) : numerators(length, columns), denominators(length), scales(length) {}
};

/// A block forwards: what goes back to its queries, and from them to keys and values of the block.
template <class Scalar>
class Forwards : BackwardTile<Scalar> {
public:
    using BackwardTile<Scalar>::take_by_parameters;

    Forwards(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Norm norm,
             Gradients<Scalar>& out, CausalRows<Scalar>& made)
        : BackwardTile<Scalar>(map, in, gradient, out),
          norm_(norm),
          made_(made),
          block_(map, in),
          before_(map.arithmetic()),
          factor_(map.arithmetic()) {}

    CausalBlock<Scalar>& block() { return block_; }

    Counts attend() {
        const Index first = block_.first(), n = block_.size();
        Rows<Scalar>& numerators = this->products_;
        numerators.resize(n, this->in_.values.cols());
        block_.attend(numerators.data(), numerators.cols());
        auto& quotient = this->quotient_;
        const Counts counts =
            quotient.assign(numerators, block_.denominators(), this->gradient_.middleRows(first, n), norm_);
        // Kept for the pass backwards, where later rows' gradients go to earlier keys.
        made_.numerators.middleRows(first, n) = quotient.numerators;
        made_.denominators.segment(first, n) = quotient.denominators;
        made_.scales.segment(first, n) = block_.scales();
        estimate_gradients();
        to_queries();
        to_keys();
        return counts;
    }

private:
    /// within_ = the gradients with respect to q_i . k_j features of the block, with the keys' weights.
    void estimate_gradients() {
        // (g_i.v_j + c_i) times the weight of key j in row i, which is zero for j > i.
        const Index first = block_.first(), n = block_.size();
        within_ = this->quotient_.denominators.replicate(1, n);
        factor_.pack(strided(RowsView<Scalar>(this->in_.values.middleRows(first, n))).transposed());
        factor_.multiply(strided(this->quotient_.numerators), within_.data(), n, within_.data(), n);
        within_.array() *= block_.visible().array();
    }

    void to_queries() {
        // Through the sums of earlier blocks, whose exponent is the state's and not the row's; then through the block's
        // own keys.
        const auto& shrinks = block_.shrinks();
        before_.pack_transposed(block_.before());
        this->gradients_through(before_, shrinks.asDiagonal() * this->quotient_.numerators,
                                shrinks.cwiseProduct(this->quotient_.denominators));
        Rows<Scalar>& back = this->back_;
        factor_.pack(strided(block_.keys().values));
        factor_.multiply(strided(within_), back.data(), back.cols(), back.data(), back.cols(), Triangle::lower_factor);
        this->out_.queries.middleRows(block_.first(), block_.size()) =
            this->pulled_back(Side::query, this->in_.queries, block_.queries(), block_.first());
    }

    void to_keys() {
        const Index first = block_.first(), n = block_.size();
        Rows<Scalar>& back = this->back_;
        // Transposed, what is lower triangular for queries is upper triangular for keys.
        factor_.pack(strided(block_.queries().values));
        factor_.multiply(strided(within_).transposed(), back.data(), back.cols(), Triangle::upper_factor);
        this->out_.keys.middleRows(first, n) = this->pulled_back(Side::key, this->in_.keys, block_.keys(), first);
        factor_.pack(strided(this->quotient_.numerators));
        factor_.multiply(strided(block_.estimates()).transposed(), &this->out_.values(first, 0),
                         this->out_.values.cols(), Triangle::upper_factor);
    }

    Norm norm_;
    CausalRows<Scalar>& made_;
    CausalBlock<Scalar> block_;
    SumFactors<Scalar> before_;
    products::Factor<Scalar> factor_;
    Rows<Scalar> within_;
};

/// A block backwards: what goes back to its keys and values from later blocks.
template <class Scalar>
class Backwards : BackwardTile<Scalar> {
public:
    using BackwardTile<Scalar>::take_by_parameters;

    Backwards(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
              const CausalRows<Scalar>& made)
        : BackwardTile<Scalar>(map, in, gradient, out),
          made_(made),
          own_(map.columns(), in.values.cols(), map.arithmetic()),
          after_(own_),
          factors_(map.arithmetic()) {}

    /// Makes the features of block `number` and the sums of what its queries send back.
    void evaluate(Index number) {
        first_ = number * CausalBlock<Scalar>::length;
        const Index n = std::min(CausalBlock<Scalar>::length, this->in_.keys.rows() - first_);
        this->map_.evaluate(Side::query, this->in_.queries.middleRows(first_, n), features_);
        // Rows were made relative to 2^(scale_i), so what they send back counts 2^(-scale_i).
        own_.assign(features_.values, made_.scales.segment(first_, n).unaryExpr(&opposite<Scalar>),
                    made_.numerators.middleRows(first_, n), made_.denominators.segment(first_, n));
        this->map_.evaluate(Side::key, this->in_.keys.middleRows(first_, n), features_);
        weights_.assign(features_, this->in_, first_);
    }
    void follow(FeatureSums<Scalar>& state) {
        after_ = state;
        state.add(own_);
    }
    void attend() {
        // No block comes after this one. Otherwise powers of keys and sums make at most one together, since the scale
        // of a later row is no less than the exponent of a key that it sees.
        if (after_.exponent() == KeyWeights<Scalar>::none) return;
        factors_.pack(after_);
        this->add_to_keys(factors_, features_, weights_, -after_.exponent(), first_);
    }

private:
    const CausalRows<Scalar>& made_;
    Index first_ = 0;
    FeatureBlock<Scalar> features_;
    KeyWeights<Scalar> weights_;
    FeatureSums<Scalar> own_, after_;
    SumFactors<Scalar> factors_;
};

}  // namespace

template <class Scalar>
Outcome backward_causal(const FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar> past,
                        FeatureSums<Scalar>& later, const RowsView<Scalar>& gradient, Norm norm,
                        Gradients<Scalar>& out) {
    // Forwards the state is the keys' sums of the past, backwards the sums of what later queries send back. Blocks are
    // shared as in linear.cpp: only the handing on of the state is in turn.
    const Index blocks = CausalBlock<Scalar>::count(in);
    CausalRows<Scalar> made(in.keys.rows(), in.values.cols());
    InOrder forwards, backwards, parameters_there, parameters_back;
    Loop there(blocks, Share::in_order), back(blocks, Share::in_order);
    // Gradients of parameters are added up in the blocks' order too.
    const auto add_parameters = [&](InOrder& turns, const Loop& loop, Index number, auto& own) {
        if (out.parameters.size() == 0) return;
        const Vector by_parameters = own.take_by_parameters();
        turns.run(loop, number, [&] { out.parameters += by_parameters; });
    };
    const auto forward = [&] { return Forwards<Scalar>(map, in, gradient, norm, out, made); };
    const Counts counts = there.run(forward, [&](Forwards<Scalar>& own, Index number) {
        own.block().evaluate(number);
        forwards.run(there, number, [&] { own.block().follow(past); });
        const Counts of_block = own.attend();
        add_parameters(parameters_there, there, number, own);
        return of_block;
    });
    const auto backward = [&] { return Backwards<Scalar>(map, in, gradient, out, made); };
    back.run(backward, [&](Backwards<Scalar>& own, Index turn) {
        own.evaluate(blocks - 1 - turn);
        backwards.run(back, turn, [&] { own.follow(later); });
        own.attend();
        add_parameters(parameters_back, back, turn, own);
    });
    out.left_out = counts.left_out;
    return {counts.nonpositive};
}

template Outcome backward_causal(const FeatureMap&, const Inputs<float>&, FeatureSums<float>, FeatureSums<float>&,
                                 const RowsView<float>&, Norm, Gradients<float>&);
template Outcome backward_causal(const FeatureMap&, const Inputs<double>&, FeatureSums<double>, FeatureSums<double>&,
                                 const RowsView<double>&, Norm, Gradients<double>&);

}  // namespace rfbench::attention
