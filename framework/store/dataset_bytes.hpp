#pragma once
// A Dataset as bytes for packs, in two parts: its frame (names, labels, units, descriptions), which the cells of a
// sweep share, and what is the cell's own (values and attributes). Texts and lists have their length before them,
// numbers are as they are in memory. Damage is found by packs' checksums; what does not fit all the same throws Error.
#include <string>
#include <string_view>

#include "rfbench/store/dataset.hpp"

namespace rfbench::store {

std::string frame_bytes(const Dataset&);
std::string value_bytes(const Dataset&);

/// The dataset of both parts.
Dataset dataset_from(std::string_view frame, std::string_view values);

/// Texts one after the other, and back.
std::string text_bytes(const std::vector<std::string>&);
std::vector<std::string> texts_from(std::string_view);

}  // namespace rfbench::store
