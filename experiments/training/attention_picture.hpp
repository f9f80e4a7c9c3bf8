#pragma once
// Attention matrices of trained heads, stored and drawn, and how far they are diagonal or single columns (as in Figures
// 3.13 to 3.17 of the thesis).
#include <optional>

#include "rfbench/networks/transformer.hpp"
#include "rfbench/report/table.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// The weights by which tokens of one sequence attend to each other, in each head of each layer; NaN until taken.
class AttentionPicture {
public:
    /// `tokens`: length of the sequence, class token included. `kept`: whether the matrices are stored too, rounded to
    /// multiples of 1/1024; near_diagonal() and largest_column() are always stored.
    AttentionPicture(const networks::TransformerShape&, Index tokens, bool kept);

    void take(const networks::Transformer&, const networks::Weights<float>&, const networks::Sequence<float>&);

    /// Adds the axes query and key, layer and head, and the variables attention, near_diagonal and largest_column with
    /// those of uniform attention. `sequence` says which it was, in words.
    void add(store::Dataset&, const std::string& sequence) const;

    double bytes() const { return static_cast<double>(weights_.size() * sizeof(double)); }

private:
    Index layers_, heads_, tokens_;
    attention::Visible visible_;
    bool kept_;
    std::vector<double> weights_, near_, column_;
};

/// Share of the sum of absolute weights that lies between tokens at most two apart; and the maximum share of a column,
/// 1 if all queries attend to one key.
double near_diagonal(const Points& weights);
double largest_column(const Points& weights);

/// Every head of every layer of one method with the first seed; nothing where no matrix is stored. `caption` says
/// what tokens are.
std::optional<report::Figure> heads_figure(const store::Dataset&, const std::string& name, const std::string& method,
                                           const std::string& caption);
/// The first head of the last layer of each method with the first seed; nothing where no matrix is stored.
std::optional<report::Figure> attention_figure(const store::Dataset&, const std::string& name,
                                               const std::string& caption);

/// Patterns by method and layer, mean over heads, then over seeds; and those of uniform attention.
report::Table patterns_table(const store::Dataset&, const std::string& name);

}  // namespace rfbench::experiments
