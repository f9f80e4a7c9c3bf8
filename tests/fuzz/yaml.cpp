// Configurations, before their keys are known.

#include "reading.hpp"
#include "rfbench/config/document.hpp"
#include "rfbench/config/load.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::refuses_or_reads([&] { config::read_document(bytes, "text.yaml"); });
    fuzz::refuses_or_reads([&] { config::profile_names(bytes, "text.yaml"); });
}
