#pragma once
// Where an axis has its marks, and how wide their texts are.
#include <string>
#include <vector>

#include "rfbench/report/figure.hpp"
#include "rfbench/report/panel_view.hpp"

namespace rfbench::report {

/// Font size of tick texts, in pixels; labels and titles are larger.
constexpr double tick_font = 10, label_font = 11, title_font = 12, figure_title_font = 14;

struct Ticks {
    std::string places;    ///< as gnuplot takes them: a step, a first mark and a step, or positions in parentheses
    std::string format;    ///< of the numbers; empty where texts are given
    int minor = 0;         ///< parts between two marks; 0 for none
    double widest = 0;     ///< text, in pixels
    bool slanted = false;  ///< texts too wide to stand beside each other
};

/// Marks about `spacing` pixels apart or more, on an axis of `length` pixels that shows `shown`: multiples of 1, 2 or
/// 5 times a power of ten; on log axes powers of ten, with 2 and 5 times them when there are fewer than three. Given
/// ticks are taken as they are. `beside`: their texts stand in a row, not above each other.
Ticks ticks(const Axis&, Interval shown, double length, double spacing, bool beside);

}  // namespace rfbench::report
