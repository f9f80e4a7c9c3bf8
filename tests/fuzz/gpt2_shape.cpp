// config.json of a model in GPT-2's layout.

#include "reading.hpp"
#include "rfbench/models/gpt2_folder.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::file_called("config.json", bytes);
    fuzz::refuses_or_reads([&] { models::read_shape(fuzz::own_folder()); });
}
