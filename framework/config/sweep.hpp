#pragma once
// The cells of a sweep: every combination of the labels of its axes.
#include <cstddef>
#include <string>
#include <vector>

namespace rfbench::config {

struct SweepAxis {
    std::string name;
    std::size_t size = 0;  ///< number of labels
};

/// The most combinations a sweep may have.
inline constexpr std::size_t max_combinations = 1'000'000;

/// The product of the sizes; 1 without axes. Throws Error with the axes and their sizes when one is empty or the
/// product, however large, is above `limit`.
std::size_t combinations(const std::vector<SweepAxis>&, std::size_t limit = max_combinations);

/// All index tuples in row-major order: the last axis runs fastest. Throws as combinations() does.
std::vector<std::vector<std::size_t>> product(const std::vector<SweepAxis>&, std::size_t limit = max_combinations);

}  // namespace rfbench::config
