// Points in HDF5 of any writer. The library itself, 1.10.8, is known to crash on hostile files; what is found here is
// told apart by its stack.

#include "reading.hpp"
#include "rfbench/datasets/points.hpp"

using namespace rfbench;

FUZZ(bytes) {
    const fuzz::MemoryFile file(bytes);
    fuzz::refuses_or_reads([&] { datasets::read_points_hdf5(file.path().string(), ""); });
    fuzz::refuses_or_reads([&] { datasets::read_points_hdf5(file.path().string(), "/x"); });
}
