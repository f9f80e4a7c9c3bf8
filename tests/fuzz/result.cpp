// Result files: whatever does not bear its own sha256 is refused before HDF5 sees any of it.

#include "reading.hpp"
#include "rfbench/store/hdf5_file.hpp"

using namespace rfbench;

FUZZ(bytes) {
    const fuzz::MemoryFile file(bytes);
    fuzz::refuses_or_reads([&] { store::read(file.path()); });
}
