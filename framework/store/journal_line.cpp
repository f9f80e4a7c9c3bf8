#include "rfbench/store/journal_line.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "rfbench/json/json.hpp"
#include "rfbench/store/error.hpp"

namespace rfbench::store {
namespace {

// In the order in which they stand in a line.
constexpr std::array<std::pair<const char*, std::string Event::*>, 7> texts = {{
    {"time", &Event::time},
    {"event", &Event::event},
    {"key", &Event::key},
    {"file", &Event::file},
    {"sha256", &Event::sha256},
    {"identity", &Event::identity},
    {"reason", &Event::reason},
}};

}  // namespace

std::string journal_line(const Event& event) {
    nlohmann::ordered_json line = nlohmann::ordered_json::object();
    for (const auto& [name, field] : texts)
        if (!(event.*field).empty()) line[name] = event.*field;
    // JSON has no numbers that are not finite.
    if (event.seconds != 0 && std::isfinite(event.seconds)) line["seconds"] = event.seconds;
    return json_line(line);
}

Event parse_journal_line(std::string_view line) {
    const nlohmann::json object = parse_json(line, "the line");
    if (!object.is_object()) throw Error("the line is no JSON object");
    Event event;
    for (const auto& [name, field] : texts) {
        const auto found = object.find(name);
        if (found == object.end()) continue;
        if (!found->is_string()) throw Error(std::string("the line's '") + name + "' is no text");
        found->get_to(event.*field);
    }
    if (const auto seconds = object.find("seconds"); seconds != object.end()) {
        if (!seconds->is_number()) throw Error("the line's 'seconds' are no number");
        seconds->get_to(event.seconds);
    }
    if (event.event.empty()) throw Error("the line does not name an event");
    return event;
}

}  // namespace rfbench::store
