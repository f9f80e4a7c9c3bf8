// Intel AMX. Instructions are written out, so that the compiler needs no flag for them and makes none by itself.
#include "rfbench/products/hardware_tiles.hpp"

#include "rfbench/products/arithmetic.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rfbench::products {
namespace {

/// The processor's tile registers, configured as long as this exists.
class HardwareTiles {
public:
    HardwareTiles() {
        // Palette 1: all eight registers of 16 rows of 64 bytes.
        struct alignas(64) {
            std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
            std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
            std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
        } const configuration;
        static_assert(sizeof configuration == 64);
        asm volatile("ldtilecfg %0" ::"m"(configuration));
    }
    ~HardwareTiles() { asm volatile("tilerelease" ::); }
    HardwareTiles(const HardwareTiles&) = delete;
    HardwareTiles& operator=(const HardwareTiles&) = delete;

    template <int tile>
    [[gnu::always_inline]] void zero() {
        asm volatile("tilezero %%tmm%c0" ::"i"(tile));
    }
    template <int tile>
    [[gnu::always_inline]] void load(const std::uint16_t* from) {
        asm volatile("tileloadd (%1,%2,1), %%tmm%c0" ::"i"(tile), "r"(from), "r"(row_stride) : "memory");
    }
    template <int tile>
    [[gnu::always_inline]] void store(float* to) const {
        asm volatile("tilestored %%tmm%c0, (%1,%2,1)" ::"i"(tile), "r"(to), "r"(row_stride) : "memory");
    }
    template <int sum, int a, int b>
    [[gnu::always_inline]] void multiply() {
        asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(sum), "i"(a), "i"(b));
    }

private:
    static constexpr long row_stride = 64;
};

/// CPUID, leaf 7: AMX-TILE and AMX-BF16.
bool processor_has_them() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
    return (edx >> 22 & 1) == 1 && (edx >> 24 & 1) == 1;
}

/// Linux keeps 8 KiB of tiles for each thread of a process that has asked for them, arch_prctl(2).
bool system_grants_them() {
    constexpr long request_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

bool has_matrix_units() {
    static const bool found = processor_has_them() && system_grants_them();
    return found;
}

void multiply_on_hardware(const PackedTiles& a, const PackedTiles& b, const TileOutput& to) {
    HardwareTiles tiles;
    multiply_tiles(tiles, a, b, to);
}

}  // namespace rfbench::products

#else

#include <stdexcept>

namespace rfbench::products {

bool has_matrix_units() { return false; }

void multiply_on_hardware(const PackedTiles&, const PackedTiles&, const TileOutput&) {
    throw std::logic_error("products: there are no matrix units here");
}

}  // namespace rfbench::products

#endif
