#pragma once
// Where the experiment's queries, keys and values come from: a trained model that reads a text, classifiers that are
// trained here, or drawn heads of known spectrum.
#include <memory>

#include "experiment.hpp"
#include "rfbench/dof/losses.hpp"
#include "rfbench/random/stream.hpp"

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
};

/// Coordinate l of queries and keys of head h in layer s is normal with standard deviation scales[s] l^-decays[h],
/// values are standard normal.
std::unique_ptr<HeadSource> drawn_heads(const config::Value&, const Stream&);

/// Those of a GPT-2 model that reads a text, `sequences` pieces of `length` tokens. Throws config::Error where the text
/// has fewer, and DataError for files that are missing or damaged.
std::unique_ptr<HeadSource> model_heads(const config::Value&);

/// Those of classifiers of one layer and one head with softmax attention (rfbench/learned/classifier.hpp), on sequences
/// that they were not trained on: layer s after steps[s] mini-batches, heads from different beginnings. Each is trained
/// when the first cell asks for it. They depend on the seed and on the keys `trained` and `dimension` alone. Throws
/// config::Error where fewer sequences are held out than asked for, or the task's data are not here.
std::unique_ptr<HeadSource> trained_heads(const config::Value&);
std::vector<config::KeyRule> trained_keys();

/// The source that a configuration names.
class HeadInputs {
public:
    HeadInputs(const config::Value&, const Stream&);

    static std::vector<config::KeyRule> keys();

    Index layers() const { return source_->layers(); }
    Index heads() const { return source_->heads(); }
    Index dimension() const { return source_->dimension(); }
    Index sequences() const { return source_->sequences(); }
    Index points() const { return 2 * source_->length() * sequences(); }  ///< queries and keys of a head in all
    /// Numbers in the queries, keys and values of a head's sequences.
    double size() const { return 1.5 * static_cast<double>(points()) * static_cast<double>(dimension()); }
    std::string data_hash() const { return source_->data_hash(); }
    std::vector<std::string> notes() const { return source_->notes(); }
    HeadSequence sequence(Index layer, Index head, Index number) const {
        return source_->sequence(layer, head, number);
    }

    store::Axis layer_axis() const;
    store::Axis head_axis() const;

    /// `count` of the queries and keys of the first `sequences` sequences of a head, without repetition.
    Points sample(Index layer, Index head, Index sequences, Index count, const Stream&) const;

private:
    std::shared_ptr<const HeadSource> source_;
};

}  // namespace rfbench::experiments
