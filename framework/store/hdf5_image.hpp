#pragma once
// A Dataset as the bytes of an HDF5 file, and back, without any file. One thread at a time: the library of Debian is
// not made for more.
#include <cstddef>
#include <span>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::store {

/// Equal Datasets give equal bytes. Throws Error when the library cannot.
std::vector<std::byte> to_image(const Dataset&);

/// Throws Error when the bytes are not what to_image makes.
Dataset from_image(std::span<const std::byte> image);

}  // namespace rfbench::store
