#pragma once
// Which colour, dash pattern and mark a label has.
#include <map>
#include <string>
#include <string_view>

#include "rfbench/report/figure.hpp"

namespace rfbench::report {

/// How many looks differ in colour or dash pattern: eight colours told apart under all common colour blindness (after
/// Okabe and Ito 2008), solid first, then in three dash patterns.
constexpr std::size_t distinct_looks = 32;

/// The look of place i, modulo distinct_looks.
Look look_at(std::size_t i);

/// The thin grey one of a figure's i-th reference series.
Look reference_look(std::size_t i);

/// A look for every label of the figure, by the rule stated at Figure::names. The same label in two panels has one
/// look.
std::map<std::string, Look> looks(const Figure&);

}  // namespace rfbench::report
