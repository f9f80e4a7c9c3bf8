// Weights of trained models.

#include "rfbench/models/safetensors.hpp"

#include "reading.hpp"

using namespace rfbench;

FUZZ(bytes) {
    const fuzz::MemoryFile file(bytes);
    fuzz::refuses_or_reads([&] {
        const models::Safetensors tensors(file.path());
        fuzz::refuses_or_reads([&] { tensors.array("x", "tensor x"); });
        fuzz::refuses_or_reads([&] { tensors.matrix("x", 2, 2); });
        fuzz::refuses_or_reads([&] { tensors.vector("x", 2); });
    });
}
