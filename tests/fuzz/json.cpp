// JSON, as of models and journals: what is read is written and read again as the same.

#include "rfbench/json/json.hpp"

#include <nlohmann/json.hpp>

#include "reading.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::refuses_or_reads([&] {
        const nlohmann::json value = parse_json(bytes, "the text");
        if (parse_json(json_line(nlohmann::ordered_json(value)), "what was written") != value) std::abort();
    });
}
