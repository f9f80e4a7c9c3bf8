#pragma once
#include <string>
#include <string_view>

#include "rfbench/store/dataset.hpp"

namespace rfbench::store {

/// Reason why a text cannot be stored as UTF-8 that ends at its first zero byte: "byte 3 is zero", "byte 7 is not
/// UTF-8" (Unicode 15, table 3-7). Empty when it can.
std::string utf8_error(std::string_view);

/// Throws Error, naming the place, when a name or a text of the dataset cannot be stored in an HDF5 file: names contain
/// no '/' and are not ".", texts are UTF-8 without zero bytes.
void check_texts(const Dataset&);

}  // namespace rfbench::store
