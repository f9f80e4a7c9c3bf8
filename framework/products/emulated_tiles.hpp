#pragma once
#include <cstdint>
#include <cstring>

namespace rfbench::products {

/// A tile register holds 16 rows of 64 bytes: 16 x 16 floats, or 16 x 32 bfloat16.
inline constexpr int tile_rows = 16, tile_pairs = 16, tile_columns = 16;
inline constexpr int tile_halves = tile_rows * 2 * tile_pairs;  ///< entries of a tile of bfloat16
inline constexpr int tile_bytes = 2 * tile_halves;

/// The tile instructions that products need (Intel, Software Developer's Manual, volume 2, TDPBF16PS), in arithmetic of
/// any processor, with the bits that the manual's operation has, but for the payload of NaN. All eight registers are
/// configured whole. Rows of tiles in memory follow each other.
class EmulatedTiles {
public:
    template <int tile>
    void zero() {
        std::memset(registers_[tile], 0, tile_bytes);
    }
    template <int tile>
    void load(const std::uint16_t* from) {
        std::memcpy(registers_[tile], from, tile_bytes);
    }
    template <int tile>
    void store(float* to) const {
        std::memcpy(to, registers_[tile], tile_bytes);
    }
    /// sum += a b, where a row of `a` is 32 entries of A and row k of `b` has entries 2k and 2k + 1 of each column of B
    /// beside each other. Each entry of `sum` gets (even + odd), `even` the sum over 2k = 0, 2, ... 30 in this order
    /// from zero, by multiply-adds that round once, `odd` that over 2k + 1: 32 multiply-adds and two additions, all to
    /// nearest even. Subnormal numbers that go in count as zero, and those that come out are zero, of their sign. The
    /// instruction ignores the processor's rounding mode; the emulation needs the default one, to nearest.
    template <int sum, int a, int b>
    void multiply() {
        multiply(registers_[sum], registers_[a], registers_[b]);
    }

private:
    static void multiply(unsigned char* sum, const unsigned char* a, const unsigned char* b);

    alignas(64) unsigned char registers_[8][tile_bytes];
};

}  // namespace rfbench::products
