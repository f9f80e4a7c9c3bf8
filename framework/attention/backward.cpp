#include "rfbench/attention/backward.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/attention/causal_block.hpp"
#include "rfbench/attention/parts.hpp"
#include "rfbench/attention/turns.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using products::Panels;
using products::strided;
using products::Triangle;
template <class Scalar>
using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// Output rows whose denominator is not positive, and those whose gradient was left out.
struct Counts {
    Index nonpositive = 0, left_out = 0;

    Counts& operator+=(const Counts& other) {
        nonpositive += other.nonpositive;
        left_out += other.left_out;
        return *this;
    }
};
#pragma omp declare reduction(+ : Counts : omp_out += omp_in)

/// With out = n / D: the gradients with respect to rows' numerators n and denominators D.
template <class Scalar>
struct QuotientGradients {
    Rows<Scalar> numerators;
    Column<Scalar> denominators;

    Counts assign(const Rows<Scalar>& sums, const Column<Scalar>& divisors, const RowsView<Scalar>& gradient) {
        numerators = gradient;
        denominators.resize(divisors.size());
        Counts counts;
        for (Index i = 0; i < divisors.size(); ++i) {
            counts.nonpositive += divisors[i] > 0 ? 0 : 1;
            // Room for the values and gradients that the inverse is multiplied with.
            const bool large = std::abs(divisors[i]) > Scalar(1e10) * std::numeric_limits<Scalar>::min();
            counts.left_out += large ? 0 : 1;
            const Scalar inverse = large ? 1 / divisors[i] : Scalar(0);
            numerators.row(i) *= inverse;
            denominators[i] = -inverse * numerators.row(i).dot(sums.row(i));
        }
        return counts;
    }
};

/// Sums of features ready to be multiplied with.
template <class Scalar>
struct SumFactors {
    Panels<Scalar> numerators, transposed;  // R x e and e x R
    Column<Scalar> denominators;
    int exponent;

    void pack(const FeatureSums<Scalar>& sums) {
        numerators.pack(strided(sums.numerators()));
        pack_transposed(sums);
    }
    void pack_transposed(const FeatureSums<Scalar>& sums) {
        transposed.pack(strided(sums.numerators()).transposed());
        denominators = sums.denominators();
        exponent = sums.exponent();
    }
};

/// What goes back to the rows of a tile, or a block, through sums over others.
template <class Scalar>
class Pass {
public:
    Pass(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Gradients<Scalar>& out)
        : map_(map), in_(in), gradient_(gradient), out_(out) {}

protected:
    /// With g_i = numerators_i of row i and c_i = denominators_i: g_i S' + c_i s', the gradients of features that meet
    /// sums S, s.
    void through(const SumFactors<Scalar>& sums, const Rows<Scalar>& numerators, const Column<Scalar>& denominators) {
        back_.resize(numerators.rows(), map_.columns());
        for (Index i = 0; i < back_.rows(); ++i) back_.row(i) = denominators[i] * sums.denominators.transpose();
        sums.transposed.multiply(strided(numerators), back_.data(), back_.cols(), back_.data(), back_.cols());
    }
    /// Adds what keys from row `first` and their values have from `sums` of queries, their weights being relative to
    /// 2^base.
    void add_to_keys(const SumFactors<Scalar>& sums, const FeatureBlock<Scalar>& keys, const KeyWeights<Scalar>& weights,
                     int base, Index first) {
        const Index n = keys.values.rows();
        Column<Scalar> factors = weights.mantissas;
        for (Index j = 0; j < n; ++j) factors[j] *= power_of_two<Scalar>(weights.exponents[j], base);
        through(sums, factors.asDiagonal() * in_.values.middleRows(first, n), factors);
        out_.keys.middleRows(first, n) += pulled_back(Side::key, in_.keys, keys, first);
        products_.resize(n, in_.values.cols());
        sums.numerators.multiply(strided(keys.values), products_.data(), products_.cols());
        out_.values.middleRows(first, n) += factors.asDiagonal() * products_;
    }
    /// back_, the gradients of `features`, as gradients of rows from `first`.
    const Rows<Scalar>& pulled_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                                    Index first) {
        map_.pullback(side, rows.middleRows(first, features.values.rows()), features, back_, rows_);
        return rows_;
    }

    const FeatureMap& map_;
    const Inputs<Scalar>& in_;
    const RowsView<Scalar>& gradient_;
    Gradients<Scalar>& out_;
    QuotientGradients<Scalar> quotient_;
    Rows<Scalar> back_, products_, rows_;
};

/// Every query sees every key: the keys act through their sums alone, and so do the queries on the keys.
template <class Scalar>
class SeeAll : Pass<Scalar> {
public:
    using Pass<Scalar>::Pass;

    /// Queries of rows first .. first + n - 1; adds what they send back to the keys.
    Counts queries(Index first, Index n, const SumFactors<Scalar>& sums, FeatureSums<Scalar>& back) {
        this->map_.evaluate(Side::query, this->in_.queries.middleRows(first, n), features_);
        Rows<Scalar>& numerators = this->products_;
        numerators.resize(n, this->in_.values.cols());
        sums.numerators.multiply(strided(features_.values), numerators.data(), numerators.cols());
        auto& quotient = this->quotient_;
        const Counts counts = quotient.assign(numerators, features_.values * sums.denominators,
                                              this->gradient_.middleRows(first, n));
        this->through(sums, quotient.numerators, quotient.denominators);
        this->out_.queries.middleRows(first, n) = this->pulled_back(Side::query, this->in_.queries, features_, first);
        back.add(features_.values, Eigen::VectorXi::Zero(n), quotient.numerators, quotient.denominators);
        return counts;
    }

    /// Keys of rows first .. first + n - 1; `base` is the exponent of the keys' sums.
    void keys(Index first, Index n, int base, const SumFactors<Scalar>& back) {
        this->map_.evaluate(Side::key, this->in_.keys.middleRows(first, n), features_);
        weights_.assign(features_, this->in_, first);
        this->out_.keys.middleRows(first, n).setZero();
        this->out_.values.middleRows(first, n).setZero();
        this->add_to_keys(back, features_, weights_, base, first);
    }

private:
    FeatureBlock<Scalar> features_;
    KeyWeights<Scalar> weights_;
};

template <class Scalar>
Outcome see_all(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient,
                Gradients<Scalar>& out) {
    SumFactors<Scalar> sums, sent_back;
    sums.pack(sum_all_keys(map, in));
    const Parts queries(in.queries.rows()), keys(in.keys.rows());
    std::vector<FeatureSums<Scalar>> back(static_cast<std::size_t>(queries.count),
                                          FeatureSums<Scalar>(map.columns(), in.values.cols()));
    Counts counts;
#pragma omp parallel for schedule(static) proc_bind(spread) reduction(+ : counts)
    for (Index part = 0; part < queries.count; ++part) {
        SeeAll<Scalar> pass(map, in, gradient, out);
        const Index end = queries.first(part + 1);
        for (Index at = queries.first(part); at < end; at += tile)
            counts += pass.queries(at, std::min(tile, end - at), sums, back[static_cast<std::size_t>(part)]);
    }
    FeatureSums<Scalar> all(map.columns(), in.values.cols());
    for (const auto& part : back) all.add(part);
    sent_back.pack(all);
#pragma omp parallel for schedule(static) proc_bind(spread)
    for (Index part = 0; part < keys.count; ++part) {
        SeeAll<Scalar> pass(map, in, gradient, out);
        const Index end = keys.first(part + 1);
        for (Index at = keys.first(part); at < end; at += tile)
            pass.keys(at, std::min(tile, end - at), sums.exponent, sent_back);
    }
    out.left_out = counts.left_out;
    return {counts.nonpositive};
}

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
class Forwards : Pass<Scalar> {
public:
    Forwards(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
             CausalRows<Scalar>& made)
        : Pass<Scalar>(map, in, gradient, out), made_(made), block_(map, in) {}

    CausalBlock<Scalar>& block() { return block_; }

    Counts attend() {
        const Index first = block_.first(), n = block_.size();
        Rows<Scalar>& numerators = this->products_;
        numerators.resize(n, this->in_.values.cols());
        block_.attend(numerators.data(), numerators.cols());
        auto& quotient = this->quotient_;
        const Counts counts =
            quotient.assign(numerators, block_.denominators(), this->gradient_.middleRows(first, n));
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
        const Index first = block_.first(), n = block_.size();
        within_ = this->quotient_.denominators.replicate(1, n);
        factor_.pack(strided(RowsView<Scalar>(this->in_.values.middleRows(first, n))).transposed());
        factor_.multiply(strided(this->quotient_.numerators), within_.data(), n, within_.data(), n);
        within_.array() *= block_.visible().array();
    }

    void to_queries() {
        const auto& shrinks = block_.shrinks();
        before_.pack_transposed(block_.before());
        this->through(before_, shrinks.asDiagonal() * this->quotient_.numerators,
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
        factor_.pack(strided(block_.queries().values));
        factor_.multiply(strided(within_).transposed(), back.data(), back.cols(), Triangle::upper_factor);
        this->out_.keys.middleRows(first, n) = this->pulled_back(Side::key, this->in_.keys, block_.keys(), first);
        factor_.pack(strided(this->quotient_.numerators));
        factor_.multiply(strided(block_.estimates()).transposed(), &this->out_.values(first, 0),
                         this->out_.values.cols(), Triangle::upper_factor);
    }

    CausalRows<Scalar>& made_;
    CausalBlock<Scalar> block_;
    SumFactors<Scalar> before_;
    Panels<Scalar> factor_;
    Rows<Scalar> within_;
};

/// A block backwards: what goes back to its keys and values from later blocks.
template <class Scalar>
class Backwards : Pass<Scalar> {
public:
    Backwards(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
              const CausalRows<Scalar>& made)
        : Pass<Scalar>(map, in, gradient, out), made_(made), own_(map.columns(), in.values.cols()), after_(own_) {}

    /// Makes the features of block `number` and the sums of what its queries send back.
    void evaluate(Index number) {
        first_ = number * CausalBlock<Scalar>::length;
        const Index n = std::min(CausalBlock<Scalar>::length, this->in_.keys.rows() - first_);
        this->map_.evaluate(Side::query, this->in_.queries.middleRows(first_, n), features_);
        own_.assign(features_.values, -made_.scales.segment(first_, n), made_.numerators.middleRows(first_, n),
                    made_.denominators.segment(first_, n));
        this->map_.evaluate(Side::key, this->in_.keys.middleRows(first_, n), features_);
        weights_.assign(features_, this->in_, first_);
    }
    void follow(FeatureSums<Scalar>& state) {
        after_ = state;
        state.add(own_);
    }
    void attend() {
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

template <class Scalar>
Outcome see_past(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient,
                 Gradients<Scalar>& out) {
    const Index blocks = CausalBlock<Scalar>::count(in);
    CausalRows<Scalar> made(in.keys.rows(), in.values.cols());
    FeatureSums<Scalar> past(map.columns(), in.values.cols()), future(past);
    Turns forwards, backwards;
    Counts counts;
#pragma omp parallel reduction(+ : counts) proc_bind(spread)
    {
        Forwards<Scalar> own(map, in, gradient, out, made);
#pragma omp for schedule(monotonic : dynamic)
        for (Index number = 0; number < blocks; ++number) {
            own.block().evaluate(number);
            forwards.take(number, [&] { own.block().follow(past); });
            counts += own.attend();
        }
    }
#pragma omp parallel proc_bind(spread)
    {
        Backwards<Scalar> own(map, in, gradient, out, made);
#pragma omp for schedule(monotonic : dynamic)
        for (Index turn = 0; turn < blocks; ++turn) {
            own.evaluate(blocks - 1 - turn);
            backwards.take(turn, [&] { own.follow(future); });
            own.attend();
        }
    }
    out.left_out = counts.left_out;
    return {counts.nonpositive};
}

}  // namespace

template <class Scalar>
Outcome backward(const FeatureMap& map, const Inputs<Scalar>& in, Visible visible, const RowsView<Scalar>& output_gradient,
                 Gradients<Scalar>& out) {
    check(in, visible);
    check_map(map, in);
    if (output_gradient.rows() != in.queries.rows() || output_gradient.cols() != in.values.cols())
        throw std::invalid_argument("attention: the output gradient is " + std::to_string(output_gradient.rows()) + " x " +
                                    std::to_string(output_gradient.cols()) + "; the output is " +
                                    std::to_string(in.queries.rows()) + " x " + std::to_string(in.values.cols()));
    // As check() does it: 0 x is zero for every finite x and NaN for the others.
    if (!((Scalar(0) * output_gradient).sum() == 0)) throw std::invalid_argument("attention: the output gradient is not finite");
    FeatureBlock<Scalar> none;
    map.evaluate(Side::query, in.queries.topRows(0), none);
    map.pullback(Side::query, in.queries.topRows(0), none, none.values, out.queries);
    out.queries.resize(in.queries.rows(), in.queries.cols());
    out.keys.resize(in.keys.rows(), in.keys.cols());
    out.values.resize(in.values.rows(), in.values.cols());
    return visible == Visible::causal ? see_past(map, in, output_gradient, out) : see_all(map, in, output_gradient, out);
}

template Outcome backward(const FeatureMap&, const Inputs<float>&, Visible, const RowsView<float>&, Gradients<float>&);
template Outcome backward(const FeatureMap&, const Inputs<double>&, Visible, const RowsView<double>&, Gradients<double>&);

}  // namespace rfbench::attention
