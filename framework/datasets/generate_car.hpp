#pragma once
// Bohanec's cars: every row follows from rules.
#include <string>

namespace rfbench::datasets {

/// The text of UCI's car.data, byte for byte: all 1728 combinations of six attributes, each judged by its price and by
/// its technical worth, which is comfort and safety together.
std::string generate_car();

}  // namespace rfbench::datasets
