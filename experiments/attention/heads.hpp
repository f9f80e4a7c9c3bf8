#pragma once
// The queries, keys and values of one drawn head, and the choices that studies of attention share.
#include "choices.hpp"
#include "experiment.hpp"
#include "rfbench/attention/softmax_map.hpp"

namespace rfbench::experiments {

struct Head {
    Points queries, keys, values;  ///< L x d each
};

/// Normal entries, those of queries and keys times `scale`. The same up to scale for every scale.
Head draw_head(Index length, Index dimension, double scale, const Stream&);

/// The keys that say how mechanisms are compared on drawn heads.
std::vector<config::KeyRule> head_keys();

/// What those keys say.
struct HeadSweep {
    std::vector<MechanismChoice> mechanisms;
    std::vector<const sampling::Scheme*> samplings;
    std::vector<double> dimensions, scales, columns, samples;
    Index length;
    Stream seed;

    /// For the study of that name.
    HeadSweep(const config::Value&, const std::string& study);

    std::vector<store::Axis> axes() const;  ///< dimension, scale, mechanism, sampling, sample
    std::vector<engine::Cell> cells() const;  ///< all that can be drawn
    store::Axis columns_axis() const { return {"real_columns", columns, "", "real feature columns"}; }
};

/// One cell of such a sweep: a head and a mechanism fitted to it.
class HeadCell {
public:
    HeadCell(const HeadSweep&, const engine::Cell&);

    const Head& head() const { return head_; }
    /// Features at that cost or a little below.
    attention::SoftmaxMap map(Index real_columns) const;

private:
    const sampling::Scheme& sampling_;
    Stream seed_;
    Head head_;
    std::unique_ptr<features::Mechanism> mechanism_;
};

/// The panels of a figure with a curve for each mechanism and sampling: all samplings in one panel where there are few
/// curves, a panel each where there are many.
struct PanelPlan {
    std::string suffix;                  ///< of its title: "", or ", orthogonal"
    std::vector<std::string> samplings;  ///< shown in it
};
std::vector<PanelPlan> panel_plans(const store::Dataset&);

/// The label of such a curve: "positive", or "positive, orthogonal" beside other samplings.
std::string series_name(const PanelPlan&, const std::string& mechanism, const std::string& sampling);

/// All labels that such a figure has, or the catalogue's mechanisms: the order of its looks.
std::vector<std::string> series_names(const store::Dataset&);

}  // namespace rfbench::experiments
