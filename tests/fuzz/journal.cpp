// A journal, whatever became of it: damaged lines are told, and nothing of them counts.

#include "rfbench/store/journal.hpp"

#include "reading.hpp"

using namespace rfbench;

FUZZ(bytes) {
    const fuzz::MemoryFile file(bytes);
    fuzz::refuses_or_reads([&] { store::read_journal(file.path()); });
}
