#include "rfbench/networks/sliced_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rfbench/parallel/openmp_threads.hpp"

namespace rfbench::networks {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("sliced gradient: " + why); }

const MultiHead& attention_of(const Transformer& network, Index layer) { return network.layer(layer).attention(); }

const training::StatefulHead& head_of(const Transformer& network, Index layer, Index head) {
    const auto* const own = attention_of(network, layer).heads()[static_cast<std::size_t>(head)]->stateful();
    if (own == nullptr)
        refuse("head " + std::to_string(head) + " of layer " + std::to_string(layer) +
               " has no state that slices could hand on; linear attention through fixed or learned features has, and "
               "without a mask");
    return *own;
}

/// The columns of values of a head.
Index values_of(const Transformer& network, Index layer) {
    return attention_of(network, layer).columns() / network.shape().heads;
}

/// Tokens first .. end - 1, and their targets.
template <class Scalar>
Sequence<Scalar> cut(const Sequence<Scalar>& whole, Index first, Index end) {
    Sequence<Scalar> slice;
    // Positions go on from slice to slice; targets count from the slice's own first token.
    slice.position = whole.position + first;
    if (whole.tokens.empty())
        slice.rows = whole.rows.middleRows(first, end - first);
    else
        slice.tokens.assign(whole.tokens.begin() + first, whole.tokens.begin() + end);
    for (const Target& target : whole.targets)
        if (target.token >= first && target.token < end) slice.targets.push_back({target.token - first, target.value});
    return slice;
}

template <class Scalar>
Sequence<Scalar> slice(const Sequence<Scalar>& whole, Index number, Index tokens) {
    return cut(whole, number * tokens, std::min(whole.length(), (number + 1) * tokens));
}

}  // namespace

SlicePlan plan(const Slicing& slicing, Index length) {
    if (slicing.tokens < 1 || slicing.tokens > length)
        refuse("slices are of " + std::to_string(slicing.tokens) + " tokens; they can be of 1 to " +
               std::to_string(length) + ", which is the whole sequence");
    const Index slices = (length + slicing.tokens - 1) / slicing.tokens;
    if (slicing.recovery != Recovery::checkpoints) return {slices, 0, 0};
    if (slicing.checkpoints < 0 || slicing.checkpoints > slices)
        refuse(std::to_string(slicing.checkpoints) + " checkpoints for " + std::to_string(slices) + " slices of " +
               std::to_string(slicing.tokens) + " tokens; there can be 1 to " + std::to_string(slices) +
               ", or 0 for the square root of the number of slices");
    const Index wanted = slicing.checkpoints > 0
                             ? slicing.checkpoints
                             : static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(slices))));
    // All runs of slices but the last have the same length, so there may be fewer runs than `wanted`.
    const Index checkpoint_interval = (slices + wanted - 1) / wanted;
    // One state before each run but the first, which begins with sums of zero, and those before the further slices of
    // one run.
    return {slices, checkpoint_interval,
            (slices + checkpoint_interval - 1) / checkpoint_interval - 1 + std::min(checkpoint_interval, slices) - 1};
}

double state_bytes(const Transformer& network) {
    double bytes = 0;
    for (Index r = 0; r < network.shape().layers; ++r)
        for (Index h = 0; h < network.shape().heads; ++h)
            bytes +=
                sizeof(double) * static_cast<double>(head_of(network, r, h).features() * (values_of(network, r) + 1));
    return bytes;
}

SlicePlan plan_within(const Slicing& slicing, Index length, const Transformer& network) {
    const SlicePlan own = plan(slicing, length);
    const double bytes = static_cast<double>(own.max_stored) * state_bytes(network);
    if (bytes > slicing.bytes)
        refuse(std::to_string(own.max_stored) + " states of " + std::to_string(own.slices) + " slices of " +
               std::to_string(slicing.tokens) + " tokens take " + std::to_string(static_cast<std::int64_t>(bytes)) +
               " bytes; " + std::to_string(static_cast<std::int64_t>(slicing.bytes)) +
               " are allowed. Longer slices or other numbers of checkpoints need fewer; taking sums back by "
               "subtraction needs none");
    return own;
}

template <class Scalar>
SlicedGradient<Scalar>::SlicedGradient(const Transformer& network, const Slicing& slicing)
    : network_(network), slicing_(slicing) {
    const TransformerShape& shape = network.shape();
    if (shape.visible != attention::Visible::causal)
        refuse("every token sees every other; a network can be sliced when it is causal");
    if (shape.read_out != ReadOutOf::own && shape.read_out != ReadOutOf::tied)
        refuse("outputs are read from whole sequences; a network can be sliced when each token has its own");
    if (shape.class_token) refuse("there is a class token, which slices cannot share");
    if (shape.convolution > 1)
        refuse("there is a convolution over " + std::to_string(shape.convolution) +
               " tokens, which reaches from slice to slice; convolution: 0 is needed");
    if (shape.beside.convolution > 0)
        refuse("there is a convolution of values over " + std::to_string(shape.beside.convolution) +
               " tokens, which reaches from slice to slice; convolution: 0 is needed");
    for (Index r = 0; r < shape.layers; ++r) {
        SliceSums layer{slicing.recovery};
        for (Index h = 0; h < shape.heads; ++h)
            layer.heads.emplace_back(head_of(network, r, h).features(), values_of(network, r));
        sums_.push_back(std::move(layer));
    }
    // Passes point into sums_, which does not grow any more.
    pass_.layers.resize(sums_.size());
    for (std::size_t r = 0; r < sums_.size(); ++r) pass_.layers[r].attention.sums = &sums_[r];
}

template <class Scalar>
void SlicedGradient<Scalar>::go(SliceStep step, Index number) {
    for (SliceSums& layer : sums_) {
        layer.step = step;
        layer.tokens = number * slicing_.tokens;
    }
}

template <class Scalar>
typename SlicedGradient<Scalar>::State SlicedGradient<Scalar>::state() const {
    State all;
    for (const SliceSums& layer : sums_)
        for (const auto& head : layer.heads) all.push_back(head.before);
    return all;
}

template <class Scalar>
void SlicedGradient<Scalar>::restore(const State& state) {
    auto from = state.begin();
    for (SliceSums& layer : sums_)
        for (auto& head : layer.heads) head.before = *from++;
}

/// From the state before slice `first` to that before slice `end`. Stores those before slices that are multiples of
/// plan_.checkpoint_interval, and all from `keep_from` on.
template <class Scalar>
void SlicedGradient<Scalar>::go_on(const Weights<Scalar>& weights, const Sequence<Scalar>& sequence, Index first,
                                   Index end, Index keep_from) {
    for (Index p = first;; ++p) {
        if (plan_.checkpoint_interval > 0 && p > 0 && (p % plan_.checkpoint_interval == 0 || p >= keep_from))
            stored_.try_emplace(p, state());
        if (p == end) return;
        const Sequence<Scalar> own = slice(sequence, p, slicing_.tokens);
        go(SliceStep::forward, p);
        work_.forward += own.length();
        // States are all that is needed: the read-out and the losses wait for the way back.
        network_.advance<Scalar>(weights, {&own, 1}, pass_);
    }
}

template <class Scalar>
void SlicedGradient<Scalar>::add(const Weights<Scalar>& weights, const Sequence<Scalar>& sequence, Scalar share,
                                 Column<Scalar>& gradient, BatchOutcome& outcome) {
    // Before a sequence nothing was seen, and after its end there is no gradient: sums begin as zeros of each head's
    // shape.
    State nothing;
    for (SliceSums& layer : sums_)
        for (auto& head : layer.heads) {
            head = training::HeadSums(head.before.features(), head.before.numerators().cols());
            nothing.push_back(head.before);
        }
    const Index last = plan_.slices - 1;
    stored_.clear();
    // Backwards the last run of slices comes first: all of its states are stored on the way.
    go_on(weights, sequence, 0, last, plan_.checkpoint_interval > 0 ? last - last % plan_.checkpoint_interval : 0);
    for (Index p = last; p >= 0; --p) {
        // The sums after the forward sweep are those before the last slice. Those before the first slice are zero. All
        // others come from subtraction or from a stored state. A state that is not stored is recomputed from the last
        // stored one before it, and the states in between are stored.
        SliceStep step = SliceStep::recompute;
        if (p == 0) {
            restore(nothing);
        } else if (p < last && plan_.checkpoint_interval == 0) {
            step = SliceStep::backward;
        } else if (p < last) {
            if (!stored_.contains(p)) {
                const Index from = p - p % plan_.checkpoint_interval;
                restore(from == 0 ? nothing : stored_.at(from));
                go_on(weights, sequence, from, p, from);
            }
            restore(stored_.at(p));
        }
        stored_.erase(p);
        go(step, p);
        const Sequence<Scalar> own = slice(sequence, p, slicing_.tokens);
        work_.forward += own.length();
        work_.backward += own.length();
        if (step == SliceStep::backward) work_.subtracted += own.length();
        network_.forward<Scalar>(weights, {&own, 1}, pass_);
        outcome.loss += pass_.outcome.loss;
        outcome.rows += pass_.outcome.rows;
        network_.backward<Scalar>(weights, {&own, 1}, share, pass_, gradient);
    }
}

template <class Scalar>
BatchOutcome SlicedGradient<Scalar>::operator()(const Weights<Scalar>& weights, std::span<const Sequence<Scalar>> batch,
                                                Column<Scalar>& gradient) {
    // As Transformer::gradient has it: the mean is over all targets of the batch.
    const Scalar share = 1 / static_cast<Scalar>(network_.targets(batch));
    gradient.setZero(network_.layout().size());
    BatchOutcome outcome;
    work_ = {};
    // With few numbers in a slice, threads would wait for one another most of the time.
    const bool little = slicing_.tokens * network_.shape().width <= max_serial_rows * 64;
    const parallel::OpenMpThreads team(little ? 1 : omp_get_max_threads());
    for (const auto& sequence : batch) {
        plan_ = plan_within(slicing_, sequence.length(), network_);
        add(weights, sequence, share, gradient, outcome);
    }
    return outcome;
}

template class SlicedGradient<float>;
template class SlicedGradient<double>;

}  // namespace rfbench::networks
