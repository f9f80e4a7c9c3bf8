#include "rfbench/attention/backward.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/attention/parts.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
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

/// With out = n / D: the gradients with respect to a row's numerators n and denominator D.
template <class Scalar>
struct QuotientGradients {
    Rows<Scalar> numerators;
    Column<Scalar> denominators;
    Index nonpositive = 0, left_out = 0;

    QuotientGradients(Rows<Scalar> sums, const Column<Scalar>& divisors, const RowsView<Scalar>& gradient)
        : numerators(gradient), denominators(divisors.size()) {
        for (Index i = 0; i < divisors.size(); ++i) {
            nonpositive += divisors[i] > 0 ? 0 : 1;
            // Room for the values and gradients that the inverse is multiplied with.
            const bool large = std::abs(divisors[i]) > Scalar(1e10) * std::numeric_limits<Scalar>::min();
            left_out += large ? 0 : 1;
            const Scalar inverse = large ? 1 / divisors[i] : Scalar(0);
            numerators.row(i) *= inverse;
            denominators[i] = -inverse * numerators.row(i).dot(sums.row(i));
        }
    }
};

/// What the rows of a tile or block have to do with one another and with what is before or after them.
template <class Scalar>
class Pass {
public:
    Pass(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Gradients<Scalar>& out)
        : map_(map), in_(in), gradient_(gradient), out_(out) {}

protected:
    void evaluate_queries(Index first, Index n) {
        map_.evaluate(Side::query, in_.queries.middleRows(first, n), queries_);
    }
    void evaluate_keys(Index first, Index n) {
        map_.evaluate(Side::key, in_.keys.middleRows(first, n), keys_);
        weights_.assign(keys_, in_, first);
    }
    void pull_back_queries(Index first, Index n, const Rows<Scalar>& gradient) {
        map_.pullback(Side::query, in_.queries.middleRows(first, n), queries_, gradient, rows_);
        out_.queries.middleRows(first, n) = rows_;
    }
    void pull_back_keys(Index first, Index n, const Rows<Scalar>& gradient) {
        map_.pullback(Side::key, in_.keys.middleRows(first, n), keys_, gradient, rows_);
        out_.keys.middleRows(first, n) = rows_;
    }
    /// 2^exponent_j times the keys' mantissas, relative to 2^base.
    Column<Scalar> key_factors(int base) const {
        Column<Scalar> factors = weights_.mantissas;
        for (Index j = 0; j < factors.size(); ++j) factors[j] *= power_of_two<Scalar>(weights_.exponents[j], base);
        return factors;
    }

    const FeatureMap& map_;
    const Inputs<Scalar>& in_;
    const RowsView<Scalar>& gradient_;
    Gradients<Scalar>& out_;
    FeatureBlock<Scalar> queries_, keys_;
    KeyWeights<Scalar> weights_;
    Rows<Scalar> rows_;
};

/// Every query sees every key: the keys act through their sums alone, and so do the queries on the keys.
template <class Scalar>
class SeeAll : Pass<Scalar> {
public:
    using Pass<Scalar>::Pass;

    /// Queries of rows first .. first + n - 1; adds what they send back to the keys.
    Counts queries(Index first, Index n, const FeatureSums<Scalar>& sums, FeatureSums<Scalar>& back) {
        this->evaluate_queries(first, n);
        const Rows<Scalar>& features = this->queries_.values;
        const QuotientGradients<Scalar> gradients(features * sums.numerators(), features * sums.denominators(),
                                                  this->gradient_.middleRows(first, n));
        this->pull_back_queries(first, n,
                                gradients.numerators * sums.numerators().transpose() +
                                    gradients.denominators * sums.denominators().transpose());
        back.add(features, Eigen::VectorXi::Zero(n), gradients.numerators, gradients.denominators);
        return {gradients.nonpositive, gradients.left_out};
    }

    /// Keys of rows first .. first + n - 1; `base` is the exponent of the keys' sums.
    void keys(Index first, Index n, int base, const FeatureSums<Scalar>& back) {
        this->evaluate_keys(first, n);
        const Column<Scalar> factors = this->key_factors(base);
        const auto values = this->in_.values.middleRows(first, n);
        Rows<Scalar> gradient = values * back.numerators().transpose();
        gradient.rowwise() += back.denominators().transpose();
        this->pull_back_keys(first, n, factors.asDiagonal() * gradient);
        this->out_.values.middleRows(first, n) = factors.asDiagonal() * (this->keys_.values * back.numerators());
    }
};

template <class Scalar>
Outcome see_all(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient,
                Gradients<Scalar>& out) {
    const FeatureSums<Scalar> sums = sum_all_keys(map, in);
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
#pragma omp parallel for schedule(static) proc_bind(spread)
    for (Index part = 0; part < keys.count; ++part) {
        SeeAll<Scalar> pass(map, in, gradient, out);
        const Index end = keys.first(part + 1);
        for (Index at = keys.first(part); at < end; at += tile)
            pass.keys(at, std::min(tile, end - at), sums.exponent(), all);
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
};

template <class Scalar>
class Causal : Pass<Scalar> {
public:
    Causal(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
           CausalRows<Scalar>& made)
        : Pass<Scalar>(map, in, gradient, out), made_(made), own_(map.columns(), in.values.cols()), sum_(own_) {}

    /// Queries of rows first .. end - 1 after the keys in `prefix`.
    Counts forwards(const FeatureSums<Scalar>& prefix, Index first, Index end) {
        own_ = FeatureSums<Scalar>(this->map_.columns(), this->in_.values.cols());
        Counts counts;
        for (Index at = first; at < end; at += block) {
            const Index n = std::min(block, end - at);
            sum_.assign_sum(prefix, own_);
            evaluate(at, n);
            set_scales(at, n);
            counts += queries(at, n);
            own_.add_keys(this->keys_, this->weights_, this->in_, at);
        }
        return counts;
    }

    /// What the queries of rows first .. end - 1 send back to keys before them.
    FeatureSums<Scalar> sent_back(Index first, Index end) {
        own_ = FeatureSums<Scalar>(this->map_.columns(), this->in_.values.cols());
        for (Index at = last_block(first, end); at >= first; at -= block) {
            const Index n = std::min(block, end - at);
            this->evaluate_queries(at, n);
            send_back(at, n);
        }
        return own_;
    }

    /// Keys of rows first .. end - 1, `suffix` being what queries from `end` on send back.
    void backwards(const FeatureSums<Scalar>& suffix, Index first, Index end) {
        own_ = FeatureSums<Scalar>(this->map_.columns(), this->in_.values.cols());
        for (Index at = last_block(first, end); at >= first; at -= block) {
            const Index n = std::min(block, end - at);
            sum_.assign_sum(suffix, own_);
            evaluate(at, n);
            keys(at, n);
            send_back(at, n);
        }
    }

private:
    static Index last_block(Index first, Index end) { return first + (end - first - 1) / block * block; }

    void evaluate(Index at, Index n) {
        this->evaluate_queries(at, n);
        this->evaluate_keys(at, n);
    }

    /// The scale of a row is that of the largest key it sees.
    void set_scales(Index at, Index n) {
        int scale = sum_.exponent();
        for (Index i = 0; i < n; ++i) made_.scales[at + i] = scale = std::max(scale, this->weights_.exponents[i]);
    }

    /// w_j 2^(-scale_i) for j <= i, 0 above the diagonal.
    Rows<Scalar> visible_weights(Index at, Index n) const {
        Rows<Scalar> result = Rows<Scalar>::Zero(n, n);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j <= i; ++j)
                result(i, j) = this->weights_.mantissas[j] *
                               power_of_two<Scalar>(this->weights_.exponents[j], made_.scales[at + i]);
        return result;
    }

    Counts queries(Index at, Index n) {
        const Rows<Scalar>& features = this->queries_.values;
        const auto values = this->in_.values.middleRows(at, n);
        const Rows<Scalar> visible = visible_weights(at, n);
        const Rows<Scalar> estimates = (features * this->keys_.values.transpose()).cwiseProduct(visible);
        Column<Scalar> before(n);
        for (Index i = 0; i < n; ++i) before[i] = power_of_two<Scalar>(sum_.exponent(), made_.scales[at + i]);
        const Rows<Scalar> scaled = before.asDiagonal() * features;
        const QuotientGradients<Scalar> gradients(scaled * sum_.numerators() + estimates * values,
                                                  scaled * sum_.denominators() + estimates.rowwise().sum(),
                                                  this->gradient_.middleRows(at, n));
        const Rows<Scalar> within = estimate_gradients(gradients.numerators, gradients.denominators, at, n, visible);
        Rows<Scalar> gradient = gradients.numerators * sum_.numerators().transpose() +
                                gradients.denominators * sum_.denominators().transpose();
        gradient = before.asDiagonal() * gradient + within * this->keys_.values;
        this->pull_back_queries(at, n, gradient);
        made_.numerators.middleRows(at, n) = gradients.numerators;
        made_.denominators.segment(at, n) = gradients.denominators;
        return {gradients.nonpositive, gradients.left_out};
    }

    void keys(Index at, Index n) {
        const Rows<Scalar>& features = this->keys_.values;
        const auto values = this->in_.values.middleRows(at, n);
        const Rows<Scalar> numerators = made_.numerators.middleRows(at, n);
        const Rows<Scalar> visible = visible_weights(at, n);
        const Rows<Scalar> estimates = (this->queries_.values * features.transpose()).cwiseProduct(visible);
        const Rows<Scalar> within = estimate_gradients(numerators, made_.denominators.segment(at, n), at, n, visible);
        const Column<Scalar> factors = after_factors();
        Rows<Scalar> gradient = values * sum_.numerators().transpose();
        gradient.rowwise() += sum_.denominators().transpose();
        gradient = factors.asDiagonal() * gradient + within.transpose() * this->queries_.values;
        this->pull_back_keys(at, n, gradient);
        this->out_.values.middleRows(at, n) =
            estimates.transpose() * numerators + factors.asDiagonal() * (features * sum_.numerators());
    }

    /// The gradients with respect to q_i . k_j features of the block, with the keys' weights.
    Rows<Scalar> estimate_gradients(const Rows<Scalar>& numerators, const Column<Scalar>& denominators, Index at, Index n,
                                    const Rows<Scalar>& visible) const {
        Rows<Scalar> result = numerators * this->in_.values.middleRows(at, n).transpose();
        result.colwise() += denominators;
        return result.cwiseProduct(visible);
    }

    void send_back(Index at, Index n) {
        own_.add(this->queries_.values, -made_.scales.segment(at, n), made_.numerators.middleRows(at, n),
                 made_.denominators.segment(at, n));
    }

    /// The keys' weights relative to the scale of what later queries send back.
    Column<Scalar> after_factors() const {
        if (sum_.exponent() == KeyWeights<Scalar>::none) return Column<Scalar>::Zero(this->weights_.mantissas.size());
        return this->key_factors(-sum_.exponent());
    }

    CausalRows<Scalar>& made_;
    FeatureSums<Scalar> own_, sum_;
};

template <class Scalar>
Outcome see_past(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient,
                 Gradients<Scalar>& out) {
    const Parts parts(in.keys.rows());
    const FeatureSums<Scalar> nothing(map.columns(), in.values.cols());
    const std::vector<FeatureSums<Scalar>> prefixes = prefix_sums(map, in, nothing);
    std::vector<FeatureSums<Scalar>> suffixes(static_cast<std::size_t>(parts.count) + 1, nothing);
    CausalRows<Scalar> made{Rows<Scalar>(parts.length, in.values.cols()), Column<Scalar>(parts.length),
                            Eigen::VectorXi(parts.length)};
    Counts counts;
#pragma omp parallel for schedule(static) proc_bind(spread) reduction(+ : counts)
    for (Index part = 0; part < parts.count; ++part) {
        Causal<Scalar> pass(map, in, gradient, out, made);
        const std::size_t at = static_cast<std::size_t>(part);
        counts += pass.forwards(prefixes[at], parts.first(part), parts.first(part + 1));
        suffixes[at] = pass.sent_back(parts.first(part), parts.first(part + 1));
    }
    // From what each part sends back to what all later ones do.
    FeatureSums<Scalar> later = nothing;
    for (std::size_t part = suffixes.size(); part-- > 0;) {
        FeatureSums<Scalar> own = std::move(suffixes[part]);
        suffixes[part] = later;
        later.add(own);
    }
#pragma omp parallel for schedule(static) proc_bind(spread)
    for (Index part = 0; part < parts.count; ++part)
        Causal<Scalar>(map, in, gradient, out, made)
            .backwards(suffixes[static_cast<std::size_t>(part)], parts.first(part), parts.first(part + 1));
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
    if (!output_gradient.allFinite()) throw std::invalid_argument("attention: the output gradient is not finite");
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
