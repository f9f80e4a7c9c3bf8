// The manifest of data sets: YAML with a schema.

#include "rfbench/datasets/manifest.hpp"

#include "reading.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::refuses_or_reads([&] { datasets::parse_manifest(std::string(bytes), "manifest.yaml"); });
}
