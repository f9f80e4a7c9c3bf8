#pragma once
// Where the experiment's queries, keys and values come from: drawn heads of known spectrum.
#include "experiment.hpp"
#include "rfbench/dof/losses.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {

/// One sequence of one head.
struct HeadSequence {
    dof::Sequence tokens;
    Points values;
};

/// Heads by layer and number, both from 0.
class HeadInputs {
public:
    /// What keys() say. Throws config::Error at the value's place for what does not go together.
    HeadInputs(const config::Value&, const Stream&);

    static std::vector<config::KeyRule> keys();

    Index layers() const { return static_cast<Index>(scales_.size()); }
    Index heads() const { return static_cast<Index>(decays_.size()); }
    Index dimension() const { return dimension_; }
    Index sequences() const { return sequences_; }
    Index points() const { return 2 * length_ * sequences_; }  ///< queries and keys of a head in all

    store::Axis layer_axis() const;
    store::Axis head_axis() const;

    HeadSequence sequence(Index layer, Index head, Index number) const;

    /// `count` of the queries and keys of the first `sequences` sequences of a head, without repetition.
    Points sample(Index layer, Index head, Index sequences, Index count, const Stream&) const;

private:
    std::vector<double> scales_, decays_;
    Index dimension_, length_, sequences_;
    Stream stream_;
};

}  // namespace rfbench::experiments
