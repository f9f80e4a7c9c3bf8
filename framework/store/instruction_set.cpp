#include "rfbench/store/instruction_set.hpp"

#include <string_view>

namespace rfbench::store {
namespace {

// The levels of the x86-64 psABI. Compilers define a name for each extension and none for a level.
#if defined(__SSE4_2__) && defined(__SSSE3__) && defined(__POPCNT__)
constexpr bool level_2 = true;
#else
constexpr bool level_2 = false;
#endif

#if defined(__AVX2__) && defined(__FMA__) && defined(__BMI__) && defined(__BMI2__) && defined(__F16C__) &&             \
    defined(__LZCNT__) && defined(__MOVBE__)
constexpr bool level_3 = level_2;
#else
constexpr bool level_3 = false;
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) &&                 \
    defined(__AVX512VL__)
constexpr bool level_4 = level_3;
#else
constexpr bool level_4 = false;
#endif

}  // namespace

std::string instruction_set() {
#if defined(__x86_64__)
    return level_4 ? "x86-64-v4" : level_3 ? "x86-64-v3" : level_2 ? "x86-64-v2" : "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__powerpc64__)
    return "powerpc64";
#elif defined(__riscv)
    return "riscv";
#else
    return "unknown";
#endif
}

std::string instruction_extensions() {
    std::string names;
    // Extensions that the level includes are not named again.
    [[maybe_unused]] const auto add = [&](std::string_view name, bool within_level) {
        if (!within_level) names += (names.empty() ? "" : " ") + std::string(name);
    };
#if defined(__SSE4_2__)
    add("sse4.2", level_2);
#endif
#if defined(__AVX__)
    add("avx", level_3);
#endif
#if defined(__FMA__)
    add("fma", level_3);
#endif
#if defined(__AVX2__)
    add("avx2", level_3);
#endif
#if defined(__AVX512F__)
    add("avx512f", level_4);
#endif
#if defined(__AVX512VNNI__)
    add("avx512vnni", false);
#endif
#if defined(__AVX512BF16__)
    add("avx512bf16", false);
#endif
#if defined(__AVX512FP16__)
    add("avx512fp16", false);
#endif
#if defined(__ARM_FEATURE_SVE)
    add("sve", false);
#endif
#if defined(__ARM_FEATURE_SVE2)
    add("sve2", false);
#endif
    return names;
}

}  // namespace rfbench::store
