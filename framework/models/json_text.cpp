#include "rfbench/models/json_text.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "rfbench/datasets/place.hpp"

namespace rfbench::models {

using datasets::in_quotes;
using datasets::refuse;
using nlohmann::json;

namespace {

/// Refuses a key that its object has already, where the parser would silently keep the last value.
class KeysOnce {
public:
    explicit KeysOnce(std::string_view file) : file_(file) {}

    bool operator()(int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) open_.emplace_back();
        if (event == json::parse_event_t::object_end) open_.pop_back();
        if (event == json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second)
            refuse({file_}, "has the key " + in_quotes(parsed.get<std::string>()) + " twice");
        return true;
    }

private:
    std::string_view file_;
    std::vector<std::set<std::string>> open_;  // the keys of the objects that are not closed yet
};

}  // namespace

json parse_json(std::string_view text, std::string_view file) {
    KeysOnce once(file);
    try {
        return json::parse(
            text, [&once](int depth, json::parse_event_t event, json& parsed) { return once(depth, event, parsed); });
    } catch (const json::exception& error) {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        const std::string message = error.what();
        refuse({file}, "is no JSON: " + message.substr(message.find("] ") + 2));
    }
}

}  // namespace rfbench::models
