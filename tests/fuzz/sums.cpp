// The list of sums of a result folder.

#include "reading.hpp"
#include "rfbench/store/checksums.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::file_called(store::checksums_name, bytes);
    fuzz::refuses_or_reads([&] { store::read_checksums(fuzz::own_folder()); });
}
