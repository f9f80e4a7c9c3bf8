#include "rfbench/json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "rfbench/errors.hpp"

namespace rfbench {
namespace {

using Sorted = nlohmann::json;
using Ordered = nlohmann::ordered_json;

/// Refuses a key that its object has already, and lists and objects that are nested too deep.
class KeysOnce {
public:
    explicit KeysOnce(std::string_view place) : place_(place) {}

    bool operator()(int depth, Sorted::parse_event_t event, const Sorted& parsed) {
        if (depth >= max_json_depth)
            throw FileError(
                fmt::format("{}: lists and objects are nested deeper than {} levels", place_, max_json_depth));
        if (event == Sorted::parse_event_t::object_start) open_.emplace_back();
        if (event == Sorted::parse_event_t::object_end) open_.pop_back();
        if (event == Sorted::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second)
            throw FileError(fmt::format("{}: has the key '{}' twice", place_, parsed.get<std::string>()));
        return true;
    }

private:
    std::string_view place_;
    std::vector<std::set<std::string>> open_;  // the keys of the objects that are not closed yet
};

void add_lines(std::string& text, const Ordered& value, const std::string& indent) {
    // A list of numbers stays on one line, however long it is.
    const bool nested =
        std::any_of(value.begin(), value.end(), [](const Ordered& member) { return member.is_structured(); });
    if (!value.is_structured() || !nested) {
        text += json_line(value);
        return;
    }
    const std::string deeper = indent + "  ";
    const char* before = "\n";
    text += value.is_object() ? '{' : '[';
    for (const auto& [key, member] : value.items()) {
        text += before + deeper;
        if (value.is_object()) text += json_line(key) + ": ";
        add_lines(text, member, deeper);
        before = ",\n";
    }
    text += '\n' + indent + (value.is_object() ? '}' : ']');
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view place) {
    KeysOnce once(place);
    try {
        return Sorted::parse(
            text, [&](int depth, Sorted::parse_event_t event, Sorted& parsed) { return once(depth, event, parsed); });
    } catch (const Sorted::exception& error) {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        const std::string message = error.what();
        throw FileError(fmt::format("{}: is no JSON: {}", place, message.substr(message.find("] ") + 2)));
    }
}

std::string json_lines(const Ordered& value) {
    std::string text;
    add_lines(text, value, "");
    return text;
}

std::string json_shown(const Sorted& value) {
    constexpr std::size_t longest = 60;
    // ASCII, so that no character is cut in two.
    const std::string text = value.dump(-1, ' ', true, Sorted::error_handler_t::replace);
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string json_line(const Ordered& value) { return value.dump(-1, ' ', false, Ordered::error_handler_t::replace); }

}  // namespace rfbench
