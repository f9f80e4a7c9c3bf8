#pragma once
// The queries, keys and values of one drawn head, and the choices that studies of attention share.
#include "choices.hpp"
#include "study.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"

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
    std::vector<const features::Nonlinearity*> functions;  ///< of generalized attention, behind the mechanisms
    std::vector<std::string> baselines;  ///< of `baselines`, where the study has that key, behind the functions
    std::vector<const sampling::Scheme*> samplings;
    std::vector<double> dimensions, scales, columns, samples;
    Index length;
    Stream seed;

    /// For the study of that name.
    HeadSweep(const config::Value&, const std::string& study);

    std::vector<std::string> labels() const;  ///< of mechanisms, functions and baselines
    std::vector<store::Axis> axes() const;    ///< dimension, scale, mechanism, sampling, sample
    std::vector<engine::Cell> cells() const;  ///< all that can be drawn; baselines at the first sampling only
    /// Of one cell: a head's queries, keys, values and output, and the features of both sides.
    double bytes() const;
    store::Axis columns_axis() const { return {"real_columns", columns, "", "real feature columns"}; }
};

/// One cell of such a sweep: a head, and a mechanism fitted to it, a function or a baseline.
class HeadCell {
public:
    HeadCell(const HeadSweep&, const engine::Cell&);

    const Head& head() const { return head_; }
    /// The baseline it is of; empty where it is of features.
    const std::string& baseline() const { return baseline_; }
    /// What is drawn at that cost.
    Stream stream(Index real_columns) const;
    /// Features at that cost or a little below.
    std::unique_ptr<const features::FeatureMap> map(Index real_columns) const;
    bool estimates_kernel() const { return estimates_kernel_; }

private:
    const sampling::Scheme& sampling_;
    Stream seed_;
    Head head_;
    std::unique_ptr<features::Mechanism> mechanism_;
    const features::Nonlinearity* function_ = nullptr;
    std::string baseline_;
    bool estimates_kernel_ = false;
};

}  // namespace rfbench::experiments
