// Named arrays of queries and keys: HDF5, .npz and safetensors, told apart by their content.

#include "reading.hpp"
#include "rfbench/models/array_file.hpp"

using namespace rfbench;

FUZZ(bytes) {
    const fuzz::MemoryFile file(bytes);
    fuzz::refuses_or_reads([&] {
        const models::ArrayFile arrays(file.path());
        for (const std::string& name : arrays.names()) fuzz::refuses_or_reads([&] { arrays.array(name); });
        arrays.array("x");
    });
}
