#include "rfbench/config/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "rfbench/config/value_content.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::config {
namespace {

// In the order of Kind.
constexpr std::array<const char*, 8> kind_names{"a text",   "an integer", "a number", "a boolean",
                                                "integers", "numbers",    "a list",   "a map"};

/// Program and schema do not agree: no mistake of the configuration's.
[[noreturn]] void misuse(const Value& value, const std::string& sentence) {
    throw std::logic_error(value.where() + ": " + sentence);
}

template <class Held>
const Held& held(const Value& value, Kind asked) {
    if (const Held* found = std::get_if<Held>(&value.content().held)) return *found;
    misuse(value, fmt::format("the schema declares {} here, the program asks for {}.",
                              kind_names[static_cast<std::size_t>(value.kind())],
                              kind_names[static_cast<std::size_t>(asked)]));
}

const Field* find_field(const Value& value, std::string_view key) {
    const Fields& map = held<Fields>(value, Kind::map);
    const auto found = std::find_if(map.fields.begin(), map.fields.end(), [&](const Field& f) { return f.key == key; });
    if (found != map.fields.end()) return &*found;
    // A free map has the keys of its file: to ask for one that it lacks is no mistake.
    if (map.free) return nullptr;
    std::vector<std::string> names;
    for (const Field& field : map.fields) names.push_back(field.key);
    misuse(value, fmt::format("the schema declares no key {}.{}", in_quotes(key), did_you_mean(key, names)));
}

}  // namespace

Kind Value::kind() const { return static_cast<Kind>(content_->held.index()); }

const std::string& Value::text() const { return held<std::string>(*this, Kind::text); }
std::int64_t Value::integer() const { return held<std::int64_t>(*this, Kind::integer); }
double Value::number() const { return held<double>(*this, Kind::number); }
bool Value::boolean() const { return held<bool>(*this, Kind::boolean); }
const std::vector<std::int64_t>& Value::integers() const {
    return held<std::vector<std::int64_t>>(*this, Kind::integers);
}
const std::vector<double>& Value::numbers() const { return held<std::vector<double>>(*this, Kind::numbers); }
const std::vector<Value>& Value::items() const { return held<std::vector<Value>>(*this, Kind::list); }

std::vector<std::string> Value::texts() const {
    std::vector<std::string> texts;
    for (const Value& item : items()) texts.push_back(item.text());
    return texts;
}

bool Value::has(std::string_view key) const {
    const Field* field = find_field(*this, key);
    return field != nullptr && field->value.has_value();
}

const Value& Value::at(std::string_view key) const {
    const Field* field = find_field(*this, key);
    if (field == nullptr || !field->value) {
        misuse(*this, fmt::format("the key {} has no value; ask has() first.", in_quotes(key)));
    }
    return *field->value;
}

std::vector<std::string> Value::keys() const {
    std::vector<std::string> names;
    for (const Field& field : held<Fields>(*this, Kind::map).fields) {
        if (field.value) names.push_back(field.key);
    }
    return names;
}

std::string Value::where() const { return config::where(content_->place, content_->path); }

void Value::refuse(const std::string& sentence) const { throw Error(content_->place, content_->path, sentence); }

}  // namespace rfbench::config
