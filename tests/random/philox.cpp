#include "catch.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/random/words.hpp"

#if __has_include(<Random123/philox.h>)
#include <Random123/philox.h>
#undef philox4x32
#endif

using namespace rfbench;

TEST_CASE("Philox4x32-10 gives the published known answers") {
    // Random123, kat_vectors, philox4x32 10.
    using Block = std::array<std::uint32_t, 4>;
    using Key = std::array<std::uint32_t, 2>;
    const std::uint32_t ones = 0xffffffff;
    CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox4x32({ones, ones, ones, ones}, Key{ones, ones}) ==
          Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

#if __has_include(<Random123/philox.h>)
TEST_CASE("Philox4x32-10 agrees with Random123") {
    Stream stream(1);
    bool same = true;
    for (int i = 0; i < 10000; ++i) {
        r123::Philox4x32::ctr_type counter;
        r123::Philox4x32::key_type key;
        for (auto& word : counter) word = static_cast<std::uint32_t>(stream.bits());
        for (auto& word : key) word = static_cast<std::uint32_t>(stream.bits());
        const auto theirs = r123::Philox4x32()(counter, key);
        const auto ours = philox4x32({counter[0], counter[1], counter[2], counter[3]}, {key[0], key[1]});
        for (std::size_t k = 0; k < 4; ++k) same = same && ours[k] == theirs[k];
    }
    CHECK(same);
}
#endif

TEST_CASE("blocks read many at a time are the words of the stream") {
    const Stream stream = Stream(7).child("words").child(3);
    Stream one_by_one = stream;
    const Words words(stream);
    std::uint64_t even[Words::batch], odd[Words::batch];
    for (std::uint64_t batch = 0; batch < 3; ++batch) {
        words.read(batch * Words::batch, Words::batch, even, odd);
        for (int i = 0; i < Words::batch; ++i) {
            CHECK(even[i] == one_by_one.bits());
            CHECK(odd[i] == one_by_one.bits());
        }
    }
}
