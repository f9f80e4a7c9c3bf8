#pragma once
// A text as tokens: its bytes, in three parts by position.
#include <string>
#include <string_view>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/networks/sequence.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {

/// Tokens there are.
inline constexpr Index bytes_there_are = 256;

/// Keys `text`, `length`, `validation_share`, `test_share` and `within_share`.
std::vector<config::KeyRule> text_keys();

struct Text {
    std::string name, data_hash;
    std::string training, validation, test;
    std::string within;          ///< blocks cut out of what is trained on, one behind another; or none
    Index length;                ///< tokens of a sequence
    double bytes_per_character;  ///< of the whole, which is UTF-8

    /// Reads the text that a configuration names: a data set of the manifest, or a file. Throws config::Error where it
    /// is not here, is no UTF-8, or a part is no longer than a sequence.
    explicit Text(const config::Value&);
    /// Cuts `within` out of `training`: blocks of 32 pieces at equal distances, or shorter ones where that is more.
    void cut_blocks(const config::Value& share);

    /// `count` pieces of the training text from anywhere: each token's target is the next one.
    std::vector<networks::Sequence<float>> batch(int count, Stream) const;
    /// `most` pieces of a part, or as many as it has, at equal distances.
    std::vector<networks::Sequence<float>> spread(const std::string& part, Index most) const;
    /// The same pieces as bytes, with the one behind each. Views of `part`.
    std::vector<std::string_view> spread_bytes(const std::string& part, Index most) const;
};

}  // namespace rfbench::experiments
