#include "rfbench/random/stream.hpp"

#include <stdexcept>

#include "rfbench/random/elementary.hpp"
#include "rfbench/random/halves.hpp"

namespace rfbench {
namespace {

constexpr std::uint64_t join(std::uint32_t a, std::uint32_t b) { return std::uint64_t{b} << 32 | a; }

// Children are keyed by Philox itself under a changed key, so that no block serves both as a number and as a key, and
// a text never gives the child of a number.
enum class Use : std::uint32_t { number = 0x6E756D62, text = 0x74657874, text_end = 0x656E6421 };

std::array<std::uint32_t, 4> derive(std::array<std::uint32_t, 2> key, std::uint64_t stream, std::uint64_t value,
                                    Use use) {
    return philox4x32({low_half(value), high_half(value), low_half(stream), high_half(stream)},
                      {key[0] ^ static_cast<std::uint32_t>(use), key[1] ^ 0x6368696Cu});
}

}  // namespace

Stream::Stream(std::uint64_t seed) : key_{low_half(seed), high_half(seed)}, stream_(0) {}

Stream Stream::child(std::uint64_t index) const {
    const auto words = derive(key_, stream_, index, Use::number);
    return Stream({words[0], words[1]}, join(words[2], words[3]));
}

Stream Stream::child(std::string_view purpose) const {
    std::array<std::uint32_t, 2> key = key_;
    std::uint64_t stream = stream_;
    const auto absorb = [&](std::uint64_t value, Use use) {
        const auto words = derive(key, stream, value, use);
        key = {words[0], words[1]};
        stream = join(words[2], words[3]);
    };

    // Eight characters a step, then the length.
    for (std::size_t start = 0; start < purpose.size(); start += 8) {
        std::uint64_t chunk = 0;
        for (std::size_t i = 0; i < 8 && start + i < purpose.size(); ++i)
            chunk |= std::uint64_t{static_cast<unsigned char>(purpose[start + i])} << (8 * i);
        absorb(chunk, Use::text);
    }
    absorb(purpose.size(), Use::text_end);
    return Stream(key, stream);
}

std::uint64_t Stream::bits() {
    if (position_ % 2 == 0) {
        const std::uint64_t block = position_ / 2;
        const auto words = philox4x32({low_half(block), high_half(block), low_half(stream_), high_half(stream_)}, key_);
        block_ = {join(words[0], words[1]), join(words[2], words[3])};
    }
    return block_[position_++ % 2];
}

double Stream::uniform() { return elementary::open_unit(bits()); }

std::uint64_t Stream::below(std::uint64_t n) {
    if (n == 0) throw std::invalid_argument("Stream::below: n is 0, but must be at least 1");

    // Words below 2^64 mod n are thrown away; what is left is a whole number of rounds of n.
    const std::uint64_t rest = (0 - n) % n;
    std::uint64_t word = bits();
    while (word < rest) word = bits();
    return word % n;
}

}  // namespace rfbench
