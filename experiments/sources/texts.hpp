#pragma once
// A text as tokens: its bytes, in three parts by position.
#include <memory>
#include <string>
#include <string_view>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/networks/sequence.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {

/// A text as it is named in messages, and what it says.
struct NamedText {
    std::string name, contents;
};

/// A text of the manifest, or a file. Throws config::Error and datasets::DataError where it cannot be read.
NamedText named_text(const config::Value& name);

/// Tokens there are.
inline constexpr Index bytes_there_are = 256;

/// Keys `text`, `length`, `validation_share`, `test_share` and `within_share`.
std::vector<config::KeyRule> text_keys();

/// Bytes a character of a text in UTF-8, or of a part of one: losses are of bytes, and shown of characters. A character
/// counts where it begins; NaN without bytes.
double bytes_per_character(std::string_view part);

struct Text {
    std::string name, data_hash;
    std::string training, validation, test;
    std::string within;  ///< blocks cut out of what is trained on, one after another; or none
    std::string beyond;  ///< another text, of which nothing is trained on; or none
    Index length;        ///< tokens of a sequence

    /// Reads the texts that a configuration names: a data set of the manifest, or a file. Throws config::Error where
    /// one is not here, is no UTF-8, or a part is no longer than a sequence.
    explicit Text(const config::Value&);
    /// Reads `beyond`, which counts in the hash. Throws config::Error as the constructor.
    void read_beyond(const config::Value& key);
    /// Cuts `within` out of `training`: blocks of 32 pieces at equal distances, or shorter ones where that is more.
    void cut_blocks(const config::Value& share);

    /// `count` pieces of the training text from anywhere: each token's target is the next one.
    std::vector<networks::Sequence<float>> batch(int count, Stream) const;
    /// Pieces of a part that do not overlap.
    Index num_pieces(const std::string& part) const;
    /// `most` pieces of a part, or as many as it has, at equal distances.
    std::vector<networks::Sequence<float>> spread(const std::string& part, Index most) const;
    /// The same pieces as bytes, with the one after each. Views of `part`.
    std::vector<std::string_view> spread_bytes(const std::string& part, Index most) const;
    /// Bits per character of so many pieces of `test` by interpolated counts of orders 0 .. max_order.
    std::vector<double> counts_bits(Index pieces, int max_order) const;
};

/// Key `beyond`, for studies that evaluate networks on it, and a text with that one, where it is given.
config::KeyRule beyond_key();
std::shared_ptr<const Text> text_and_beyond(const config::Value&);

}  // namespace rfbench::experiments
