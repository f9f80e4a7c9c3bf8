// NumPy's arrays, by themselves and in archives.

#include "rfbench/datasets/npy.hpp"

#include "reading.hpp"
#include "rfbench/datasets/zip.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::refuses_or_reads([&] { datasets::read_npy("array.npy", bytes); });
    fuzz::refuses_or_reads([&] {
        datasets::read_npy("arrays.npz[x]", datasets::unzip(bytes, "x.npy", std::size_t{1} << 20, "arrays.npz"));
    });
}
