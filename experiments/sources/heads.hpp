#pragma once
// Where queries, keys and values of heads come from: a trained model that reads a text, classifiers that are trained
// here, or drawn heads of known spectrum.
#include <memory>

#include "rfbench/dof/losses.hpp"
#include "rfbench/random/stream.hpp"
#include "study.hpp"

namespace rfbench::experiments {

/// One sequence of one head.
struct HeadSequence {
    dof::Sequence tokens;
    Points values;
};

/// Heads by layer and number, both from 0; sequences of one length.
class HeadSource {
public:
    virtual ~HeadSource() = default;
    virtual Index layers() const = 0;
    virtual Index heads() const = 0;
    virtual Index dimension() const = 0;
    virtual Index length() const = 0;
    virtual Index sequences() const = 0;
    /// Thread-safe.
    virtual HeadSequence sequence(Index layer, Index head, Index number) const = 0;
    /// Of the files it reads; empty when it reads none.
    virtual std::string data_hash() const { return {}; }
    /// What the user should know about them.
    virtual std::vector<std::string> notes() const { return {}; }

    /// Queries and keys of a head in all.
    Index points() const { return 2 * length() * sequences(); }
    /// Numbers in the queries, keys and values of a head's sequences.
    double size() const { return 1.5 * static_cast<double>(points() * dimension()); }
    /// `count` of those of the first `sequences` sequences, without repetition, count x d.
    Points sample(Index layer, Index head, Index sequences, Index count, const Stream&) const;
};

/// Numbered from 0, labelled from 1.
Axis<Index> layer_axis(const HeadSource&);
Axis<Index> head_axis(const HeadSource&);

/// What of a stream is a head's own.
inline Stream head_stream(const Stream& stream, Index layer, Index head) {
    return stream.child(static_cast<std::uint64_t>(layer)).child(static_cast<std::uint64_t>(head));
}

/// The source that a configuration names, and the keys that it is named by.
std::shared_ptr<const HeadSource> head_source(const config::Value&, const Stream&);
std::vector<config::KeyRule> head_source_keys();

/// Coordinate l of queries and keys of head h in layer s is normal with standard deviation scales[s] l^-decays[h],
/// values are standard normal.
std::unique_ptr<HeadSource> drawn_heads(const config::Value&, const Stream&);

/// Those of a GPT-2 model that reads a text, `sequences` pieces of `length` tokens. Throws config::Error where the text
/// has fewer, and DataError for files that are missing or damaged.
std::unique_ptr<HeadSource> model_heads(const config::Value&);

/// Those of classifiers of one layer and one head with softmax attention (rfbench/training/classifier.hpp), on
/// sequences that they were not trained on: layer s after steps[s] mini-batches, heads from different beginnings. Each
/// is trained when the first cell asks for it. They depend on the seed and on the keys `trained` and `dimension` alone.
/// Throws config::Error where fewer sequences are held out than asked for, or the task's data are not here.
std::unique_ptr<HeadSource> trained_heads(const config::Value&);
std::vector<config::KeyRule> trained_keys();

}  // namespace rfbench::experiments
