#pragma once
// Attention matrices of trained heads, stored and drawn (as in Figures 3.13 to 3.15 of the thesis).
#include <optional>

#include "rfbench/networks/transformer.hpp"
#include "study.hpp"

namespace rfbench::experiments {

/// The weights by which tokens of one sequence attend to each other, in each head of the last layer; NaN until taken.
class AttentionPicture {
public:
    /// Of sequences of so many tokens, the class token among them.
    AttentionPicture(const networks::TransformerShape&, Index tokens);

    void take(const networks::Transformer&, const networks::Weights<float>&, const networks::Sequence<float>&);

    /// Adds the axes head, query and key, and the variable attention. `sequence` says which it was, in words.
    void add(store::Dataset&, const std::string& sequence) const;

    double bytes() const { return static_cast<double>(weights_.size() * sizeof(double)); }

private:
    Index heads_, tokens_;
    attention::Visible visible_;
    std::vector<double> weights_;
};

/// The first head, of the first seed, at the rate that is best for each method; nothing where none was taken. `caption`
/// says what tokens are.
std::optional<report::Figure> attention_figure(const store::Dataset&, const std::string& name,
                                               const std::string& caption);

}  // namespace rfbench::experiments
