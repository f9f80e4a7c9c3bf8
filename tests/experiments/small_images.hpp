#pragma once
// Sets of small grey images as a user has them: IDX files.
#include <cstdint>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace rfbench::tests {

/// Unsigned bytes of this shape.
inline std::string idx(const std::vector<std::uint32_t>& shape, const std::string& bytes) {
    std::string file("\0\0\x08", 3);
    file += static_cast<char>(shape.size());
    for (const std::uint32_t extent : shape)
        for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(extent >> shift & 0xff);
    return file + bytes;
}

/// `count` images of `side` x `side` pixels, the first of which have the classes 0, 1, 2, 0, ...; an image of class c
/// is bright in its c-th third of rows, and no two images are alike.
struct SmallImages {
    std::string pixels, labels;
    std::uint32_t count, side;

    SmallImages(std::uint32_t number, std::uint32_t of_side, std::uint32_t first = 0) : count(number), side(of_side) {
        for (std::uint32_t i = 0; i < count; ++i) {
            labels += static_cast<char>(i % 3);
            for (std::uint32_t y = 0; y < side; ++y)
                for (std::uint32_t x = 0; x < side; ++x)
                    pixels += static_cast<char>((y * 3 / side == i % 3 ? 150 : 20) + (first + 7 * i + y + 3 * x) % 97);
        }
    }
    /// Writes both files and gives their names as YAML has them: "[images, labels]".
    std::string written(const TemporaryFolder& folder, const std::string& name) const {
        return "[" + folder.write(name + "-images", idx({count, side, side}, pixels)) + ", " +
               folder.write(name + "-labels", idx({count}, labels)) + "]";
    }
};

}  // namespace rfbench::tests
