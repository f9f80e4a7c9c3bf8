#pragma once
// Whether the first line of a text names its columns.
#include <string_view>
#include <vector>

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

/// Whether no field of a line is a number and none is empty.
bool is_words(const std::vector<std::string_view>& fields);

/// Whether a first line of numbers names columns all the same, as pandas writes 0,1,2 above columns without names:
/// whole numbers from 0 that count up, three at least, above a line that has a number with a point. Throws DataError at
/// `place` where the line may as well be data.
bool are_numbered_names(const std::vector<std::string_view>& first, const std::vector<std::string_view>& second,
                        const Place& place);

}  // namespace rfbench::datasets
