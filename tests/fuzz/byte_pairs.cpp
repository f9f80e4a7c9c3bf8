// vocab.json and merges.txt, parted by a zero byte; what reads both gives back every text that it takes apart.

#include "rfbench/models/byte_pairs.hpp"

#include "reading.hpp"

using namespace rfbench;

FUZZ(bytes) {
    const auto [vocabulary, merges] = fuzz::parts(bytes);
    const fuzz::MemoryFile numbers(vocabulary), pairs(merges);
    fuzz::refuses_or_reads([&] {
        const models::BytePairs read(numbers.path(), pairs.path());
        const std::string text = "a byte or two";
        if (read.decode(read.encode(text)) != text) std::abort();
    });
}
