#pragma once
// Grey images as sequences: cut into square patches, each a token, with the class of the image as the target.
#include <cstdint>
#include <string>
#include <vector>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/networks/sequence.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {

/// Some of the images of a set, one a row.
struct ImagePart {
    Rows<std::uint8_t> pixels;  ///< n x (rows columns), row after row, 0 .. 255
    std::vector<int> classes;   ///< n
    Index count() const { return pixels.rows(); }
};

/// Keys `images`, `patch` and `validation_share`.
std::vector<config::KeyRule> image_keys(const std::string& patch);

/// Images to train on, to choose by and to test with.
struct Images {
    std::string name, data_hash;
    ImagePart training, validation, test;  ///< validation images are the last ones of the training set's files
    Index rows, columns;                   ///< of pixels
    Index patch;                           ///< of pixels along its sides; a divisor of both
    int classes;

    /// Reads the set that a configuration names: of the manifest, or IDX files of the user's. Throws
    /// datasets::MissingData where a set is not on this machine, and config::Error where files are not here or
    /// malformed, images of both files differ in size, or the patch does not divide them.
    explicit Images(const config::Value&);

    Index grid_rows() const { return rows / patch; }
    Index grid_columns() const { return columns / patch; }
    Index tokens() const { return grid_rows() * grid_columns(); }
    Index inputs() const { return patch * patch; }

    /// Patches in the order of their grid, rows first, each patch^2 grey values from -1 (black) to 1, rows first;
    /// target 0 is the class.
    networks::Sequence<float> sequence(const ImagePart&, Index number) const;
    /// `count` training images from anywhere.
    std::vector<networks::Sequence<float>> batch(int count, Stream) const;
    /// `most` images of a part, or as many as it has, at equal distances.
    std::vector<networks::Sequence<float>> spread(const ImagePart&, Index most) const;
    /// Their numbers.
    static std::vector<Index> spread_numbers(Index there_are, Index most);
};

}  // namespace rfbench::experiments
