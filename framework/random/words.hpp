#pragma once
// The blocks of a stream, many at a time: Philox over arrays, which compilers vectorise.
#include <array>
#include <cstdint>

#include "rfbench/random/stream.hpp"

namespace rfbench {

/// Reads the blocks of a stream from its beginning, wherever the stream itself stands.
class Words {
public:
    static constexpr int batch = 128;  ///< at most so many blocks at a time
    static constexpr int lanes = 16;   ///< in multiples of this

    explicit Words(const Stream& stream) : key_(stream.key_), stream_(stream.stream_) {}

    /// Blocks first, ..., first + count - 1: even[i] and odd[i] are the first and second word of block first + i, the
    /// words 2 (first + i) and 2 (first + i) + 1 that Stream::bits() returns. first must be a multiple of batch, count
    /// of lanes.
    void read(std::uint64_t first, int count, std::uint64_t* even, std::uint64_t* odd) const;

private:
    std::array<std::uint32_t, 2> key_;
    std::uint64_t stream_;
};

}  // namespace rfbench
