#pragma once
// One number of one result file by an expression (claims/expression.hpp), as pages quote it. Names are variables of the
// file, and brackets after them fix labels of axes:
//
//     1e6 / 8192 * median(seconds[length = 8192; method = FAVOR+; layers = 1; pass = gradient; batch = 1], repeat)
#include <string_view>

#include "rfbench/store/dataset.hpp"

namespace rfbench::claims {

/// Throws std::invalid_argument for what is no expression, for a variable, an axis or a label that the file does not
/// have, and for what is more than one number.
double number_of(std::string_view expression, const store::Dataset&);

}  // namespace rfbench::claims
