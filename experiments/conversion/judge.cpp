#include "conversion/judge.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/errors.hpp"
#include "rfbench/networks/carried_weights.hpp"

namespace rfbench::experiments {
namespace {

using networks::Transformer;
using networks::Weights;

Weights<double> in_double(const Transformer& network, const networks::Column<float>& values) {
    return Weights<double>(network.layout(), values.cast<double>(), networks::Passes::forward);
}

networks::Sequence<double> in_double(const networks::Sequence<float>& one) {
    return {one.tokens, one.rows.cast<double>(), {}, one.position};
}

/// Weights and outputs of every head of a layer that is given these rows.
struct HeadPasses {
    std::vector<Points> weights, outputs;
};
HeadPasses head_passes(const Transformer& network, Index layer, const Weights<double>& weights, const Points& given) {
    const networks::MultiHead& all = network.layer(layer).attention();
    Points projected;
    all.project().forward(weights, given, projected);
    const Points ones = Points::Identity(given.rows(), given.rows());
    HeadPasses passes;
    for (std::size_t h = 0; h < all.heads().size(); ++h) {
        const auto number = static_cast<Index>(h);
        const networks::Parameter& own = all.head_parameters()[h];
        const auto forward = [&](const RowsView<double>& values) {
            // Columns lie apart from one another in the rows of all heads: heads take them as they are.
            return all.heads()[h]
                ->forward(weights.values().segment(own.first, own.size()),
                          {all.part(projected, number, 0), all.part(projected, number, 1), values},
                          network.shape().visible)
                ->output;
        };
        // Outputs are the weights, since each value is 1 at one token and 0 at the others.
        passes.weights.push_back(forward(ones));
        passes.outputs.push_back(forward(all.part(projected, number, 2)));
    }
    return passes;
}

/// Copy of `passage` whose last `continuation` tokens are those of `end`. The targets are these tokens.
networks::Sequence<float> continued(const networks::Sequence<float>& passage, const networks::Sequence<float>& end,
                                    Index continuation) {
    networks::Sequence<float> one;
    one.tokens = passage.tokens;
    std::copy(end.tokens.end() - continuation, end.tokens.end(), one.tokens.end() - continuation);
    for (Index i = one.length() - continuation; i < one.length(); ++i)
        one.targets.push_back({i - 1, one.tokens[static_cast<std::size_t>(i)]});
    return one;
}

/// Output X of the first `layers` layers, which are run alone with their weights in the whole network.
Rows<float> behind(const Transformer& network, const networks::Column<float>& values, Index layers,
                   const networks::Sequence<float>& sequence) {
    networks::TransformerShape shape = network.shape();
    shape.layers = layers;
    networks::Heads heads;
    for (Index r = 0; r < layers; ++r)
        for (const auto& head : network.layer(r).attention().heads()) heads.push_back(head);
    const Transformer first(shape, heads);
    const Weights<float> own(
        first.layout(),
        networks::carried(network.layout(), values, first.layout(),
                          networks::Column<float>(networks::Column<float>::Zero(first.layout().size()))),
        networks::Passes::forward);
    Transformer::Pass<float> pass;
    first.advance<float>(own, {&sequence, 1}, pass, Transformer::Keep::last_layer);
    return pass.x;
}

}  // namespace

StageMeasures::StageMeasures(const networks::TransformerShape& shape, Index pictured)
    : loss(std::nan("")),
      accuracy(std::nan("")),
      nonpositive(std::nan("")),
      chosen(std::nan("")),
      divergence(static_cast<std::size_t>(shape.layers * shape.heads), std::nan("")),
      lost(divergence),
      output_error(divergence),
      class_entropy(divergence),
      hidden_error(static_cast<std::size_t>(shape.layers), std::nan("")),
      picture(static_cast<std::size_t>(pictured * pictured), std::nan("")) {}

Judge::Judge(const StoredNetwork& teacher, std::vector<networks::Sequence<float>> held_out, Index compared,
             Index continuation, Index pictured)
    : teacher_(teacher),
      held_out_(std::move(held_out)),
      compared_(std::min(held_out_.size(), static_cast<std::size_t>(compared))),
      continuation_(continuation),
      pictured_(pictured) {}

double Judge::share_chosen(const networks::Transformer& network, const Weights<float>& weights) const {
    const std::size_t count = held_out_.size();
    if (continuation_ == 0 || count < 2) return std::nan("");
    networks::Workspace<float> work;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto loss = [&](const networks::Sequence<float>& end) {
            const networks::Sequence<float> one = continued(held_out_[i], end, continuation_);
            return network.evaluate<float>(weights, {&one, 1}, work).loss.sum;
        };
        // Far from one another in the text, so that what is said in between differs.
        if (loss(held_out_[i]) < loss(held_out_[(i + count / 2) % count])) ++chosen;
    }
    return static_cast<double>(chosen) / static_cast<double>(count);
}

StageMeasures Judge::measure(const Converted& converted) const {
    const networks::TransformerShape& shape = converted.network->shape();
    StageMeasures measures(shape, pictured_);
    try {
        const Weights<float> weights(converted.network->layout(), converted.values, networks::Passes::forward);
        networks::Workspace<float> work;
        const networks::BatchOutcome outcome = converted.network->evaluate<float>(weights, held_out_, work);
        measures.loss = outcome.loss.mean();
        measures.accuracy = outcome.loss.accuracy();
        Index rows = 0;
        for (const auto& one : held_out_) rows += converted.network->embedding().rows(one.length());
        measures.nonpositive =
            static_cast<double>(outcome.rows.nonpositive) / static_cast<double>(rows * shape.layers * shape.heads);
        measures.chosen = share_chosen(*converted.network, weights);
    } catch (const NotFinite&) {
        // Attention refuses rows that are not finite: there is no loss, and heads may be told all the same.
    }
    try {
        compare_heads(converted, measures);
        compare_layers(converted, measures);
        if (shape.class_token) look_at_class_row(converted, measures);
        take_picture(converted, measures);
    } catch (const NotFinite&) {
    }
    return measures;
}

networks::Loss Judge::loss(const Converted& converted) const {
    try {
        const Weights<float> weights(converted.network->layout(), converted.values, networks::Passes::forward);
        networks::Workspace<float> work;
        return converted.network->evaluate<float>(weights, held_out_, work).loss;
    } catch (const NotFinite&) {
        return {};
    }
}

void Judge::compare_heads(const Converted& converted, StageMeasures& measures) const {
    const Transformer& network = *converted.network;
    const Weights<double> of_teacher = in_double(teacher_.network, teacher_.weights.values());
    const Weights<double> own = in_double(network, converted.values);
    const std::size_t count = measures.divergence.size();
    std::vector<double> divergence(count), lost(count), errors(count), sizes(count);
    for (std::size_t s = 0; s < compared_; ++s) {
        const networks::Sequence<double> sequence = in_double(held_out_[s]);
        Transformer::Pass<double> pass;
        teacher_.network.advance<double>(of_teacher, {&sequence, 1}, pass);
        std::size_t number = 0;
        for (Index r = 0; r < network.shape().layers; ++r) {
            const Points& given = pass.layers[static_cast<std::size_t>(r)].attention_in;
            const HeadPasses exact = head_passes(teacher_.network, r, of_teacher, given);
            const HeadPasses estimate = head_passes(network, r, own, given);
            for (std::size_t h = 0; h < exact.weights.size(); ++h, ++number) {
                const training::Divergence from = training::divergence(exact.weights[h], estimate.weights[h]);
                divergence[number] += from.mean / static_cast<double>(compared_);
                lost[number] += from.lost / static_cast<double>(compared_);
                errors[number] += (estimate.outputs[h] - exact.outputs[h]).squaredNorm();
                sizes[number] += exact.outputs[h].squaredNorm();
            }
        }
    }
    measures.divergence = std::move(divergence);
    measures.lost = std::move(lost);
    for (std::size_t i = 0; i < count; ++i) measures.output_error[i] = std::sqrt(errors[i] / sizes[i]);
}

void Judge::look_at_class_row(const Converted& converted, StageMeasures& measures) const {
    const Transformer& network = *converted.network;
    const Weights<double> own = in_double(network, converted.values);
    std::vector<double> entropy(measures.class_entropy.size());
    for (std::size_t s = 0; s < compared_; ++s) {
        const networks::Sequence<double> sequence = in_double(held_out_[s]);
        Transformer::Pass<double> pass;
        network.advance<double>(own, {&sequence, 1}, pass);
        std::size_t number = 0;
        for (Index r = 0; r < network.shape().layers; ++r)
            for (const Points& weights :
                 head_passes(network, r, own, pass.layers[static_cast<std::size_t>(r)].attention_in).weights) {
                // 0 log 0 is 0; the logarithm of a negative weight is NaN, and stays so.
                for (const double weight : weights.row(0))
                    if (weight != 0) entropy[number] -= weight * std::log(weight) / static_cast<double>(compared_);
                ++number;
            }
    }
    measures.class_entropy = std::move(entropy);
}

void Judge::take_picture(const Converted& converted, StageMeasures& measures) const {
    const Transformer& network = *converted.network;
    const Weights<double> own = in_double(network, converted.values);
    const networks::Sequence<double> sequence = in_double(held_out_.front());
    Transformer::Pass<double> pass;
    network.advance<double>(own, {&sequence, 1}, pass);
    Points sum = Points::Zero(pass.starts.back(), pass.starts.back());
    for (Index r = 0; r < network.shape().layers; ++r)
        for (const Points& weights :
             head_passes(network, r, own, pass.layers[static_cast<std::size_t>(r)].attention_in).weights)
            sum += weights;
    const auto heads = static_cast<double>(network.shape().layers * network.shape().heads);
    for (Index i = 0; i < std::min(pictured_, sum.rows()); ++i)
        for (Index j = 0; j < std::min(pictured_, sum.cols()); ++j)
            measures.picture[static_cast<std::size_t>(i * pictured_ + j)] = std::round(sum(i, j) / heads * 1024) / 1024;
}

void Judge::compare_layers(const Converted& converted, StageMeasures& measures) const {
    for (Index r = 0; r < converted.network->shape().layers; ++r) {
        double error = 0, size = 0;
        for (std::size_t s = 0; s < compared_; ++s) {
            const Rows<float> exact = behind(teacher_.network, teacher_.weights.values(), r + 1, held_out_[s]);
            const Rows<float> estimate = behind(*converted.network, converted.values, r + 1, held_out_[s]);
            error += (estimate - exact).cast<double>().squaredNorm();
            size += exact.cast<double>().squaredNorm();
        }
        measures.hidden_error[static_cast<std::size_t>(r)] = std::sqrt(error / size);
    }
}

}  // namespace rfbench::experiments
