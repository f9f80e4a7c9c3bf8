#pragma once
// Contents of a Value; only the configuration's own files include this.
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rfbench/config/value.hpp"

namespace rfbench::config {

struct Field {
    std::string key;
    std::optional<Value> value;
};

/// The keys of a map. `free`: any key may be asked for.
struct Fields {
    std::vector<Field> fields;
    bool free = false;
};

struct Value::Content {
    /// In the order of Kind.
    std::variant<std::string, std::int64_t, double, bool, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<Value>, Fields>
        held;
    Place place;
    std::string path;
};

template <class Held>
Value make_value(Held held, const Place& place, const std::string& path) {
    return Value(std::make_shared<const Value::Content>(Value::Content{std::move(held), place, path}));
}

}  // namespace rfbench::config
