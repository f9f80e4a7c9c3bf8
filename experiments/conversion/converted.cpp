#include "conversion/converted.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rfbench/dof/weighted_features.hpp"
#include "rfbench/networks/carried_weights.hpp"
#include "rfbench/training/stateful_head.hpp"

namespace rfbench::experiments {
namespace {

/// Rows of all sequences below one another.
Points pooled(const std::vector<training::HeadSequence>& sequences, Points training::HeadSequence::*part) {
    Index rows = 0;
    for (const auto& one : sequences) rows += (one.*part).rows();
    Points all(rows, (sequences.front().*part).cols());
    Index row = 0;
    for (const auto& one : sequences) {
        all.middleRows(row, (one.*part).rows()) = one.*part;
        row += (one.*part).rows();
    }
    return all;
}

/// `count` of `all` rows, at most all of them, ascending: multiples modulo `all` of a number that is coprime to it and
/// near its golden section. They spread over all rows; where sequences have n tokens each, n multiples in a row stand
/// at n different ones, since n divides `all`.
std::vector<Index> spread_rows(Index all, Index count) {
    auto step = static_cast<Index>(std::llround(static_cast<double>(all) * (std::sqrt(5.0) - 1) / 2));
    while (std::gcd(step, all) != 1) ++step;
    std::vector<Index> rows;
    for (Index i = 0, at = 0; i < count; ++i, at = (at + step) % all) rows.push_back(at);
    std::ranges::sort(rows);
    return rows;
}

/// `count` queries and keys, or as many as there are.
Points sampled(const Points& queries, const Points& keys, Index count) {
    const Index all = queries.rows() + keys.rows();
    const std::vector<Index> rows = spread_rows(all, std::min(count, all));
    Points sample(static_cast<Index>(rows.size()), queries.cols());
    for (Index i = 0; i < sample.rows(); ++i) {
        const Index at = rows[static_cast<std::size_t>(i)];
        sample.row(i) = at < queries.rows() ? queries.row(at) : keys.row(at - queries.rows());
    }
    return sample;
}

/// tr S: the mean of exp(|x|^2 / sqrt d).
double trace(const Points& points) {
    return (points.rowwise().squaredNorm() / std::sqrt(static_cast<double>(points.cols()))).array().exp().mean();
}

}  // namespace

bool of_head(const networks::Parameter& one) { return one.name.find(".attn.head.") != std::string::npos; }

HeadColumns equal_columns(const networks::TransformerShape& shape, Index columns) {
    return HeadColumns(static_cast<std::size_t>(shape.layers * shape.heads), columns);
}

Points sample_of(const std::vector<training::HeadSequence>& sequences, Index count) {
    return sampled(pooled(sequences, &training::HeadSequence::queries),
                   pooled(sequences, &training::HeadSequence::keys), count);
}

TeacherHeads teacher_heads(const StoredNetwork& teacher, const NetworkInputs& sequences) {
    TeacherHeads all;
    for (const auto& sequence : sequences) {
        const auto table = teacher.network.heads(teacher.weights, sequence);
        std::size_t number = 0;
        for (const auto& layer : table)
            for (const auto& head : layer) {
                if (all.size() <= number) all.emplace_back();
                all[number++].push_back(
                    {head.queries.cast<double>(), head.keys.cast<double>(), head.values.cast<double>()});
            }
    }
    return all;
}

HeadRecipe::HeadRecipe(const MethodChoice& choice, const networks::TransformerShape& shape, HeadColumns columns,
                       std::vector<Index> kept, const Stream& stream)
    : choice_(choice),
      shape_(shape),
      dimension_(shape.width / shape.heads),
      columns_(std::move(columns)),
      kept_(std::move(kept)),
      scheme_(&choice.scheme(sampling::find(choice->drawn_by(sampling::find("orthogonal")) ? "orthogonal" : "iid"))),
      stream_(stream) {}

bool HeadRecipe::keeps(Index layer) const { return std::find(kept_.begin(), kept_.end(), layer) != kept_.end(); }

std::optional<networks::Heads> HeadRecipe::swapped() const {
    if (!choice_->layers()) return {};
    networks::Heads all;
    AttentionSize size{shape_.positions + (shape_.class_token ? 1 : 0), dimension_, 0};
    for (Index h = 0; h < shape_.layers * shape_.heads; ++h) {
        size.layer = h / shape_.heads;
        size.head = h % shape_.heads;
        size.columns = columns(h);
        if (keeps(size.layer))
            all.push_back(training::softmax_attention());
        else
            all.push_back(choice_->layers()->layer(size, *scheme_, stream(h)));
    }
    return all;
}

bool HeadRecipe::fits() const {
    // Points that are trained jointly in all layers are not fitted head by head before.
    if (together() && choice_->layers() && choice_->finder()) return false;
    return choice_->finder() || (choice_->mechanism() && choice_->mechanism()->is_fitted());
}

bool HeadRecipe::distils(const Converted& converted) const {
    const auto& all = converted.network->layout().all();
    return hidden() || (!distilled_to("none") && std::any_of(all.begin(), all.end(), of_head));
}

bool HeadRecipe::trains_together(const networks::Parameter& one) const {
    return hidden() ? one.name.find(".attn.") != std::string::npos : of_head(one);
}

std::shared_ptr<const training::HeadAttention> HeadRecipe::fitted(Index number,
                                                                  const std::vector<training::HeadSequence>& sequences,
                                                                  const Distilling& how) const {
    if (keeps(number / shape_.heads)) return training::softmax_attention();
    const Points queries = pooled(sequences, &training::HeadSequence::queries);
    const Points keys = pooled(sequences, &training::HeadSequence::keys);
    if (choice_->finder()) {
        HeadProblem problem{{}, sampled(queries, keys, how.sampled), how.lambda, how.points};
        problem.lambda *= trace(problem.points);
        problem.training.visible = shape_.visible;
        for (const auto& one : sequences) problem.sequences.push_back({one.queries, one.keys});
        return training::fixed_attention(
            choice_->finder()->find(problem, columns(number), *scheme_, stream(number)).features.map());
    }
    return training::fixed_attention(
        choice_->head_features()->features(queries, keys)(columns(number), *scheme_, stream(number)));
}

Vector HeadRecipe::distilled(Index number, const training::HeadAttention& head, const Vector& start,
                             const std::vector<training::HeadSequence>& sequences, const Distilling& how) const {
    const auto matched = distilled_to("outputs") ? training::Matched::outputs : training::Matched::distributions;
    return training::match_softmax(matched, head, start, sequences, shape_.visible, how.descent,
                                   stream(number).child("distilled"))
        .parameters;
}

Converted with_heads(const networks::TransformerShape& shape, const networks::Heads& heads,
                     const networks::Layout& before, const networks::Column<float>& values, const Stream& stream) {
    auto network = std::make_shared<const networks::Transformer>(shape, heads);
    const networks::Column<float> start = network->start({}, stream).cast<float>();
    networks::Column<float> carried = networks::carried(before, values, network->layout(), start);
    return {std::move(network), std::move(carried)};
}

std::optional<Converted> without_branch(const Converted& converted, training::Branch branch) {
    const networks::TransformerShape& shape = converted.network->shape();
    networks::Heads heads;
    bool any = false;
    for (Index r = 0; r < shape.layers; ++r)
        for (const auto& head : converted.network->layer(r).attention().heads()) {
            std::shared_ptr<const training::HeadAttention> own = training::without(*head, branch);
            any = any || own;
            heads.push_back(own ? own : head);
        }
    if (!any) return {};
    return Converted{std::make_shared<const networks::Transformer>(shape, heads), converted.values};
}

AttentionCost attention_cost(const networks::Transformer& network, const std::function<bool(Index)>& is_softmax) {
    const networks::TransformerShape& shape = network.shape();
    const auto d = static_cast<double>(shape.width / shape.heads), e = d;
    const auto tokens = static_cast<double>(shape.positions + (shape.class_token ? 1 : 0));
    const double seen = shape.visible == attention::Visible::causal ? (tokens + 1) / 2 : tokens;
    AttentionCost cost{0, 0, 0};
    double summed = 0;
    for (Index r = 0; r < shape.layers; ++r)
        for (const auto& head : network.layer(r).attention().heads()) {
            if (is_softmax(r)) {
                cost.operations += seen * (d + e);
                cost.state_bytes += tokens * (d + e) * sizeof(float);
                continue;
            }
            if (!head->stateful()) return {std::nan(""), std::nan(""), std::nan("")};
            const auto columns = static_cast<double>(head->stateful()->features());
            ++summed;
            cost.columns += columns;
            // Multiplications for each column: 2 d for the features of a query and a key, e for the key's numerators,
            // and e + 1 for the query's products with numerators and denominators.
            cost.operations += columns * (2 * d + 2 * e + 1);
            cost.state_bytes += columns * (e + 1) * sizeof(float);
        }
    // Softmax alone has no features: 0 / 0.
    cost.columns /= summed;
    return cost;
}

}  // namespace rfbench::experiments
