#pragma once
// Shared parts of studies of attention on heads: their sweep, and a method at one head.
#include "sources/heads.hpp"

namespace rfbench::experiments {

/// The keys that say how methods are compared on heads.
std::vector<config::KeyRule> head_keys();

/// Values of those keys.
struct HeadSweep {
    HeadList list;
    Axis<MethodChoice> methods;
    Axis<const sampling::Scheme*> samplings;
    Axis<std::uint64_t> repeats;
    Axis<Index> columns;
    Stream seed;

    /// For the study of that name, which takes these methods.
    HeadSweep(const config::Value&, const std::string& study, const MethodKey&);

    /// Over head, method, sampling, repeat and columns.
    Sweep sweep(store::Dataset (*compute)(const HeadSweep&, const Point&)) const;
};

/// One cell of such a sweep: a sequence of a head, and the method there.
class HeadCell {
public:
    HeadCell(const HeadSweep&, const Point&);

    const HeadSequence& head() const { return head_; }
    Index queries() const { return head_.tokens.queries.rows(); }
    Index keys() const { return head_.tokens.keys.rows(); }
    const MethodChoice& method() const { return method_; }
    /// Features of the method, fitted to the head, at the cost of the columns or a little below.
    std::shared_ptr<const features::FeatureMap> map() const;
    /// The method's attention at that cost.
    std::unique_ptr<attention::Method> attention() const;

private:
    /// Stream of the draws at that cost.
    Stream stream() const;

    const MethodChoice& method_;
    Index columns_;
    const sampling::Scheme& scheme_;
    Stream seed_;
    HeadSequence head_;
};

}  // namespace rfbench::experiments
