#pragma once
// The queries, keys and values of one drawn head, and the choices that studies of attention share.
#include "rfbench/attention/inputs.hpp"
#include "study.hpp"

namespace rfbench::experiments {

struct Head {
    Points queries, keys, values;  ///< L x d each

    attention::Inputs<double> inputs() const { return {queries, keys, values}; }
};

/// Normal entries, those of queries and keys times `scale`. The same up to scale for every scale.
Head draw_head(Index length, Index dimension, double scale, const Stream&);

/// The keys that say how methods are compared on drawn heads.
std::vector<config::KeyRule> head_keys();

/// What those keys say.
struct HeadSweep {
    Axis<Index> dimensions;
    Axis<double> scales;
    Axis<MethodChoice> methods;
    Axis<const sampling::Scheme*> samplings;
    Axis<std::uint64_t> repeats;
    Axis<Index> columns;  ///< inside a cell
    Index length;
    Stream seed;

    /// For the study of that name, which takes these methods.
    HeadSweep(const config::Value&, const std::string& study, const MethodKey&);

    /// Over dimension, scale, method, sampling and repeat.
    Sweep sweep(store::Dataset (*compute)(const HeadSweep&, const Point&)) const;
    /// Of one cell: a head's queries, keys, values and output, and the features of both sides.
    double bytes() const;
};

/// One cell of such a sweep: a head, and the method there.
class HeadCell {
public:
    HeadCell(const HeadSweep&, const Point&);

    const Head& head() const { return head_; }
    const MethodChoice& method() const { return method_; }
    /// Features of the method, fitted to the head, at that cost or a little below.
    std::shared_ptr<const features::FeatureMap> map(Index columns) const;
    /// The method's attention at that cost.
    std::unique_ptr<attention::Method> attention(Index columns) const;

private:
    /// Of what is drawn at that cost.
    Stream stream(Index columns) const;

    const MethodChoice& method_;
    const sampling::Scheme& scheme_;
    Stream seed_;
    Head head_;
    Drawing draw_;
};

}  // namespace rfbench::experiments
