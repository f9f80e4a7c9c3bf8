// A pack of cells, whatever became of it, and datasets as their bytes.

#include "rfbench/store/pack.hpp"

#include "reading.hpp"
#include "rfbench/store/dataset_bytes.hpp"

using namespace rfbench;

FUZZ(bytes) {
    const fuzz::MemoryFile file(bytes);
    fuzz::refuses_or_reads([&] {
        const store::PackContents contents = store::read_pack(file.path());
        const store::PayloadReader payloads(file.path());
        for (const store::Record& record : contents.records)
            fuzz::refuses_or_reads([&] { store::texts_from(payloads.read(record)); });
    });
    fuzz::refuses_or_reads([&] { store::texts_from(bytes); });
    const auto both = fuzz::parts(bytes);
    fuzz::refuses_or_reads([&] { store::dataset_from(both.first, both.second); });
    fuzz::refuses_or_reads([&] { store::dataset_from(bytes, bytes); });
}
