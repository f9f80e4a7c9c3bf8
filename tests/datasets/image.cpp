#include "rfbench/datasets/image.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "catch.hpp"

using namespace rfbench::datasets;

namespace {

std::vector<std::uint8_t> image_of(std::size_t pixels) {
    std::vector<std::uint8_t> image(pixels);
    std::uint32_t state = 7;
    for (auto& pixel : image) {
        state = state * 1664525u + 1013904223u;
        pixel = static_cast<std::uint8_t>(state >> 24);
    }
    return image;
}

}  // namespace

TEST_CASE("Area averaging keeps the mean exactly, for any size") {
    const std::pair<std::size_t, std::size_t> sizes[] = {{28, 28}, {8, 8}, {32, 16}, {5, 9}, {1, 1}, {13, 40}};
    for (const auto& [rows, columns] : sizes) {
        const auto image = image_of(rows * columns);
        const auto sums = area_sums(image.data(), rows, columns);
        const std::uint64_t large = std::accumulate(image.begin(), image.end(), std::uint64_t{0});
        CHECK(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) == 64 * large);
    }
}

TEST_CASE("A uniform image stays uniform, and an image of 8 x 8 pixels stays as it is") {
    const std::vector<std::uint8_t> flat(28 * 28, 255);
    for (const std::uint64_t sum : area_sums(flat.data(), 28, 28)) CHECK(sum == 255u * 28 * 28);
    const auto image = image_of(64);
    const auto sums = area_sums(image.data(), 8, 8);
    for (std::size_t i = 0; i < 64; ++i) CHECK(sums[i] == 64u * image[i]);
}

TEST_CASE("The 28 x 28 weights are those of sampling every pixel in 2 x 2 quarters") {
    // 28 = 8 * 3.5: with each pixel doubled to 2 x 2, a small pixel is a block of exactly 7 x 7.
    const auto image = image_of(28 * 28);
    const auto sums = area_sums(image.data(), 28, 28);
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
            std::uint64_t block = 0;
            for (std::size_t a = 7 * i; a < 7 * (i + 1); ++a) {
                for (std::size_t b = 7 * j; b < 7 * (j + 1); ++b) block += image[28 * (a / 2) + b / 2];
            }
            CHECK(sums[8 * i + j] * 49 == block * 28 * 28);
        }
    }
}
