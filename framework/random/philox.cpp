#include "rfbench/random/halves.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/random/words.hpp"

namespace rfbench {
namespace {

constexpr std::uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
constexpr int rounds = 10;

constexpr std::uint64_t product(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} * b; }

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    // Salmon et al. (2011): the halves of two products change places, the upper ones mixed with the other words and the
    // key, which grows by Weyl's constants.
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t p = product(multiplier_0, counter[0]), q = product(multiplier_1, counter[2]);
        counter = {high_half(q) ^ counter[1] ^ key[0], low_half(q), high_half(p) ^ counter[3] ^ key[1], low_half(p)};
        key = {key[0] + weyl_0, key[1] + weyl_1};
    }
    return counter;
}

void Words::read(std::uint64_t first, int count, std::uint64_t* even, std::uint64_t* odd) const {
    alignas(64) std::uint32_t a[batch], b[batch], c[batch], d[batch];

    // batch divides 2^32 and first is a multiple of it, so only the lowest word differs within the batch.
    for (int i = 0; i < count; ++i) {
        a[i] = low_half(first) + static_cast<std::uint32_t>(i);
        b[i] = high_half(first);
        c[i] = low_half(stream_);
        d[i] = high_half(stream_);
    }

    // All ten rounds on a few lanes at a time keep them in registers.
    for (int start = 0; start < count; start += lanes) {
        std::uint32_t k0 = key_[0], k1 = key_[1];
        for (int round = 0; round < rounds; ++round) {
            for (int i = start; i < start + lanes; ++i) {
                const std::uint64_t p = product(multiplier_0, a[i]), q = product(multiplier_1, c[i]);
                a[i] = high_half(q) ^ b[i] ^ k0;
                b[i] = low_half(q);
                c[i] = high_half(p) ^ d[i] ^ k1;
                d[i] = low_half(p);
            }
            k0 += weyl_0;
            k1 += weyl_1;
        }
    }

    for (int i = 0; i < count; ++i) {
        even[i] = std::uint64_t{b[i]} << 32 | a[i];
        odd[i] = std::uint64_t{d[i]} << 32 | c[i];
    }
}

}  // namespace rfbench
