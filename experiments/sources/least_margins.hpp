#pragma once
// Margins by which softmax attention must be better than what needs no attention, for a task to judge attention.

namespace rfbench::experiments::least_margin {

inline constexpr double text = 0.25;    ///< bits per character below counts of neighbours
inline constexpr double images = 0.02;  ///< share right above a linear classifier
inline constexpr double recall = 0.5;   ///< share right above guessing
inline constexpr double lists = 0.2;    ///< share right above the most frequent class

}  // namespace rfbench::experiments::least_margin
