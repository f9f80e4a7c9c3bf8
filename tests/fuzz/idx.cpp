// Images and labels in the IDX format, as they are and in gzip.

#include "rfbench/datasets/idx.hpp"

#include "reading.hpp"
#include "rfbench/datasets/gzip.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::refuses_or_reads([&] { datasets::read_idx(bytes, 1, "labels.idx"); });
    fuzz::refuses_or_reads([&] { datasets::read_idx(bytes, 3, "images.idx"); });
    fuzz::refuses_or_reads([&] { datasets::gunzip(bytes, std::size_t{1} << 20, "labels.gz"); });
}
