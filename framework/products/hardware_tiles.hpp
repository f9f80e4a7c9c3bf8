#pragma once
#include "rfbench/products/tile_kernel.hpp"

namespace rfbench::products {

/// multiply_tiles() by the processor's tile registers, where has_matrix_units(): elsewhere an illegal instruction.
void multiply_on_hardware(const PackedTiles& a, const PackedTiles& b, const TileOutput& to);

}  // namespace rfbench::products
