#pragma once
// Sources of queries, keys and values of heads. All studies on heads name their sources in a key `heads`, in one
// grammar: drawn heads, those of networks that another configuration trains, those of a model that reads a text.
#include <functional>
#include <memory>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/dof/losses.hpp"
#include "rfbench/random/stream.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// One sequence of one head.
struct HeadSequence {
    dof::Sequence tokens;
    Points values;

    attention::Inputs<double> inputs() const { return {tokens.queries, tokens.keys, values}; }
};

/// Normal entries, those of queries and keys times `scale`: `queries` and `keys` rows. The same up to scale for every
/// scale.
HeadSequence draw_head(Index queries, Index keys, Index dimension, double scale, const Stream&);
inline HeadSequence draw_head(Index length, Index dimension, double scale, const Stream& stream) {
    return draw_head(length, length, dimension, scale, stream);
}

class HeadSource;
/// One line on what was read from files: "heads.npz: 2 layers of 4 heads, 3 sequences of 40 tokens, d = 8".
std::string summary(const HeadSource&, const std::string& name);

/// Heads by layer and number, both from 0; sequences of one length, but for padding, which is left out. Keys and values
/// may be those of other sequences than queries (cross-attention).
class HeadSource {
public:
    virtual ~HeadSource() = default;
    virtual Index layers() const = 0;
    virtual Index heads() const = 0;
    virtual Index dimension() const = 0;
    virtual Index length() const = 0;                      ///< queries of the longest sequence
    virtual Index key_length() const { return length(); }  ///< the same of keys
    /// Whether keys belong to other tokens than queries.
    virtual bool crosses() const { return false; }
    virtual Index sequences() const = 0;
    /// Whether they are drawn as they are asked for, and sequences() is only where PlacedHead begins again.
    virtual bool endless() const { return false; }
    /// Queries of that sequence, and its keys.
    virtual Index tokens(Index /*number*/) const { return length(); }
    virtual Index key_tokens(Index number) const { return crosses() ? key_length() : tokens(number); }
    /// Name of a head in figures.
    virtual std::string label(Index layer, Index head) const = 0;
    /// Keys of its entry whose items are layers or heads, and what of them a layer and a head of it have of their own:
    /// all else of the entry counts for all heads. A source that draws by number says the number too.
    virtual std::vector<std::string> listing() const { return {}; }
    virtual std::string layer_setting(Index /*layer*/) const { return {}; }
    virtual std::string head_setting(Index /*head*/) const { return {}; }
    /// Thread-safe.
    virtual HeadSequence sequence(Index layer, Index head, Index number) const = 0;
    /// Whether previous() is another sequence.
    virtual bool has_previous() const { return sequences() > 1; }
    /// Another one: what was seen before that sequence.
    virtual HeadSequence previous(Index layer, Index head, Index number) const {
        return sequence(layer, head, (number + sequences() - 1) % sequences());
    }
    /// Hash of the files it reads; empty when it reads none.
    virtual std::string data_hash() const { return {}; }
    /// Notes for the user.
    virtual std::vector<std::string> notes() const { return {}; }

    /// Queries and keys of a head's first so many sequences, and of all.
    Index points(Index sequences) const;
    Index points() const { return points(sequences()); }
    /// Numbers in the queries, keys and values of a head's sequences.
    double size() const;
    /// `count` of those of the first `sequences` sequences, without repetition, count x d.
    Points sample(Index layer, Index head, Index sequences, Index count, const Stream&) const;
};

/// Streams from which a study draws heads: its seed, and how it keys sequence `number` ("head", or "previous" for the
/// one before) of heads of dimension d.
struct HeadStreams {
    Stream study;
    Stream (*sequence)(const Stream& study, const char* which, std::uint64_t number, std::uint64_t dimension);
};
/// Keyed by sequence, purpose and dimension.
HeadStreams head_streams(const Stream& study);
/// Keyed by sequence, dimension and purpose, as two studies have drawn their heads since their first results.
HeadStreams dimension_first_streams(const Stream& study);

/// The sources there are: {use: normal, ...}, {use: decaying, ...}, {use: network, ...}, {use: model, ...}, {use: file,
/// ...}.
config::Schema head_source_schema();
/// Throws config::Error, at the place of what is wrong, and datasets::DataError for files that are not here.
std::shared_ptr<const HeadSource> head_source(const config::Value& entry, const HeadStreams&);

/// The key `heads` of studies that take one source, and what it says.
config::KeyRule head_source_key();
std::shared_ptr<const HeadSource> head_source(const config::Value& configuration, const Stream& study);
/// Throws config::Error for an endless source: the study trains on all sequences.
void require_end(const HeadSource&, const config::Value& configuration);
/// Throws config::Error at the source's entry where keys are those of other tokens: a causal study needs one sequence.
void require_one_sequence(const HeadSource&, const config::Value& entry);

/// One source, by layer and head, numbered from 0, labelled from 1. Together they stand for the key `heads`, which
/// holds its entry.
Axis<Index> layer_axis(const HeadSource&, const config::Value& configuration);
Axis<Index> head_axis(const HeadSource&);

/// A head's own part of a stream.
inline Stream head_stream(const Stream& stream, Index layer, Index head) {
    return stream.child(static_cast<std::uint64_t>(layer)).child(static_cast<std::uint64_t>(head));
}

/// One head of several sources'.
struct PlacedHead {
    std::shared_ptr<const HeadSource> source;
    Index layer, head;

    /// Sequences are taken again where there are fewer.
    HeadSequence sequence(std::uint64_t number) const { return source->sequence(layer, head, wrapped(number)); }
    HeadSequence previous(std::uint64_t number) const { return source->previous(layer, head, wrapped(number)); }
    Index wrapped(std::uint64_t number) const {
        return static_cast<Index>(number % static_cast<std::uint64_t>(source->sequences()));
    }
};

/// The heads of all sources in a configuration's list `heads`, side by side.
struct HeadList {
    Axis<PlacedHead> heads;
    std::vector<std::string> notes;
    std::vector<std::shared_ptr<const HeadSource>> sources;  ///< one an entry
    std::vector<std::string> names;                          ///< of sources: their labels, or what they use

    /// Throws config::Error too where two heads have one label.
    HeadList(const config::Value& configuration, const HeadStreams&);

    /// `notes`, and one on every source that has fewer sequences than all repeats take together.
    std::vector<std::string> notes_of_repeats(std::size_t taken) const;
    Index longest() const;  ///< queries or keys
    Index widest() const;   ///< d
    /// Throws config::Error at the entry of a method that was trained for another d.
    void require_dimensions(const std::vector<MethodChoice>&) const;
    /// Throws config::Error at the entry of a method whose outputs need a query for each key, where heads cross.
    void require_crossing(const std::vector<MethodChoice>&) const;
    /// As the function of that name, of all sources.
    void require_one_sequence(const config::Value& configuration) const;
};
/// The key `heads` of studies that take such a list.
config::KeyRule head_list_key();

/// Numbers from 0 that an entry's key `layers` or `heads` names; all if it has no such key. Throws config::Error at a
/// number beyond them.
std::vector<std::size_t> chosen_numbers(const config::Value& entry, const char* key, Index there_are);
/// These two keys.
std::vector<config::KeyRule> choice_keys();

/// One kind each; `entry` is what the configuration says of it.
std::shared_ptr<const HeadSource> normal_heads(const config::Value& entry, const HeadStreams&);
std::shared_ptr<const HeadSource> decaying_heads(const config::Value& entry, const HeadStreams&);
std::shared_ptr<const HeadSource> model_heads(const config::Value& entry);
std::vector<config::KeyRule> normal_keys();
std::vector<config::KeyRule> decaying_keys();
std::shared_ptr<const HeadSource> network_heads(const config::Value& entry);
std::shared_ptr<const HeadSource> file_heads(const config::Value& entry);
std::vector<config::KeyRule> network_head_keys();
std::vector<config::KeyRule> model_keys();
std::vector<config::KeyRule> file_keys();

}  // namespace rfbench::experiments
