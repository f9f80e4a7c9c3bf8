#include "rfbench/attention/backward.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/backward_tile.hpp"
#include "rfbench/attention/parts.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using parallel::Loop;
using parallel::Share;
using products::strided;

/// Every query sees every key: the keys act through their sums alone, and so do the queries on the keys.
template <class Scalar>
class SeeAll : BackwardTile<Scalar> {
public:
    using BackwardTile<Scalar>::BackwardTile;
    using BackwardTile<Scalar>::take_by_parameters;

    /// Queries of rows first .. first + n - 1; adds what they send back to the keys.
    Counts queries(Index first, Index n, const SumFactors<Scalar>& sums, Norm norm, FeatureSums<Scalar>& back) {
        this->map_.evaluate(Side::query, this->in_.queries.middleRows(first, n), features_);
        // The forward pass again: numerators phi(q_i) S and denominators phi(q_i) s.
        Rows<Scalar>& numerators = this->products_;
        numerators.resize(n, this->in_.values.cols());
        sums.numerators.multiply(strided(features_.values), numerators.data(), numerators.cols());
        auto& quotient = this->quotient_;
        const Counts counts = quotient.assign(numerators, features_.values * sums.denominators,
                                              this->gradient_.middleRows(first, n), norm);
        // To the queries through the keys' sums; and into the sums phi(q_i) [g_i, c_i], through which the keys will
        // have theirs.
        this->gradients_through(sums, quotient.numerators, quotient.denominators);
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
Outcome see_all(const FeatureMap& map, const Inputs<Scalar>& in, const RowsView<Scalar>& gradient, Norm norm,
                Gradients<Scalar>& out) {
    // Three passes: the sums of all keys; queries, each part with sums of its own of what goes back to the keys; and,
    // when these are added up in the parts' order, keys and values.
    SumFactors<Scalar> sums(map.arithmetic()), sent_back(map.arithmetic());
    sums.pack(sum_all_keys(map, in));
    const Parts queries(in.queries.rows()), keys(in.keys.rows());
    std::vector<FeatureSums<Scalar>> back(static_cast<std::size_t>(queries.count),
                                          FeatureSums<Scalar>(map.columns(), in.values.cols(), map.arithmetic()));
    std::vector<Vector> by_parameters(static_cast<std::size_t>(queries.count + keys.count));
    const Counts counts = Loop(queries.count, Share::evenly).run([&](Index part) {
        Counts own;
        SeeAll<Scalar> pass(map, in, gradient, out);
        const Index end = queries.first(part + 1);
        for (Index at = queries.first(part); at < end; at += rows_at_once)
            own += pass.queries(at, std::min(rows_at_once, end - at), sums, norm, back[static_cast<std::size_t>(part)]);
        by_parameters[static_cast<std::size_t>(part)] = pass.take_by_parameters();
        return own;
    });
    // In the parts' order, whoever made them.
    FeatureSums<Scalar> all(map.columns(), in.values.cols());
    for (const auto& part : back) all.add(part);
    sent_back.pack(all);
    Loop(keys.count, Share::evenly).run([&](Index part) {
        SeeAll<Scalar> pass(map, in, gradient, out);
        const Index end = keys.first(part + 1);
        for (Index at = keys.first(part); at < end; at += rows_at_once)
            pass.keys(at, std::min(rows_at_once, end - at), sums.exponent, sent_back);
        by_parameters[static_cast<std::size_t>(queries.count + part)] = pass.take_by_parameters();
    });
    for (const Vector& part : by_parameters) out.parameters += part;
    out.left_out = counts.left_out;
    return {counts.nonpositive};
}

}  // namespace

template <class Scalar>
void check_gradients(const Inputs<Scalar>& in, const RowsView<Scalar>& output_gradient, const Gradients<Scalar>& out) {
    if (output_gradient.rows() != in.queries.rows() || output_gradient.cols() != in.values.cols())
        throw std::invalid_argument("attention: the output gradient is " + std::to_string(output_gradient.rows()) +
                                    " x " + std::to_string(output_gradient.cols()) + "; the output is " +
                                    std::to_string(in.queries.rows()) + " x " + std::to_string(in.values.cols()));
    check_finite("attention: the output gradient has", output_gradient);
    for (const Rows<Scalar>* const gradient : {&out.queries, &out.keys, &out.values}) {
        check_apart("queries", in.queries, *gradient);
        check_apart("keys", in.keys, *gradient);
        check_apart("values", in.values, *gradient);
        check_apart("output gradient", output_gradient, *gradient);
    }
}

template <class Scalar>
void begin_gradients(const FeatureMap& map, const Inputs<Scalar>& in, Visible visible,
                     const RowsView<Scalar>& output_gradient, Gradients<Scalar>& out) {
    check(in, visible);
    check_map(map, in);
    check_gradients(in, output_gradient, out);
    if (!map.differentiable()) throw std::invalid_argument("attention: these features have no gradient");
    out.queries.resize(in.queries.rows(), in.queries.cols());
    out.keys.resize(in.keys.rows(), in.keys.cols());
    out.values.resize(in.values.rows(), in.values.cols());
    out.parameters.setZero(map.differentiable()->num_parameters());
}

template <class Scalar>
Outcome backward(const FeatureMap& map, const Inputs<Scalar>& in, Visible visible,
                 const RowsView<Scalar>& output_gradient, Gradients<Scalar>& out, Norm norm) {
    begin_gradients(map, in, visible, output_gradient, out);
    if (visible == Visible::all) return see_all(map, in, output_gradient, norm, out);
    FeatureSums<Scalar> later(map.columns(), in.values.cols());
    return backward_causal(map, in, FeatureSums<Scalar>(later), later, output_gradient, norm, out);
}

template <class Scalar>
Outcome backward_slice(const FeatureMap& map, const Inputs<Scalar>& in, const FeatureSums<Scalar>& past,
                       FeatureSums<Scalar>& later, const RowsView<Scalar>& output_gradient, Gradients<Scalar>& out,
                       Norm norm) {
    begin_gradients(map, in, Visible::causal, output_gradient, out);
    check_state(map, in, past);
    check_state(map, in, later);
    return backward_causal(map, in, past, later, output_gradient, norm, out);
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template void check_gradients(const Inputs<Scalar>&, const RowsView<Scalar>&, const Gradients<Scalar>&);           \
    template void begin_gradients(const FeatureMap&, const Inputs<Scalar>&, Visible, const RowsView<Scalar>&,          \
                                  Gradients<Scalar>&);                                                                 \
    template Outcome backward(const FeatureMap&, const Inputs<Scalar>&, Visible, const RowsView<Scalar>&,              \
                              Gradients<Scalar>&, Norm);                                                               \
    template Outcome backward_slice(const FeatureMap&, const Inputs<Scalar>&, const FeatureSums<Scalar>&,              \
                                    FeatureSums<Scalar>&, const RowsView<Scalar>&, Gradients<Scalar>&, Norm);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
