#pragma once
#include "rfbench/products/tile_kernel.hpp"

namespace rfbench::products {

/// multiply_tiles() by the processor's tile registers. Only where has_matrix_units(): an illegal instruction on other
/// x86-64 processors, std::logic_error on other systems.
void multiply_on_hardware(const PackedTiles& a, const PackedTiles& b, const TileOutput& to);

}  // namespace rfbench::products
